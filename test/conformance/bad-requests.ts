/** Requests that must be refused with a 400, as data: what is wrong, and which word names it. */
import {
  chartPath,
  marketPath,
  nonsense,
  strangerMint,
  strangerMints,
  swapsPath,
  tradersPath,
  walletPath,
} from './paths.ts'

export interface BadRequest {
  what: string
  path: string
  /** The parameter the message must name. */
  names: string
}

const search = '/api/v2/search/tokens/detailed'

const searches: BadRequest[] = [
  ['a search without query', ''],
  ['an empty query', '?query='],
  ['a blank query', '?query=%20%20%09'],
  ['a query of 129 characters', `?query=${'a'.repeat(129)}`],
  ['a query of 129 code points', `?query=${encodeURIComponent('🜚'.repeat(129))}`],
  ['a query that is invalid UTF-8', '?query=%FF%FE'],
  ['a query with a cut character', '?query=abc%E2%82'],
].map(([what, rest]) => ({ what, path: search + rest, names: 'query' }))

const many = (count: number): string => strangerMints(count).join(',')

const markets: BadRequest[] = [
  { what: '101 distinct mints', path: marketPath('x', many(101)), names: 'mints' },
  { what: '300 distinct mints', path: marketPath('x', many(300)), names: 'mints' },
]

/** Where an address stands, nothing else can. */
const addresses: BadRequest[] = nonsense.flatMap((text) =>
  [
    { path: marketPath(text), names: 'mint' },
    { path: marketPath('x', `${strangerMint},${text}`), names: 'mints' },
    { path: swapsPath(text), names: 'mint' },
    { path: swapsPath(strangerMint, `wallet=${encodeURIComponent(text)}`), names: 'wallet' },
    { path: tradersPath(text), names: 'mint' },
    { path: walletPath(text), names: 'wallet' },
    { path: chartPath(text, 0, 1, '1'), names: 'mint' },
  ].map((request) => ({ ...request, what: `${text} as ${request.names}` })),
)

/** Values that are no page number and no page size. */
const noInteger: [string, string][] = [
  ['0', '0'],
  ['-1', '-1'],
  ['1.5', '1.5'],
  ['a word', 'abc'],
  ['empty', ''],
  ['1e1', '1e1'],
  ['a leading blank', '%201'],
  ['a trailing blank', '1%20'],
  ['a plus sign', '%2B1'],
  ['0x10', '0x10'],
  ['NaN', 'NaN'],
  ['99999999999999999999', '99999999999999999999'],
]

const paged: [string, (query: string) => string][] = [
  ['swaps', (query) => swapsPath(strangerMint, query)],
  ['traders', (query) => tradersPath(strangerMint, query)],
  ['tokens of a trader', (query) => walletPath(strangerMint, query)],
]

const pages: BadRequest[] = paged.flatMap(([list, path]) => [
  ...['page', 'limit'].flatMap((name) => [
    ...noInteger.map(([said, value]) => ({
      what: `${list} with ${name} ${said}`,
      path: path(`${name}=${value}`),
      names: name,
    })),
    { what: `${list} with ${name} twice`, path: path(`${name}=1&${name}=2`), names: name },
  ]),
  { what: `${list} with limit 201`, path: path('limit=201'), names: 'limit' },
  { what: `${list} with limit 1000`, path: path('limit=1000'), names: 'limit' },
])

const orders: BadRequest[] = paged.slice(1).flatMap(([list, path]) => [
  ...['volume', 'PNL', 'pnl,holding_amount', '__proto__', 'constructor'].map((value) => ({
    what: `${list} ordered by ${value}`,
    path: path(`order_by=${value}`),
    names: 'order_by',
  })),
  ...['up', 'DESC', 'descending', '1'].map((value) => ({
    what: `${list} in direction ${value}`,
    path: path(`order_direction=${value}`),
    names: 'order_direction',
  })),
])

const chart = '/api/v2/meme/chart/ohlcv'
const parts: Record<string, string> = {
  mint: strangerMint,
  from: '1700000000',
  to: '1700003600',
  resolution: '1',
}

const chartWith = (changes: Record<string, string | undefined>): string => {
  const merged = Object.entries({ ...parts, ...changes }).filter(([, value]) => value !== undefined)
  return `${chart}?${merged.map(([name, value]) => `${name}=${value}`).join('&')}`
}

const missing: BadRequest[] = Object.keys(parts).flatMap((name) => [
  { what: `a chart without ${name}`, path: chartWith({ [name]: undefined }), names: name },
  { what: `a chart with empty ${name}`, path: chartWith({ [name]: '' }), names: name },
])

const noTime = [
  'abc',
  '1.5',
  '1e9',
  '%201700000000',
  '1700000000000',
  '100000000000',
  'NaN',
  '0x10',
]

const times: BadRequest[] = ['from', 'to'].flatMap((name) =>
  noTime.map((value) => ({
    what: `a chart with ${name} ${decodeURIComponent(value)}`,
    path: chartWith({ [name]: value }),
    names: name,
  })),
)

const widths: BadRequest[] = ['2', '1H', '0', '-1', 'abc', '1Y', '60S', '1.0'].map((value) => ({
  what: `a chart of resolution ${value}`,
  path: chartWith({ resolution: value }),
  names: 'resolution',
}))

const backwards: BadRequest[] = [
  { what: 'a chart with from > to', path: chartPath(strangerMint, 2000, 1000, '1'), names: 'from' },
]

export const badRequests: BadRequest[] = [
  ...searches,
  ...markets,
  ...addresses,
  ...pages,
  ...orders,
  ...missing,
  ...times,
  ...widths,
  ...backwards,
]

/** Strange requests of which only the calm of the server is asked: no 5xx, no hang. */
export const hostilePaths: string[] = [
  '/%',
  '/%ZZ',
  '/api/v2/search/tokens/%FF/swaps',
  '/api/v2/search/tokens/%00/swaps',
  '/api/v2/search/tokens/%2e%2e/market-data',
  '/api/v2/search/tokens/../../../etc/passwd/market-data',
  '/api/v2/search/tokens//market-data',
  '/api/v2/search/traders//tokens',
  '/api/v2/search/tokens/__proto__/market-data?mints=__proto__,constructor,toString',
  '/api/v2/search/traders/tokens/constructor',
  '/api/v2/search/tokens/detailed?query=%',
  '/api/v2/search/tokens/detailed?query=%ED%A0%80',
  '/api/v2/search/tokens/detailed?query=%00',
  '/api/v2/search/tokens/detailed?&&&=&query==a',
  `/api/v2/search/tokens/${'M'.repeat(3000)}/swaps`,
  `/api/v2/search/tokens/detailed?query=${'%F0%9F%9A%80'.repeat(300)}`,
  chartWith({ from: '-99999999999999999999', to: '99999999999999999999' }),
  chartWith({ resolution: '1S', from: '0', to: '9999999999', fill: 'previous' }),
  chartWith({ resolution: '1S', from: '-9999999999', to: '9999999999', fill: 'previous' }),
  chartWith({ countback: '99999999999' }),
]
