import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { RESOLUTIONS } from './answers.ts'
import type { RequestError } from './errors.ts'

/** Name of the one exchange that symbols are of. */
export const EXCHANGE = 'mintfeed'
const TYPE = 'crypto'
/** Digits shown behind the first that is not 0. */
const PRICE_DIGITS = 4
const PRICE_DIGITS_MAX = 16
const PRICE_DIGITS_UNKNOWN = 9

/** TradingView's own words for three of the resolutions. */
const UDF_WORDS: Readonly<Record<string, string>> = { D: '1D', W: '1W', M: '1M' }

/** A resolution as the chart has it. */
export function chartResolution(word: string): string {
  return UDF_WORDS[word] ?? word
}

/** `/udf/config`. */
export function udfConfigJson(): string {
  return JSON.stringify({
    supports_search: true,
    supports_group_request: false,
    supports_marks: false,
    supports_timescale_marks: false,
    supports_time: true,
    exchanges: [{ value: EXCHANGE, name: EXCHANGE, desc: EXCHANGE }],
    symbols_types: [{ name: TYPE, value: TYPE }],
    supported_resolutions: RESOLUTIONS,
  })
}

/** `/udf/symbols` of a token. */
export function udfSymbolJson(
  mint: string,
  token: { readonly name: string; readonly symbol: string; readonly priceUsd: number },
): string {
  return JSON.stringify({
    name: token.symbol || mint,
    ticker: mint,
    full_name: `${EXCHANGE}:${mint}`,
    description: token.name,
    type: TYPE,
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange: EXCHANGE,
    listed_exchange: EXCHANGE,
    minmov: 1,
    pricescale: 10 ** priceDigits(token.priceUsd),
    format: 'price',
    currency_code: 'USD',
    has_intraday: true,
    has_daily: true,
    has_seconds: true,
    seconds_multipliers: ['1', '5', '15', '30'],
    intraday_multipliers: ['1', '5', '15', '30', '60', '240'],
    has_weekly_and_monthly: true,
    supported_resolutions: RESOLUTIONS,
    volume_precision: 2,
    data_status: 'streaming',
  })
}

function priceDigits(priceUsd: number): number {
  if (!(priceUsd > 0)) return PRICE_DIGITS_UNKNOWN
  const digits = Math.ceil(-Math.log10(priceUsd)) + PRICE_DIGITS
  return Math.min(PRICE_DIGITS_MAX, Math.max(2, digits))
}

const FoundSchema = Type.Array(
  Type.Object({ mint: Type.String(), name: Type.String(), symbol: Type.String() }),
)
const Found = Compile(FoundSchema)

/** Has the one exchange this name, and are all of the type? An empty word means any. */
export function udfHas(exchange: string, type: string): boolean {
  return ['', EXCHANGE].includes(exchange) && ['', TYPE].includes(type)
}

/** A symbol as the mint it names, with or without the exchange before it. */
export function withoutExchange(symbol: string): string {
  const prefix = symbol.slice(0, EXCHANGE.length + 1).toLowerCase()
  return prefix === `${EXCHANGE}:` ? symbol.slice(prefix.length) : symbol
}

/** The mint of a search answer that differs in case only; null without one. */
export function mintIgnoringCase(searchAnswer: string, mint: string): string | null {
  const wanted = mint.toLowerCase()
  const found = tokensOf(searchAnswer).find((token) => token.mint.toLowerCase() === wanted)
  return found?.mint ?? null
}

function tokensOf(searchAnswer: string): Type.Static<typeof FoundSchema> {
  const found: unknown = JSON.parse(searchAnswer)
  if (!Found.Check(found)) throw new Error('a search answer is no list of tokens')
  return found
}

/** `/udf/search` out of a search answer. */
export function udfSearchJson(searchAnswer: string, limit: number): string {
  const found = tokensOf(searchAnswer)
  const rows = found.slice(0, limit).map(({ mint, name, symbol }) => ({
    symbol: symbol || mint,
    full_name: `${EXCHANGE}:${mint}`,
    description: name,
    exchange: EXCHANGE,
    ticker: mint,
    type: TYPE,
  }))
  return JSON.stringify(rows)
}

/** A refusal as UDF clients read it: they look at `s` and `errmsg`, and at no status. */
export function udfErrorJson({ message }: RequestError): string {
  return JSON.stringify({ s: 'error', errmsg: message })
}
