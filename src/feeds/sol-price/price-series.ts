import { readFileSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import { isSolPrice, SOL_PRICE_RANGE } from '../../base/thresholds.ts'

/** Most rows of a price file: a price a minute for two years. */
const ROWS_MAX = 1_100_000

interface PricePoint {
  /** Unix seconds from which the price holds. */
  readonly timestamp: number
  readonly usd: number
}

/** Prices in order of time, at least one. */
export type PriceSeries = readonly PricePoint[]

/** One price for all times. */
export function fixedPrice(usd: number): PriceSeries {
  return [{ timestamp: 0, usd }]
}

/**
 * Reads lines of `unix-seconds price`, split by blanks or a comma; lines that are empty or begin
 * with # are left out.
 * @throws Error with one sentence when the file cannot be read or a line is something else
 */
export function readPriceFile(path: string): PriceSeries {
  const points: PricePoint[] = []
  const lines = textOf(path).split('\n')
  for (const [index, line] of lines.entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const match = /^(\d{1,10})(?:\s*,\s*|\s+)(\d+(?:\.\d+)?)$/.exec(text)
    const usd = Number(match?.[2])
    if (match === null || !isSolPrice(usd))
      throw new Error(
        `line ${index + 1} of "${path}" must be unix seconds and a price from ${SOL_PRICE_RANGE}, like "1733011200 238.71"`,
      )
    points.push({ timestamp: Number(match[1]), usd })
  }
  if (points.length === 0 || points.length > ROWS_MAX)
    throw new Error(`"${path}" has ${points.length} prices but must have 1 to ${ROWS_MAX}`)
  return points.sort((a, b) => a.timestamp - b.timestamp)
}

/** Index of the price that holds at a time; before the first one, the first. */
export function priceIndexAt(series: PriceSeries, timestamp: number): number {
  let low = 0
  let high = series.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (series[middle].timestamp <= timestamp) low = middle
    else high = middle - 1
  }
  return low
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = messageOf(error)
    throw new Error(`"${path}" cannot be read (${reason})`)
  }
}
