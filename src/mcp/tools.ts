/**
 * `mcp` is the API as tools of language-model agents (Model Context Protocol). A tool is a typed request to the HTTP API:
 * one row here. In: a call of a tool, and `AskApi`, which answers a request of the API (inside the service, or by fetch
 * from `mintfeed mcp`). Out: a typed result and a text for the model. Invariants: every tool only reads; parameters,
 * limits and types of answers come from the API's own tables; texts of strangers stand in marks (text-form.ts).
 */

import type { Schema } from '../openapi/resources.ts'
import { BODY_KEYS, GROUPS, TABLE_ORDERS } from '../protocol/filters.ts'
import type { ApiRequest } from '../protocol/queries.ts'
import { TablesSchema } from '../protocol/requests/tables.ts'

/** The JSON of a 200, or the sentence of a refusal. */
export type ApiAnswer =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly sentence: string }

/** Answers a request of the API; never rejects. */
export type AskApi = (request: ApiRequest) => Promise<ApiAnswer>

/** Arguments of a tool after their check. */
export type Arguments = Readonly<Record<string, unknown>>

/** A tool: one row. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The request it stands for: the id of an endpoint in openapi/endpoints.ts. */
  readonly endpoint: string
  /** Arguments that are offered, with what an agent has to know of each. */
  readonly parameters: Readonly<Record<string, string>>
  /** Schemas of arguments that are no parameters of the endpoint. */
  readonly schemas?: Readonly<Record<string, Schema>>
  /** Arguments that must be given beside those that the endpoint needs. */
  readonly required?: readonly string[]
  /** Parameters of the request that are sent where no argument says otherwise. */
  readonly sent?: Readonly<Record<string, string>>
  /** The body of a POST. */
  readonly body?: (given: Arguments) => unknown
  /** The answer's schema where the endpoint has several. */
  readonly answer?: Schema
  /** Of more rows than are shown, the last ones are. */
  readonly keepsLast?: (given: Arguments) => boolean
  /** What an agent can do about rows that are too many bytes; left out: nothing. */
  readonly rest?: (given: Arguments, shown: number) => string
}

/** A time after every trade: the newest bars are asked for. Unix seconds below the bound of milliseconds. */
const LATEST_S = '99999999999'
const MINT = 'Address of the token; search_tokens finds it'
const ROWS = 'Rows at most'
const PAGE = 'From 1 on; `total` says how many rows all pages have'
const ORDER = 'What rows are ordered by'
const DIRECTION = 'desc: largest first'

/** The page with as many rows as fit that the next row is on. */
function nextPage({ page, limit }: Arguments, shown: number): string {
  const rows = Math.max(1, shown)
  const next = (Number(page ?? 1) - 1) * Number(limit) + shown
  return `\`page\` ${Math.floor(next / rows) + 1} with \`limit\` ${rows} has the next ones.`
}

/** The tools; another one is another row. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'search_tokens',
    title: 'Search tokens',
    description:
      'Finds tokens by mint, symbol or name, best matches first, then by market cap. Anybody can take any name: only the mint tells tokens apart.',
    endpoint: 'search',
    parameters: {
      query: 'A mint, a symbol, or a part of a name or mint, without case',
      limit: ROWS,
    },
    schemas: { limit: { type: 'integer' } },
    rest: () => 'A longer `query` finds fewer.',
  },
  {
    name: 'get_token',
    title: 'A token',
    description:
      'All about one token now: price, market cap, liquidity, progress of its curve, volume and trades of 24 hours, holders and shares of snipers, insiders, bundlers, fresh wallets; its creator and what else the creator made; links; price change, volume and traders of five windows.',
    endpoint: 'tokenDetail',
    parameters: { mint: MINT },
  },
  {
    name: 'get_table',
    title: 'Token tables',
    description:
      'Tokens by stage, filtered: new (newest first), completing (fullest curve first), graduated (newest migration first).',
    endpoint: 'tables',
    parameters: {
      type: 'Which table',
      limit: ROWS,
      filters:
        'Conditions that all must hold; min and max are inclusive, a flag that is true requires',
      order_by: 'The tokens with most of this in a window come first, as in 5m.volumeUsd',
    },
    schemas: {
      type: { enum: GROUPS },
      limit: { type: 'integer' },
      filters: { ...TablesSchema.properties[BODY_KEYS.new] },
      order_by: { enum: TABLE_ORDERS },
    },
    required: ['type'],
    body: ({ type, limit, filters, order_by }) => ({
      type,
      limit,
      ...(order_by !== undefined && { order_by }),
      ...(filters !== undefined && { [bodyKeyOf(type)]: filters }),
    }),
    rest: () => 'Narrower `filters` find fewer.',
  },
  {
    name: 'get_trending',
    title: 'Trending tokens',
    description:
      'Tokens with a trade in a window (1m, 5m, 1h, 6h, 24h), those with most volume, trades, traders, price change or new holders first, with all their windows.',
    endpoint: 'trending',
    parameters: {
      window: 'The window that counts',
      by: 'What tokens are ranked by',
      limit: ROWS,
    },
  },
  {
    name: 'get_chart',
    title: 'A chart',
    description:
      'Candles of a token in USD (o h l c v) and SOL (o_sol …), oldest first, up to now or a given time. t is the unix second that a bar opens at; only bars with trades are there.',
    endpoint: 'chart',
    parameters: {
      mint: MINT,
      resolution: 'Width of a bar: seconds (1S), minutes (1 to 240), day, week or month (1D 1W 1M)',
      countback: 'Bars at most, the newest up to `to`',
      to: 'Unix seconds of the newest bar; left out: now. Below the first t: the bars before',
    },
    sent: { from: '0', to: LATEST_S },
    keepsLast: () => true,
    rest: () => '`to` below the first t has those before.',
  },
  {
    name: 'get_traders',
    title: 'Traders of a token',
    description:
      'Wallets that traded or hold a token, with profit and loss, what they bought, sold and hold, and their classes (sniper, insider, bundle, fresh, pro, creator).',
    endpoint: 'tokenTraders',
    parameters: {
      mint: MINT,
      order_by: ORDER,
      order_direction: DIRECTION,
      limit: ROWS,
      page: PAGE,
    },
    rest: nextPage,
  },
  {
    name: 'get_wallet',
    title: 'A wallet',
    description:
      'Tokens that a wallet traded or holds, with its profit and loss in each, what it bought, sold and holds.',
    endpoint: 'walletTokens',
    parameters: {
      wallet: 'Address of the wallet',
      ...{ order_by: ORDER, order_direction: DIRECTION, limit: ROWS, page: PAGE },
    },
    rest: nextPage,
  },
  {
    name: 'get_wallet_summary',
    title: 'What a wallet did',
    description:
      'Realized and unrealized profit of a wallet, its volume, trades, wins and losses, hold time, over 1, 7 and 30 days and all, and by day; its best and worst token, and its label where the user of the service gave one.',
    endpoint: 'wallet',
    parameters: { wallet: 'Address of the wallet' },
  },
  {
    name: 'get_top_wallets',
    title: 'Wallets, ranked',
    description: 'Wallets with most realized profit, volume, trades or wins in a window of days.',
    endpoint: 'walletsTop',
    parameters: {
      window: 'The days that count',
      by: 'What wallets are ranked by',
      limit: ROWS,
    },
  },
  {
    name: 'get_prices',
    title: 'Prices',
    description: 'Present prices and market caps of tokens, with the time of their last trade.',
    endpoint: 'prices',
    parameters: { mints: 'Addresses of the tokens' },
    schemas: { mints: { type: 'array', items: { type: 'string' }, minItems: 1 } },
    rest: () => 'Ask for the others in another call.',
  },
  {
    name: 'get_swaps',
    title: 'Swaps of a token',
    description: 'Trades of a token, newest first, of all wallets or of one.',
    endpoint: 'swaps',
    parameters: {
      mint: MINT,
      wallet: 'Only swaps of this wallet',
      limit: ROWS,
      cursor: '`next_cursor` of the answer before has the next ones; left out: the newest',
    },
    sent: { cursor: 'start' },
    answer: { $ref: '#/components/schemas/SwapsByCursor' },
    rest: () => '`next_cursor` leads to the next ones.',
  },
  {
    name: 'get_alerts',
    title: 'What alert rules found',
    description:
      'What the alert rules of the user found, as far as they are told to followers: a token that entered or left a filter, a price or market cap that was crossed, a trade of a followed wallet, a migration, a launch. `data` is the token or the trade as it was then. Rules are made by the user; no tool can change them.',
    endpoint: 'toldAlerts',
    parameters: {
      rule: 'Id of one rule, left out: all',
      after:
        'Only alerts behind this number, oldest first: `next_after` of the answer before; left out: the newest',
      limit: ROWS,
    },
    keepsLast: ({ after }) => after === undefined,
    rest: () => '`next_after` leads to newer ones, `after` below the first `n` to older ones.',
  },
]

/** Things that an agent may read by address: each is a tool called with one argument. */
export const TEMPLATES = [
  { name: 'token', title: 'A token', tool: 'get_token', argument: 'mint' },
  { name: 'wallet', title: 'A wallet', tool: 'get_wallet', argument: 'wallet' },
  { name: 'table', title: 'A table of tokens', tool: 'get_table', argument: 'type' },
] as const

/** The address of such a thing. */
export function resourceUri(name: (typeof TEMPLATES)[number]['name'], value: string): string {
  return `mintfeed://${name}/${encodeURIComponent(value)}`
}

/** The key of a table's filters in the body of the request. */
export function bodyKeyOf(type: unknown): string {
  return BODY_KEYS[GROUPS.find((group) => group === type) ?? 'new']
}
