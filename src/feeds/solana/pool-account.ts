import { encodeBase58 } from '../../base/base58.ts'

/** Discriminator of the Pool account of the AMM program. */
const POOL = Buffer.from('f19a6d0411b16dbc', 'hex')
/** Behind discriminator, bump (u8), index (u16) and creator. */
const BASE_MINT_AT = 8 + 1 + 2 + 32
const QUOTE_MINT_AT = BASE_MINT_AT + 32
const END = QUOTE_MINT_AT + 32

export interface PoolAccount {
  readonly base: string
  readonly quote: string
}

/** The mints of a pool, from the data of its account; null: it is no pool. */
export function mintsOfPool(data: Buffer): PoolAccount | null {
  if (data.length < END || !data.subarray(0, POOL.length).equals(POOL)) return null
  return {
    base: encodeBase58(data.subarray(BASE_MINT_AT, QUOTE_MINT_AT)),
    quote: encodeBase58(data.subarray(QUOTE_MINT_AT, END)),
  }
}
