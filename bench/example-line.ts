import { encodeBase58 } from '../src/base/base58.ts'

/** The mint that every one of these lines trades. */
export const EXAMPLE_MINT = '9BB6NFEcjBCtnNLFko2FqVQBq8HHM13kCyYcdQbgpump'
const SIGNATURE_BYTES = 64
/** Swaps of one slot. */
const SLOT_SWAPS = 64

/** The `index`th of many swaps of one mint as a feed writes it, one line of JSON. */
export function swapLine(index: number): string {
  const signature = new Uint8Array(SIGNATURE_BYTES).fill(0x9d)
  new DataView(signature.buffer).setUint32(0, index)
  return JSON.stringify({
    type: 'swap',
    slot: 390_000_000 + Math.floor(index / SLOT_SWAPS),
    tx_index: index % SLOT_SWAPS,
    ordinal: 0,
    signature: encodeBase58(signature),
    timestamp: 1_767_225_600 + Math.floor(index / SLOT_SWAPS),
    source: 'pump',
    mint: EXAMPLE_MINT,
    pool: 'DhR6VYmKyMCtFz3xHPjFKvKrQZ2bNKyqKaFcQYbWUL9N',
    signer: '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5',
    direction: 'buy',
    base_raw: '35432100000',
    quote_raw: '1000000000',
    virtual_base_raw: '1037567900000000',
    virtual_quote_raw: '31000000000',
    real_base_raw: '757667900000000',
    real_quote_raw: '1000000000',
    platform_fee_raw: '9500000',
    creator_fee_raw: '3000000',
    chain_fee_raw: '105000',
    base_balance_before_raw: '0',
    base_balance_after_raw: '35432100000',
  })
}
