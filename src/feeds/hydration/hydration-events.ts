import type { Balance, FeedEvent, TokenState } from '../../events/event.ts'
import type { OwnedAccount } from '../solana/rpc-questions.ts'
import {
  type MintFacts,
  type MintTexts,
  readCurve,
  readMetadata,
  readMint,
  readTokenAccount,
} from './account-layouts.ts'

/** Answers about one mint in one slot are told apart by these ordinals; balances follow the last. */
const FACTS_ORDINAL = 0
const TEXTS_ORDINAL = 1
const HOLDERS_ORDINAL = 2

/** Where an answer stands: at the end of its slot. */
interface AnswerPlace {
  readonly mint: string
  readonly slot: number
}

/** What the accounts of a mint and of its curve say; null: the mint's account is none. */
export function factsEvents(
  place: AnswerPlace,
  mintAccount: OwnedAccount | null,
  curve: string,
  curveAccount: OwnedAccount | null,
): {
  readonly facts: MintFacts
  readonly creator: string
  /** Null: the account is no bonding curve. */
  readonly curve: string | null
  readonly events: readonly FeedEvent[]
} | null {
  const facts = readMint(place.mint, mintAccount)
  if (facts === null) return null
  const read = readCurve(curveAccount)
  const creator = read?.creator ?? ''
  const known = {
    ...(read !== null && { bondingCurve: curve }),
    ...(creator !== '' && { creator }),
  }
  const event = stateOf(place, FACTS_ORDINAL, facts, facts.texts, known)
  return { facts, creator, curve: read === null ? null : curve, events: [event] }
}

/** The texts of a legacy mint; none when one of the accounts is none. */
export function textsEvents(
  place: AnswerPlace,
  mintAccount: OwnedAccount | null,
  metadataAccount: OwnedAccount | null,
): readonly FeedEvent[] {
  const facts = readMint(place.mint, mintAccount)
  const texts = readMetadata(place.mint, metadataAccount)
  return facts === null || texts === null ? [] : [stateOf(place, TEXTS_ORDINAL, facts, texts)]
}

/**
 * The balances of those whose accounts were named, and of the creator; a wallet may have several accounts. Null: the
 * mint's account is none.
 * @param curve its tokens are nobody's
 */
export function holdersEvents(
  place: AnswerPlace,
  mintAccount: OwnedAccount | null,
  accounts: readonly (OwnedAccount | null)[],
  { creator, curve }: { readonly creator: string; readonly curve: string | null },
): { readonly events: readonly FeedEvent[]; readonly unreadable: number } | null {
  const facts = readMint(place.mint, mintAccount)
  if (facts === null) return null
  const balances = new Map<string, bigint>()
  if (creator !== '') balances.set(creator, 0n)
  let unreadable = 0
  for (const account of accounts) {
    // One that is gone holds nothing.
    if (account === null) continue
    const held = readTokenAccount(place.mint, account)
    if (held === null) unreadable += 1
    else balances.set(held.owner, (balances.get(held.owner) ?? 0n) + held.amountRaw)
  }
  if (curve !== null) balances.delete(curve)
  const state = stateOf(place, HOLDERS_ORDINAL, facts, null, { hasLargestHolders: true })
  const told = [...balances].map(
    ([wallet, balanceRaw], i): Balance => ({
      type: 'balance',
      ...placeOf(place, HOLDERS_ORDINAL + 1 + i),
      mint: place.mint,
      wallet,
      balanceRaw,
    }),
  )
  return { events: [state, ...told], unreadable }
}

function stateOf(
  place: AnswerPlace,
  ordinal: number,
  { tokenProgram, supplyRaw, decimals }: MintFacts,
  texts: MintTexts | null,
  known: Pick<TokenState, 'creator' | 'bondingCurve' | 'hasLargestHolders'> = {},
): TokenState {
  const { mint } = place
  const facts = { tokenProgram, decimals, supplyRaw }
  return { type: 'token_state', ...placeOf(place, ordinal), mint, ...facts, ...texts, ...known }
}

/** Behind all that the slot has by then: the engine counts its index. Its time is set when it is handed over. */
function placeOf({ mint, slot }: AnswerPlace, ordinal: number) {
  return { slot, txIndex: null, ordinal, signature: `state:${slot}:${mint}`, timestamp: 0 }
}
