import { decodeBase58 } from '../../../src/base/base58.ts'

/**
 * Accounts of the chain, written down from their layouts by hand: the reader's code has no part in them. Those of the
 * token programs are what the programs make, byte for byte (`test/feeds/hydration/program-accounts.test.ts`), and need
 * no build of the programs. Those of Metaplex and of pump.fun are by hand alone: litesvm does not bring these along.
 */

export const LEGACY = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
export const PUMP = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
export const METAPLEX = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

/** The length of accounts that several sign for. */
export const MULTISIG_BYTES = 355

export interface ChainAccount {
  readonly program: string
  readonly data: Buffer
}

export interface Texts {
  readonly name: string
  readonly symbol: string
  readonly uri: string
}

export function key(address: string): Buffer {
  return Buffer.from(decodeBase58(address) ?? Buffer.alloc(32))
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

function extension(kind: number, content: Buffer): Buffer {
  return Buffer.concat([u16(kind), u16(content.length), content])
}

/** A text behind its length, filled up with zero bytes. */
export function text(value: string, bytes = 0): Buffer {
  const written = Buffer.from(value)
  const filled = Buffer.concat([written, Buffer.alloc(Math.max(0, bytes - written.length))])
  return Buffer.concat([u32(filled.length), filled])
}

/** `former`: the key that a given up authority leaves behind its tag 0, where the program does not clear it. */
function plainMint(supplyRaw: bigint, decimals: number, former: number): Buffer {
  const authority = Buffer.concat([u32(0), Buffer.alloc(32, former)])
  const head = [authority, u64(supplyRaw), Buffer.from([decimals, 1])]
  return Buffer.concat([...head, authority])
}

export function legacyMint(supplyRaw: bigint, decimals = 6): ChainAccount {
  return { program: LEGACY, data: plainMint(supplyRaw, decimals, 7) }
}

/** A mint of Token-2022 with its texts in it; `of`: the mint that they are said to be of. */
export function extendedMint(
  of: string,
  supplyRaw: bigint,
  { name, symbol, uri }: Texts,
  decimals = 6,
): ChainAccount {
  const pointer = extension(18, Buffer.concat([Buffer.alloc(32), key(of)]))
  const content = [Buffer.alloc(32), key(of), text(name), text(symbol), text(uri), u32(0)]
  const filled = Buffer.alloc(165 - 82)
  const kind = Buffer.from([1])
  const metadata = extension(19, Buffer.concat(content))
  const parts = [plainMint(supplyRaw, decimals, 0), filled, kind, pointer, metadata]
  const data = Buffer.concat(parts)
  // One that were as long as an account of several signers is made longer.
  const isMultisigLong = data.length === MULTISIG_BYTES
  return { program: TOKEN_2022, data: isMultisigLong ? Buffer.concat([data, u16(0)]) : data }
}

export function metaplex(mint: string, { name, symbol, uri }: Texts): ChainAccount {
  const texts = [text(name, 32), text(symbol, 10), text(uri, 200)]
  const head = [Buffer.from([4]), Buffer.alloc(32, 3), key(mint)]
  return { program: METAPLEX, data: Buffer.concat([...head, ...texts, Buffer.alloc(300)]) }
}

export function tokenAccount(
  mint: string,
  owner: string,
  amountRaw: bigint,
  program = TOKEN_2022,
): ChainAccount {
  // No delegate, initialised, neither native nor with somebody who may close it.
  const rest = [Buffer.alloc(36), Buffer.from([1]), Buffer.alloc(56)]
  const plain = Buffer.concat([key(mint), key(owner), u64(amountRaw), ...rest])
  const extended = Buffer.concat([plain, Buffer.from([2]), extension(7, Buffer.alloc(0))])
  return { program, data: program === TOKEN_2022 ? extended : plain }
}

/** null: a curve of 2024, which names no creator. */
export function curve(creator: string | null): ChainAccount {
  const head = [Buffer.from('17b7f83760d8ac60', 'hex'), Buffer.alloc(40, 1), Buffer.from([0])]
  const rest = creator === null ? [] : [key(creator), Buffer.alloc(70)]
  return { program: PUMP, data: Buffer.concat([...head, ...rest]) }
}

/** Accounts and what a server answers about them. */
export class ChainAccounts {
  readonly accounts = new Map<string, ChainAccount>()
  /** The largest token accounts of a mint. */
  readonly largest = new Map<string, readonly string[]>()

  /** What stands under `result`; null: the method is none of these. */
  answer(method: string, params: readonly unknown[], slot: number): object | null {
    const context = { slot }
    const [asked] = params
    if (method === 'getTokenLargestAccounts') {
      const value = (this.largest.get(String(asked)) ?? []).map((address) => ({ address }))
      return { context, value }
    }
    if (method !== 'getMultipleAccounts' || !Array.isArray(asked)) return null
    const value = asked.map((address) => {
      const account = this.accounts.get(String(address))
      if (account === undefined) return null
      return { owner: account.program, data: [account.data.toString('base64'), 'base64'] }
    })
    return { context, value }
  }
}
