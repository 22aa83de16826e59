import type { ChartBar } from '../../engine/read/chart.ts'
import type { Written } from '../../protocol/answers.ts'
import { jsonNumber } from '../../protocol/json-text.ts'

const MICRO = 1e6
const LAMPORTS = 1e9

/** Numbers written between two questions whether there is time for more: some 50 µs. */
const NUMBERS_A_LOOK = 256

/** The columns of an answer in their order. */
export const CHART_COLUMNS = [
  't',
  'o',
  'h',
  'l',
  'c',
  'v',
  'o_sol',
  'h_sol',
  'l_sol',
  'c_sol',
  'v_sol',
] as const
export type ChartColumn = (typeof CHART_COLUMNS)[number]

const READS: { readonly [Name in ChartColumn]: (bar: ChartBar) => number } = {
  t: (bar) => bar.time,
  o: (bar) => bar.usd.open,
  h: (bar) => bar.usd.high,
  l: (bar) => bar.usd.low,
  c: (bar) => bar.usd.close,
  v: (bar) => bar.microUsd / MICRO,
  o_sol: (bar) => bar.sol.open,
  h_sol: (bar) => bar.sol.high,
  l_sol: (bar) => bar.sol.low,
  c_sol: (bar) => bar.sol.close,
  v_sol: (bar) => bar.lamports / LAMPORTS,
}

/**
 * The text of a chart, of bars as they were when it was begun: 5,000 have 55,000 numbers, and their
 * digits take most of the time of an answer. It can be written in pieces, turn by turn.
 */
export class ChartText implements Written {
  readonly #count: number
  /** Column behind column. */
  readonly #numbers: Float64Array
  readonly #pieces: string[] = []
  readonly #end: string
  #at = 0

  /** `isUdf` with its status; `nextTime` is told where no bar is (null: there is none before). */
  constructor(bars: readonly ChartBar[], isUdf: boolean, nextTime: number | null) {
    const count = bars.length
    this.#count = count
    this.#numbers = new Float64Array(CHART_COLUMNS.length * count)
    let at = 0
    for (const name of CHART_COLUMNS) {
      const read = READS[name]
      for (let i = 0; i < count; i++) this.#numbers[at++] = read(bars[i])
    }
    if (isUdf) this.#pieces.push(count > 0 ? '{"s":"ok",' : '{"s":"no_data",')
    else this.#pieces.push('{')
    this.#end = isUdf && count === 0 && nextTime !== null ? `,"nextTime":${nextTime}}` : '}'
    if (count === 0) this.#pieces.push(CHART_COLUMNS.map((name) => `"${name}":[]`).join(','))
  }

  write(mayGoOn: () => boolean): string | null {
    while (this.#at < this.#numbers.length) {
      this.#writePiece()
      if (this.#at < this.#numbers.length && !mayGoOn()) return null
    }
    return this.#pieces.join('') + this.#end
  }

  /** Some of a column, with what stands before and behind it. */
  #writePiece(): void {
    const column = Math.floor(this.#at / this.#count)
    const columnEnd = (column + 1) * this.#count
    const end = Math.min(columnEnd, this.#at + NUMBERS_A_LOOK)
    const isFirst = this.#at === columnEnd - this.#count
    const texts: string[] = []
    for (let at = this.#at; at < end; at++) texts.push(jsonNumber(this.#numbers[at]))
    const opening = isFirst ? `${column > 0 ? ',' : ''}"${CHART_COLUMNS[column]}":[` : ','
    this.#pieces.push(opening, texts.join(','), end === columnEnd ? ']' : '')
    this.#at = end
  }
}
