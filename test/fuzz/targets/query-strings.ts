import type { Random } from '../../../src/base/random.ts'
import { errorBody } from '../../../src/protocol/errors.ts'
import { parseEventStream, parseLiveId } from '../../../src/protocol/live/event-stream.ts'
import { parseChart } from '../../../src/protocol/requests/charts.ts'
import {
  type Parsed,
  parseQueryString,
  pathParameter,
} from '../../../src/protocol/requests/parsers.ts'
import {
  parseCursor,
  parseMarketData,
  parsePage,
  parseSearch,
  parseSwaps,
  parseTraders,
} from '../../../src/protocol/requests/tokens.ts'
import { magic } from '../mutations.ts'
import { type FuzzTarget, holds } from '../target.ts'

const NAMES = [
  'query',
  'mints',
  'wallet',
  'page',
  'limit',
  'order_by',
  'order_direction',
  'mint',
  'from',
  'to',
  'resolution',
  'continuous',
  'fill',
  'countback',
  'udf',
  'id',
  'cursor',
  'channel',
  'filter',
  'from_seq',
  'epoch',
  'snapshot',
  'symbol',
]
const VALUES = [
  'pnl',
  'last_active_ts',
  'asc',
  'desc',
  '1S',
  '240',
  '1D',
  '1M',
  '1',
  '50',
  '200',
  '201',
  '1700000000',
  '-5',
  '1700000000000',
  'previous',
  'So11111111111111111111111111111111111111112',
  'a,b,,a',
  '%2C',
  '%F0%9F%92%A5',
  '+',
  '1e1',
  'mint1',
  'wallet1',
  'mintfeed:mint1',
  'start',
  '9-0-1',
  'update_mint_info',
  'wallet_trades',
  'meme_tables',
  'candles',
  '%7B%22type%22:%22new%22%7D',
]

/** The query strings of all GET endpoints and of the handshake. */
export const queryStrings: FuzzTarget = {
  name: 'query-strings',
  words: [...NAMES.map((name) => `&${name}=`), ...VALUES],
  make: (random) =>
    Buffer.from(Array.from({ length: random.below(6) }, () => pair(random)).join('&'), 'latin1'),
  run(input) {
    const raw = input.toString('latin1')
    sound(parseLiveId(raw))
    sound(pathParameter(raw.slice(0, 200), 'mint'))
    const parameters = parseQueryString(raw)
    if (!sound(parameters)) return
    sound(parseSearch(parameters.value))
    sound(parseMarketData(raw.slice(0, 60), parameters.value, () => raw.length % 2 === 0))
    const swaps = parseSwaps(parameters.value)
    if (sound(swaps)) inRange(swaps.value.page)
    const traders = parseTraders(parameters.value)
    if (sound(traders)) inRange(traders.value)
    sound(parsePage(parameters.value))
    sound(parseCursor(parameters.value))
    sound(parseEventStream(parameters.value, raw, () => raw.length % 2 === 0))
    const chart = parseChart(parameters.value)
    if (!sound(chart)) return
    holds(chart.value.from <= chart.value.to, 'from is not above to')
    holds(Number.isSafeInteger(chart.value.from), 'from is an integer')
    holds(chart.value.countback >= 0 && chart.value.countback <= 5000, 'countback is in range')
  },
}

function pair(random: Random): string {
  const name = random.chance(0.9) ? random.pick(NAMES) : magic(random)
  const value = random.chance(0.7) ? random.pick(VALUES) : magic(random)
  return random.chance(0.95) ? `${name}=${value}` : name
}

/** A refusal is a 400 with a sentence and a body that is JSON. */
export function sound<T>(parsed: Parsed<T>): parsed is Extract<Parsed<T>, { ok: true }> {
  if (parsed.ok) return true
  const { statusCode, message, details } = parsed.error
  holds(statusCode === 400, `a refusal is a 400, not a ${statusCode}`)
  holds(message.length > 0 && message.length < 2000, 'a refusal says why, and not too much')
  holds(details.length > 0, 'a refusal names what it is about')
  JSON.parse(errorBody(parsed.error))
  return false
}

function inRange({ page, limit }: { readonly page: number; readonly limit: number }): void {
  holds(Number.isSafeInteger(page) && page >= 1, 'page is an integer from 1 on')
  holds(Number.isInteger(limit) && limit >= 1 && limit <= 200, 'limit is 1 to 200')
}
