import { RESOLUTIONS, TRADER_ORDERS } from '../answers.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from '../requests/page.ts'

type Schema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly schema: Schema
  readonly required?: boolean
}

export interface Endpoint {
  readonly method: 'get' | 'post'
  readonly path: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
}

const TEXT = { type: 'string' }
const SECONDS = { type: 'integer' }
const PAGE: readonly Parameter[] = [
  { name: 'page', schema: { type: 'integer', minimum: 1, default: 1 } },
  {
    name: 'limit',
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  },
]
const TRADERS: readonly Parameter[] = [
  ...PAGE,
  { name: 'order_by', schema: { enum: TRADER_ORDERS, default: 'pnl' } },
  { name: 'order_direction', schema: { enum: ['asc', 'desc'], default: 'desc' } },
]
const CHART: readonly Parameter[] = [
  { name: 'mint', schema: TEXT, required: true },
  { name: 'from', schema: SECONDS, required: true },
  { name: 'to', schema: SECONDS, required: true },
  { name: 'resolution', schema: { enum: RESOLUTIONS }, required: true },
]
const QUERY: Parameter = {
  name: 'query',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
  required: true,
}
const SEARCH = '/api/v2/search'

function get(path: string, summary: string, parameters: readonly Parameter[]): Endpoint {
  return { method: 'get', path, summary, parameters }
}

/** The endpoints of the specification; `{names}` of a path are its required parameters. */
export const ENDPOINTS: readonly Endpoint[] = [
  get(`${SEARCH}/tokens/detailed`, 'Search tokens', [QUERY]),
  get(`${SEARCH}/tokens/{mint}/market-data`, 'Market data', [{ name: 'mints', schema: TEXT }]),
  get(`${SEARCH}/tokens/{mint}/swaps`, 'Swaps', [{ name: 'wallet', schema: TEXT }, ...PAGE]),
  get(`${SEARCH}/traders/tokens/{mint}`, 'Traders of a token', TRADERS),
  get(`${SEARCH}/traders/{wallet}/tokens`, 'Tokens of a trader', TRADERS),
  get('/api/v2/meme/chart/ohlcv', 'Chart', CHART),
  { method: 'post', path: '/api/v2/meme', summary: 'Token tables', parameters: [] },
]
