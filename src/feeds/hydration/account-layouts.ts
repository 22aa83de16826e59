import { encodeBase58 } from '../../base/base58.ts'
import { codePoints, LINK_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../../events/text.ts'
import {
  METADATA_PROGRAM,
  PUMP_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  ZERO_ADDRESS,
} from '../chain/layouts/programs.ts'
import type { OwnedAccount } from '../solana/rpc-questions.ts'

/**
 * What accounts of the chain hold, read from bytes that strangers wrote: an account of another program, of another mint
 * or too short is null, and nothing here throws. Numbers are little-endian.
 */

const ADDRESS_BYTES = 32
/** A mint: supply (u64), decimals (u8), whether it is initialised. */
const SUPPLY_AT = 36
const DECIMALS_AT = 44
const INITIALISED_AT = 45
const MINT_BYTES = 82
/** An extended account of Token-2022: its kind stands where the longest plain one ends, extensions behind it. */
const KIND_AT = 165
const MINT_KIND = 1
const ACCOUNT_KIND = 2
const EXTENSIONS_AT = 166
const METADATA_EXTENSION = 19
const EXTENSIONS_MAX = 64
/** A token account: mint, owner, amount (u64). */
const OWNER_AT = 32
const AMOUNT_AT = 64
const TOKEN_ACCOUNT_BYTES = 165
/** An account of several signers, of either token program: all in it is what its makers chose. No other is as long. */
const MULTISIG_BYTES = 355
/** A bonding curve: discriminator, five u64, whether it is complete; curves of 2024 end there. */
const CURVE = Buffer.from('17b7f83760d8ac60', 'hex')
const CREATOR_AT = 8 + 5 * 8 + 1
/** Behind the creator and two flags; older curves end before it. */
const CURVE_QUOTE_AT = CREATOR_AT + ADDRESS_BYTES + 2
/** Metaplex metadata: kind, authority, mint, texts. */
const METADATA_KIND = 4
const METADATA_MINT_AT = 1 + ADDRESS_BYTES
const METADATA_TEXTS_AT = METADATA_MINT_AT + ADDRESS_BYTES
/** So many bytes hold the longest text. */
const TEXT_BYTES_MAX = 4 * LINK_CHARACTERS_MAX
/** Amounts of more decimals do not fit into an event. */
const DECIMALS_MAX = 18

export interface MintTexts {
  readonly name: string
  readonly symbol: string
  readonly uri: string
}

export interface MintFacts {
  readonly tokenProgram: string
  readonly supplyRaw: bigint
  readonly decimals: number
  /** Null: the mint has none in it. */
  readonly texts: MintTexts | null
}

/** The facts in the account of a mint of either token program. */
export function readMint(mint: string, account: OwnedAccount | null): MintFacts | null {
  if (account === null || !isOfTokens(account, MINT_BYTES, MINT_KIND)) return null
  const { data, program } = account
  if (data[INITIALISED_AT] !== 1) return null
  const decimals = data.readUInt8(DECIMALS_AT)
  if (decimals > DECIMALS_MAX) return null
  const texts = extensionTexts(mint, data)
  return { tokenProgram: program, supplyRaw: data.readBigUInt64LE(SUPPLY_AT), decimals, texts }
}

/** The texts in the account that Metaplex has of a legacy mint. */
export function readMetadata(mint: string, account: OwnedAccount | null): MintTexts | null {
  if (account?.program !== METADATA_PROGRAM) return null
  const { data } = account
  if (data.length < METADATA_TEXTS_AT || data[0] !== METADATA_KIND) return null
  return addressAt(data, METADATA_MINT_AT) === mint ? textsAt(data, METADATA_TEXTS_AT) : null
}

/**
 * The creator that a bonding curve names, and the mint it is quoted in: "" where it names none, which is SOL for the
 * quote. Null: it is no bonding curve.
 */
export function readCurve(
  account: OwnedAccount | null,
): { readonly creator: string; readonly quoteMint: string } | null {
  if (account?.program !== PUMP_PROGRAM) return null
  const { data } = account
  if (data.length < CREATOR_AT || !data.subarray(0, CURVE.length).equals(CURVE)) return null
  return { creator: namedAt(data, CREATOR_AT), quoteMint: namedAt(data, CURVE_QUOTE_AT) }
}

/** "": the data ends before it, or zero bytes stand there. */
function namedAt(data: Buffer, at: number): string {
  if (data.length < at + ADDRESS_BYTES) return ''
  const address = addressAt(data, at)
  return address === ZERO_ADDRESS ? '' : address
}

/** Whose tokens of a mint an account holds, and how many. */
export function readTokenAccount(
  mint: string,
  account: OwnedAccount | null,
): { readonly owner: string; readonly amountRaw: bigint } | null {
  if (account === null || !isOfTokens(account, TOKEN_ACCOUNT_BYTES, ACCOUNT_KIND)) return null
  const { data } = account
  if (addressAt(data, 0) !== mint) return null
  return { owner: addressAt(data, OWNER_AT), amountRaw: data.readBigUInt64LE(AMOUNT_AT) }
}

/** Those of the legacy program have one length; those of Token-2022 say their kind where they are longer. */
function isOfTokens({ program, data }: OwnedAccount, plainBytes: number, kind: number): boolean {
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return false
  if (program === TOKEN_PROGRAM || data.length <= KIND_AT) return data.length === plainBytes
  return data.length !== MULTISIG_BYTES && data[KIND_AT] === kind
}

function addressAt(data: Buffer, at: number): string {
  return encodeBase58(data.subarray(at, at + ADDRESS_BYTES))
}

/** Extensions follow each other: kind (u16), length (u16), content. */
function extensionTexts(mint: string, data: Buffer): MintTexts | null {
  let at = EXTENSIONS_AT
  for (let i = 0; i < EXTENSIONS_MAX && at + 4 <= data.length; i++) {
    const end = at + 4 + data.readUInt16LE(at + 2)
    if (data.readUInt16LE(at) === METADATA_EXTENSION && end <= data.length) {
      const content = data.subarray(at + 4, end)
      if (content.length < 2 * ADDRESS_BYTES) return null
      const isOwn = addressAt(content, ADDRESS_BYTES) === mint
      return isOwn ? textsAt(content, 2 * ADDRESS_BYTES) : null
    }
    at = end
  }
  return null
}

/** Name, symbol and uri, each a length (u32) and text. */
function textsAt(data: Buffer, from: number): MintTexts | null {
  const texts: string[] = []
  let at = from
  while (texts.length < 3) {
    if (at + 4 > data.length) return null
    const end = at + 4 + data.readUInt32LE(at)
    if (end > data.length) return null
    const text = data.toString('utf8', at + 4, Math.min(end, at + 4 + TEXT_BYTES_MAX))
    // Metaplex fills them up with zero bytes.
    texts.push(text.replace(/\0+$/, ''))
    at = end
  }
  const [name = '', symbol = '', uri = ''] = texts
  return {
    name: codePoints(name, NAME_CHARACTERS_MAX),
    symbol: codePoints(symbol, NAME_CHARACTERS_MAX),
    uri: codePoints(uri, LINK_CHARACTERS_MAX),
  }
}
