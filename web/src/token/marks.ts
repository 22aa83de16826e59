import type { Swap, TraderRecord } from '../../../client/src/mintfeed.ts'
import { parseTime } from '../text/time-form.ts'

export type MarkKind = 'creator' | 'sniper' | 'followed'

/** A trade to show on the chart. */
export interface Mark {
  readonly kind: MarkKind
  readonly direction: 'buy' | 'sell'
  /** Unix seconds. */
  readonly time: number
}

/** Marks on one bar, those of a kind and direction as one. */
export interface BarMark {
  readonly kind: MarkKind
  readonly direction: 'buy' | 'sell'
  readonly time: number
  readonly count: number
}

/** Marks drawn at most: the newest bars'. */
const MARKS_MAX = 300

export function swapMarks(kind: MarkKind, swaps: readonly Swap[]): readonly Mark[] {
  return swaps.flatMap(({ direction, timestamp }) => {
    const time = parseTime(timestamp)
    return time === null ? [] : [{ kind, direction: direction === 'buy' ? 'buy' : 'sell', time }]
  })
}

/** Trades of a wallet: those that were read, and those that came since, each once. */
export function tradesOf(
  wallet: string,
  read: readonly Swap[],
  tape: readonly { readonly swap: Swap }[],
): readonly Swap[] {
  const came = tape.map(({ swap }) => swap).filter(({ signer }) => signer === wallet)
  return [...new Map([...read, ...came].map((swap) => [swapName(swap), swap])).values()]
}

/**
 * Tells a trade from all others. A read does not say its ordinal: of one transaction they differ in amounts, or in
 * the price after them. The balance is that of the transaction, and another one once a late trade came before it.
 */
export function swapName(swap: Swap): string {
  const { signature, mint, direction } = swap
  const { base_mint_amount: base, quote_mint_amount: quote, base_mint_price_usd: price } = swap
  return `${signature} ${mint} ${direction} ${base} ${quote} ${price}`
}

/** First buys of the snipers. */
export function sniperMarks(snipers: readonly TraderRecord[]): readonly Mark[] {
  return snipers.flatMap(({ first_buy_ts: time }) =>
    time === null ? [] : [{ kind: 'sniper', direction: 'buy', time } as const],
  )
}

/** Puts marks on the bars that hold them, in order of time; `times` are the opens, ascending. */
export function barMarks(marks: readonly Mark[], times: readonly number[]): readonly BarMark[] {
  const byPlace = new Map<string, BarMark>()
  for (const { kind, direction, time } of marks) {
    const open = openOf(times, time)
    if (open === null) continue
    const place = `${open} ${kind} ${direction}`
    const count = (byPlace.get(place)?.count ?? 0) + 1
    byPlace.set(place, { kind, direction, time: open, count })
  }
  return [...byPlace.values()].sort((a, b) => a.time - b.time).slice(-MARKS_MAX)
}

/** The last open that is not after `time`; null before the first. */
function openOf(times: readonly number[], time: number): number | null {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle] <= time) low = middle + 1
    else high = middle
  }
  return low === 0 ? null : times[low - 1]
}
