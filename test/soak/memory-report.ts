import { type Sample, type Slope, slopeOf, steadySlopeOf } from './slope.ts'

const MEBIBYTE = 2 ** 20
/** What may grow beside the market, in MiB an hour. */
const LEAK_MAX = 2

/** Figures of the program by name, at a time. */
export interface Figures {
  readonly atMs: number
  readonly of: (name: string) => number
}

/** Growth by kind of memory, in MiB an hour; the first is the sum of the others. */
export interface Growth {
  readonly resident: Slope
  readonly market: Slope
  readonly bounded: Slope
  readonly heap: Slope
  readonly buffersRest: Slope
  readonly nativeRest: Slope
}

/** How a figure grows, in MiB an hour. */
function slopeIn(
  figures: readonly Figures[],
  value: (figures: Figures) => number,
  slope: (samples: readonly Sample[]) => Slope = slopeOf,
): Slope {
  const { perHour, error } = slope(figures.map((one) => ({ atMs: one.atMs, value: value(one) })))
  return { perHour: perHour / MEBIBYTE, error: error / MEBIBYTE }
}

/** Where memory grew, from figures after the warm-up. */
export function growthOf(figures: readonly Figures[]): Growth {
  const named = (name: string) => slopeIn(figures, ({ of }) => of(`${name}_bytes`))
  return {
    resident: named('rss_anon'),
    market: named('memory_market'),
    bounded: named('memory_bounded'),
    heap: named('memory_heap'),
    buffersRest: named('memory_buffers_rest'),
    nativeRest: named('memory_native_rest'),
  }
}

/** What is alive on the heap and in buffers that no part names. */
export function aliveBytes({ of }: Figures): number {
  return of('heap_used_bytes') + of('memory_buffers_rest_bytes')
}

/**
 * What is alive on the heap and in buffers that are neither the market's nor of what has a bound, from
 * figures taken when all garbage had been collected: a leak, if it grows on. What is under way just
 * then, to readers that are slow for one, counts as alive too, and comes and goes by megabytes.
 */
export function leakOf(settled: readonly Figures[]): Slope {
  return slopeIn(settled, aliveBytes, steadySlopeOf)
}

/** Whether the goal was held, as far as the error lets one say. */
export function leakVerdict({ perHour, error }: Slope): 'held' | 'missed' | 'undecided' {
  if (perHour + error <= LEAK_MAX) return 'held'
  return perHour - error > LEAK_MAX ? 'missed' : 'undecided'
}

/** Resident memory that is neither, at the same times: with what the allocators keep for later. */
export function restOf(settled: readonly Figures[]): Slope {
  return slopeIn(
    settled,
    ({ of }) => of('rss_anon_bytes') - of('memory_market_bytes') - of('memory_bounded_bytes'),
  )
}

/** Rows of the market: figures of their bytes, and of their number. */
const ROWS = [
  ['swap', ['tape', 'tape_spare', 'bars'], 'swaps'],
  ['position', ['positions'], 'positions'],
  ['wallet', ['wallets'], 'wallets'],
  ['token', ['tokens', 'search', 'texts', 'orders', 'changes', 'top_lists'], 'tokens'],
  ['address', ['addresses'], 'addresses'],
] as const

/** The lines of the report. */
export function memoryLines(figures: readonly Figures[], settled: readonly Figures[]): string[] {
  const growth = growthOf(figures)
  const last = figures[figures.length - 1]
  const of = (name: string) => last?.of(name) ?? 0
  const shown = ({ perHour, error }: Slope) => `${perHour.toFixed(1)} ± ${error.toFixed(1)}`
  const mebibytes = (name: string) => (of(name) / MEBIBYTE).toFixed(1)
  const rows = ROWS.map(([name, parts, count]) => {
    const bytes = parts.reduce((sum, part) => sum + of(`${part}_bytes`), 0)
    return `${of(count)} x ${(bytes / Math.max(1, of(count))).toFixed(0)} B a ${name}`
  })
  return [
    `memory       resident ${shown(growth.resident)} MiB/h, of it the market's ${shown(growth.market)}, what has a bound ${shown(growth.bounded)}, heap ${shown(growth.heap)}, other buffers ${shown(growth.buffersRest)}, the rest ${shown(growth.nativeRest)}`,
    `             last: resident ${mebibytes('rss_bytes')} MiB (files ${mebibytes('rss_file_bytes')}), market ${mebibytes('memory_market_bytes')}, what has a bound ${mebibytes('memory_bounded_bytes')}, heap ${mebibytes('memory_heap_bytes')} (used ${mebibytes('heap_used_bytes')}), other buffers ${mebibytes('memory_buffers_rest_bytes')}, the rest ${mebibytes('memory_native_rest_bytes')}`,
    `rows         ${rows.join(', ')}`,
    `leak         ${shown(leakOf(settled))} MiB/h of what is alive beside the market's rows (goal ${LEAK_MAX}); resident beside them ${shown(restOf(settled))}`,
    `             alive after each full collection, MiB: ${settled.map((one) => (aliveBytes(one) / MEBIBYTE).toFixed(1)).join(' ')}`,
  ]
}
