/**
 * feeds/chain/transactions: JSON of the RPC, bytes of a serialised transaction or lines of a log in, a `ChainTransaction` out.
 * Instructions win over logs, which validators cut. A failed transaction has no events.
 */

import type { FeedCounters } from '../../feed-counters.ts'
import { type DecodedEvent, decodeEvent } from '../layouts/decode-event.ts'
import type { NewForms } from './new-forms.ts'
import { type EmittedBytes, eventsOfLogs } from './program-logs.ts'

/** Balance before and after a transaction, in raw units. */
interface Balance {
  readonly beforeRaw: bigint
  readonly afterRaw: bigint
}

const NO_BALANCE: Balance = { beforeRaw: 0n, afterRaw: 0n }

/** That of one owner in one mint. */
export interface TokenBalanceChange extends Balance {
  readonly owner: string
  readonly mint: string
  /** Those of the mint; absent: not given. */
  readonly decimals?: number
}

/** One transaction as any of the chain feeds knows it. */
export interface ChainTransaction {
  /** null: unknown. */
  readonly slot: number | null
  /** Index in the block; null: unknown. */
  readonly txIndex: number | null
  readonly signature: string
  readonly failed: boolean
  /** Unix seconds of its block; null: unknown. */
  readonly blockTime: number | null
  /** Keys that signed it, the fee payer first; empty: unknown (logs alone). */
  readonly signers: readonly string[]
  /** Events from self-CPI instructions in order; null or empty: not recorded. */
  readonly selfCpi: readonly EmittedBytes[] | null
  readonly logs: readonly string[] | null
  /** Lamports, base and priority fee; null: unknown. */
  readonly feeRaw: bigint | null
  readonly balances: readonly TokenBalanceChange[]
}

/**
 * The known events of a transaction in order; their index is the event ordinal. Every event is
 * emitted twice, as log and as self-CPI: instructions win because no validator cuts them.
 */
export function decodeTransaction(
  transaction: ChainTransaction,
  counters: FeedCounters,
  forms?: NewForms,
): readonly DecodedEvent[] {
  if (transaction.failed) {
    counters.failedTransactions++
    return []
  }
  const decoded: DecodedEvent[] = []
  for (const { program, bytes } of emittedBy(transaction, counters)) {
    const event = decodeEvent(program, bytes)
    if (event === null) {
      counters.unknownEvents++
      forms?.event(program, bytes)
      continue
    }
    if (event.unknownTailBytes > 0) {
      counters.unknownTails++
      forms?.tail(program, event.layout.name, bytes, event.unknownTailBytes)
    }
    decoded.push(event)
  }
  return decoded
}

/**
 * What a wallet holds of a mint before and after the transaction; null: no balance names the mint. An account
 * that was made and closed in it, as routers do that pass on what they buy, is in neither list.
 */
export function balanceOf(
  { balances }: Pick<ChainTransaction, 'balances'>,
  wallet: string,
  mint: string,
): Balance | null {
  const ofMint = balances.filter((balance) => balance.mint === mint)
  if (ofMint.length === 0) return null
  return ofMint.find(({ owner }) => owner === wallet) ?? NO_BALANCE
}

function emittedBy(transaction: ChainTransaction, counters: FeedCounters): readonly EmittedBytes[] {
  const { selfCpi, logs } = transaction
  if (selfCpi !== null && selfCpi.length > 0) return selfCpi
  if (logs === null) return []
  const { emitted, truncated } = eventsOfLogs(logs)
  if (truncated) counters.truncatedLogs++
  return emitted
}

/**
 * How a signature is written: base58. What no event line can carry would make a journal that no
 * start reads again.
 */
export const SIGNATURE_PATTERN = '^[1-9A-HJ-NP-Za-km-z]{32,90}$'

const SIGNATURE = new RegExp(SIGNATURE_PATTERN)

export function isSignature(text: string): boolean {
  return SIGNATURE.test(text)
}
