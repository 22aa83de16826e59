import type { Swap } from '../../src/events/event.ts'
import { bondingCurveAddress } from '../../src/feeds/chain/layouts/program-address.ts'

export type CsvRow = Readonly<Record<string, string>>

/** Rows of a CSV without quoted fields, keyed by the names in its first line. */
export function csvRows(text: string): CsvRow[] {
  const [head, ...lines] = text.split(/\r?\n/).filter((line) => line !== '')
  const names = head.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(names.map((name, index) => [name, cells[index]]))
  })
}

/**
 * Curve trades of `cryptorsi-trades/trades_data.csv` as events, in file order. The file has no
 * ordinals and no index in the block: rows that share a signature get 0, 1, … in file order, and
 * transactions are numbered by the first appearance of their signature inside their slot.
 */
export function csvToEvents(text: string): Swap[] {
  const ordinals = new Map<string, number>()
  const slots = new Map<number, Map<string, number>>()
  return csvRows(text).map((row) => {
    const signature = row.transaction_signature
    const slot = Number(row.block_num)
    const ordinal = ordinals.get(signature) ?? 0
    ordinals.set(signature, ordinal + 1)
    const signatures = slots.get(slot) ?? new Map<string, number>()
    slots.set(slot, signatures)
    const txIndex = signatures.get(signature) ?? signatures.size
    signatures.set(signature, txIndex)
    return swapOf(row, { slot, txIndex, ordinal, signature })
  })
}

function swapOf(
  row: CsvRow,
  position: Pick<Swap, 'slot' | 'txIndex' | 'ordinal' | 'signature'>,
): Swap {
  const mint = row.token_address
  return {
    type: 'swap',
    ...position,
    timestamp: Number(row.block_time),
    source: 'pump',
    mint,
    pool: bondingCurveAddress(mint) ?? mint,
    signer: row.wallet_address,
    direction: row.is_buy === 'true' ? 'buy' : 'sell',
    baseRaw: BigInt(row.amount_in_token),
    quoteRaw: BigInt(row.amount_in_sol),
    virtualBaseRaw: BigInt(row.virtual_token_reserves),
    virtualQuoteRaw: BigInt(row.virtual_sol_reserves),
    realBaseRaw: BigInt(row.real_token_reserves),
    realQuoteRaw: BigInt(row.real_sol_reserves),
    platformFeeRaw: BigInt(row.fee_amount),
    creatorFeeRaw: BigInt(row.creator_fee_amount),
  }
}
