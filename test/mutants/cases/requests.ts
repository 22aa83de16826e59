/** Parsers of requests, the rate limiter and entity tags, at their edges. */

import { parseLiveMessage } from '../../../src/protocol/live/live-messages.ts'
import { parseChart, parseUdfHistory } from '../../../src/protocol/requests/charts.ts'
import {
  type Parsed,
  parseQueryString,
  type QueryParameters,
} from '../../../src/protocol/requests/parsers.ts'
import { parseTables } from '../../../src/protocol/requests/tables.ts'
import { parseMarketData, parsePage, parseSearch } from '../../../src/protocol/requests/tokens.ts'
import { matchesEntityTag } from '../../../src/server/http/response-writer.ts'
import { RateLimiter } from '../../../src/server/load/rate-limiter.ts'
import type { Case } from '../check.ts'
import { expected } from '../story.ts'

const INVALID = 'invalid_parameter'
/** Well-formed; nobody knows it. */
const STRANGER = 'Stranger1111111111111111111111111111111pump'

const outcome = <T>(parsed: Parsed<T>) => (parsed.ok ? parsed.value : parsed.error.code)

function asked<T>(
  parse: (parameters: QueryParameters) => Parsed<T>,
  raw: string,
  wanted: unknown,
): Case {
  const read = () => {
    const parameters = parseQueryString(raw)
    return outcome(parameters.ok ? parse(parameters.value) : parameters)
  }
  return expected(raw.slice(0, 60), read, wanted)
}

const pages = [
  asked(parsePage, '', { page: 1, limit: 50 }),
  asked(parsePage, 'page=1&limit=1', { page: 1, limit: 1 }),
  asked(parsePage, 'page=7&limit=200', { page: 7, limit: 200 }),
  ...[
    'page=0',
    'page=-1',
    'limit=0',
    'limit=201',
    'page=1e1',
    'page=%201',
    'page=01',
    'limit=',
  ].map((raw) => asked(parsePage, raw, INVALID)),
]

const EXTRAS = { continuous: false, fill: 'none', countback: 0, udf: false }

const charts = [
  asked(parseChart, 'mint=m&from=5&to=5&resolution=1', {
    ...{ mint: 'm', from: 5, to: 5, resolution: '1' },
    ...EXTRAS,
  }),
  asked(parseChart, 'mint=m&from=-5&to=99999999999&resolution=1D&countback=5000&udf=1', {
    ...{ mint: 'm', from: -5, to: 99_999_999_999, resolution: '1D' },
    ...{ ...EXTRAS, countback: 5000, udf: true },
  }),
  asked(parseChart, 'mint=m&from=6&to=5&resolution=1', INVALID),
  asked(parseChart, 'mint=m&from=5&to=1700000000000&resolution=1', INVALID),
  asked(parseChart, 'mint=m&from=5&to=100000000000&resolution=1', INVALID),
  asked(parseChart, 'mint=m&from=5&to=9&resolution=1&countback=5001', INVALID),
  asked(parseChart, 'mint=m&to=5&resolution=1', 'missing_parameter'),
]

const mints = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`)
const parseMints = (parameters: QueryParameters) => parseMarketData('path', parameters, () => true)

const marketData = [
  asked(parseMints, '', ['path']),
  asked(parseMints, 'mints=a,%20b,,a', ['a', 'b']),
  asked(parseMints, `mints=${mints(100).join()}`, mints(100)),
  asked(parseMints, `mints=${mints(101).join()}`, INVALID),
]

const parseNoneTold = (parameters: QueryParameters) =>
  parseMarketData('path', parameters, () => false)
const parseUdf = (parameters: QueryParameters) => parseUdfHistory(parameters, () => true)

const addresses = [
  asked(parseNoneTold, `mints=${STRANGER}`, [STRANGER]),
  asked(parseNoneTold, `mints=${STRANGER},notamint`, INVALID),
  asked(parseNoneTold, '', INVALID),
]

const udfHistories = [
  asked(parseUdf, 'symbol=m&to=120&resolution=1&countback=9000&from=x', {
    ...{ mint: 'm', resolution: '1' },
    ...{ ...EXTRAS, countback: 5000, udf: true, from: 0, to: 119 },
  }),
  asked(parseUdf, 'symbol=mintfeed:m&from=5&to=120&resolution=D', {
    ...{ mint: 'm', resolution: '1D' },
    ...{ ...EXTRAS, udf: true, from: 5, to: 119 },
  }),
  asked(parseUdf, 'symbol=m&to=120&resolution=1', 'missing_parameter'),
]

const searches = [
  asked(parseSearch, 'query=+frog+', 'frog'),
  asked(parseSearch, `query=${'🐸'.repeat(128)}`, '🐸'.repeat(128)),
  asked(parseSearch, `query=${'🐸'.repeat(129)}`, INVALID),
]

const body = (value: object, wanted: unknown) =>
  expected(JSON.stringify(value), () => outcome(parseTables(JSON.stringify(value))), wanted)

const bodies = [
  body({}, { type: 'all', filters: {}, limit: 50 }),
  body({ limit: 201 }, 'invalid_body'),
  body(
    { type: 'new', limit: 200, newPools: { holders: { min: 2, max: 2 } } },
    { type: 'new', filters: { new: { holders: { min: 2, max: 2 } } }, limit: 200 },
  ),
  body({ graduated: { mCapUsd: { min: 2, max: 1 } } }, 'invalid_body'),
  body(
    { completing: { caEndsWithPump: true } },
    { type: 'all', filters: { completing: { caEndsWithSuffix: true } }, limit: 50 },
  ),
  body(
    { completing: { caEndsWithPump: false, caEndsWithSuffix: false } },
    { type: 'all', filters: { completing: { caEndsWithSuffix: false } }, limit: 50 },
  ),
]

const live = (id: string, wanted: unknown) =>
  expected(
    `live ${id}`,
    () => {
      const data = { action: 'subscribe', id, mint: 'm' }
      const message = parseLiveMessage(
        JSON.stringify({ event: 'update_mint_info', data }),
        'me',
        () => true,
      )
      return message.kind === 'refused' ? message.code : message
    },
    wanted,
  )

const messages = [
  live('me', {
    ...{ kind: 'stream', channel: 'update_mint_info', action: 'subscribe' },
    ...{ keys: ['m'], many: false },
    ...{ form: 'plain', from: new Map(), epoch: null, wantsSnapshot: false },
  }),
  live('you', 'id_mismatch'),
]

const tags = (
  [
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    ['"b"', false],
    ['*', true],
    ['', false],
  ] as const
).map(([ifNoneMatch, wanted]) =>
  expected(`If-None-Match ${ifNoneMatch}`, () => matchesEntityTag(ifNoneMatch, '"a"'), wanted),
)

/** Two requests in ten seconds: allowed, remaining and seconds until the window ends. */
const limits = expected('rate limit', () => {
  const limiter = new RateLimiter({ limit: 2, windowMs: 10_000 })
  return [0, 4_000, 9_999, 10_000, 10_001].map((nowMs) => {
    const { allowed, remaining, resetS } = limiter.take('client', nowMs)
    return [allowed, remaining, resetS]
  })
}, [
  [true, 1, 10],
  [true, 0, 6],
  [false, 0, 1],
  [true, 1, 10],
  [true, 0, 10],
])

export const cases: readonly Case[] = [
  ...pages,
  ...charts,
  ...marketData,
  ...addresses,
  ...udfHistories,
  ...searches,
  ...bodies,
  ...messages,
  ...tags,
  limits,
]
