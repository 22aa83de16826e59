/**
 * Asks as TradingView's own UDF adapter asks, and takes answers as it takes them: it never looks at
 * a status, only at the JSON, and what has no `s` is taken for the thing asked for. Written from the
 * published protocol (charting-library-docs, "UDF") and the adapter's request forms.
 */
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** What the adapter asks a search for. */
const SEARCH_LIMIT = 30

const texts = Type.Array(Type.String())
const numbers = Type.Array(Type.Number())

const Config = Type.Object({
  supports_search: Type.Literal(true),
  supports_group_request: Type.Literal(false),
  supports_marks: Type.Literal(false),
  supports_timescale_marks: Type.Literal(false),
  supports_time: Type.Literal(true),
  exchanges: Type.Array(
    Type.Object({ value: Type.String(), name: Type.String(), desc: Type.String() }),
  ),
  symbols_types: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  supported_resolutions: texts,
})

/** The fields of a symbol that the chart does not draw without. */
const SymbolInfo = Type.Object({
  s: Type.Optional(Type.Undefined()),
  name: Type.String({ minLength: 1 }),
  ticker: Type.String({ minLength: 1 }),
  full_name: Type.String(),
  description: Type.String(),
  type: Type.String(),
  session: Type.Literal('24x7'),
  timezone: Type.Literal('Etc/UTC'),
  exchange: Type.String(),
  listed_exchange: Type.String(),
  minmov: Type.Literal(1),
  /** A power of ten. */
  pricescale: Type.Integer({ minimum: 1 }),
  format: Type.Literal('price'),
  currency_code: Type.String(),
  has_intraday: Type.Literal(true),
  has_seconds: Type.Literal(true),
  has_daily: Type.Literal(true),
  has_weekly_and_monthly: Type.Literal(true),
  seconds_multipliers: texts,
  intraday_multipliers: texts,
  supported_resolutions: texts,
  volume_precision: Type.Integer({ minimum: 0 }),
  data_status: Type.Literal('streaming'),
})

const Found = Type.Array(
  Type.Object({
    symbol: Type.String(),
    full_name: Type.String(),
    description: Type.String(),
    exchange: Type.String(),
    ticker: Type.String(),
    type: Type.String(),
  }),
)

const History = Type.Union([
  Type.Object({
    s: Type.Literal('ok'),
    t: Type.Array(Type.Integer(), { minItems: 1 }),
    o: numbers,
    h: numbers,
    l: numbers,
    c: numbers,
    v: numbers,
  }),
  Type.Object({ s: Type.Literal('no_data'), nextTime: Type.Optional(Type.Integer()) }),
])

/** What a watch list shows of each symbol that it asked for. */
const Quotes = Type.Object({
  s: Type.Literal('ok'),
  d: Type.Array(
    Type.Union([
      Type.Object({
        s: Type.Literal('ok'),
        n: Type.String(),
        v: Type.Object({
          ch: Type.Number(),
          chp: Type.Number(),
          short_name: Type.String(),
          exchange: Type.String(),
          original_name: Type.String(),
          description: Type.String(),
          lp: Type.Number(),
          open_price: Type.Number(),
          high_price: Type.Number(),
          low_price: Type.Number(),
          prev_close_price: Type.Number(),
          volume: Type.Number(),
        }),
      }),
      Type.Object({ s: Type.Literal('error'), n: Type.String(), v: Type.Object({}) }),
    ]),
  ),
})

const Failed = Compile(
  Type.Object({ s: Type.Literal('error'), errmsg: Type.String({ minLength: 1 }) }),
)

export type UdfSymbolInfo = Static<typeof SymbolInfo>

export interface UdfBar {
  /** Unix seconds. */
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

/** A span as a chart asks for it; `countBack` says how many bars, whatever `from`. */
export interface UdfPeriod {
  readonly from: number
  readonly to: number
  readonly countBack?: number
}

export interface UdfBars {
  readonly bars: readonly UdfBar[]
  readonly noData: boolean
  readonly nextTime: number | undefined
}

type Words = Readonly<Record<string, string | number>>

/** An answer that the adapter takes for a failure. */
export class UdfRefusal extends Error {}

export class UdfClient {
  readonly #base: string

  /** @param base for example `http://127.0.0.1:8080/udf` */
  constructor(base: string) {
    this.#base = base
  }

  config(): Promise<Static<typeof Config>> {
    return this.#ask('config', {}, Config)
  }

  time(): Promise<number> {
    return this.#ask('time', {}, Type.Integer())
  }

  /** What was typed goes out in capitals. */
  search(typed: string, exchange: string, type: string): Promise<Static<typeof Found>> {
    const words = { limit: SEARCH_LIMIT, query: typed.toUpperCase(), type, exchange }
    return this.#ask('search', words, Found)
  }

  symbol(name: string, more: Words = {}): Promise<UdfSymbolInfo> {
    return this.#ask('symbols', { symbol: name, ...more }, SymbolInfo)
  }

  async bars(symbol: UdfSymbolInfo, resolution: string, period: UdfPeriod): Promise<UdfBars> {
    const { from, to, countBack } = period
    const words = {
      symbol: symbol.ticker,
      resolution,
      from,
      to,
      ...(countBack !== undefined && { countback: countBack }),
      currencyCode: symbol.currency_code,
    }
    const answer = await this.#ask('history', words, History)
    if (answer.s === 'no_data') return { bars: [], noData: true, nextTime: answer.nextTime }
    const { t, o, h, l, c, v } = answer
    for (const series of [o, h, l, c, v])
      if (series.length !== t.length) throw new Error('the series differ in length')
    const bars = t.map((time, i) => ({
      ...{ time, open: o[i], high: h[i], low: l[i], close: c[i], volume: v[i] },
    }))
    return { bars, noData: false, nextTime: undefined }
  }

  /**
   * A request of more bars than an answer may have, as the adapter sends it on: while an answer is as long
   * as the longest there may be and `from` lies before `to`, it asks again up to the first bar that it has, for so
   * many bars less as have come. An answer without a bar ends it. What it would mend, a bar told twice, is
   * left as it came.
   */
  async barsInPages(
    symbol: UdfSymbolInfo,
    resolution: string,
    period: Required<UdfPeriod>,
    most: number,
  ): Promise<{ readonly bars: readonly UdfBar[]; readonly requests: readonly UdfPeriod[] }> {
    const { from } = period
    let { to, countBack } = period
    const requests: UdfPeriod[] = [period]
    let { bars } = await this.bars(symbol, resolution, period)
    const all = [...bars]
    while (bars.length === most && from < to) {
      countBack -= bars.length
      to = all[0].time
      const asked = { from, to, countBack }
      requests.push(asked)
      bars = (await this.bars(symbol, resolution, asked)).bars
      all.unshift(...bars)
    }
    return { bars: all, requests }
  }

  quotes(symbols: readonly string[]): Promise<Static<typeof Quotes>> {
    return this.#ask('quotes', { symbols: symbols.join(',') }, Quotes)
  }

  /** Any request; rejects with a UdfRefusal where the adapter reports an error. */
  async #ask<T extends TSchema>(path: string, words: Words, schema: T): Promise<Static<T>> {
    const query = new URLSearchParams()
    for (const [name, word] of Object.entries(words)) query.set(name, String(word))
    const response = await fetch(`${this.#base}/${path}${query.size > 0 ? `?${query}` : ''}`)
    const text = await response.text()
    const answer: unknown = JSON.parse(text)
    if (Failed.Check(answer)) throw new UdfRefusal(answer.errmsg)
    const checker = Compile(schema)
    if (checker.Check(answer)) return answer
    throw new Error(`${path} has another shape: ${text.slice(0, 300)}`)
  }

  /** A request that the adapter makes of services which say that they support it. */
  raw(path: string): Promise<unknown> {
    return this.#ask(path, {}, Type.Unknown())
  }
}
