import { ADDRESS_PATTERN } from '../base/base58.ts'
import { isRecord } from '../base/json-access.ts'
import { ALERT_EVENTS } from '../protocol/alerts.ts'
import { GROUPS, WINDOWS } from '../protocol/filters.ts'
import { TRENDING_ORDERS, WALLET_RANKINGS, WALLET_WINDOWS } from '../protocol/queries.ts'
import { RULE_ID_PATTERN } from '../protocol/requests/alert-rules.ts'
import { TablesSchema } from '../protocol/requests/tables.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from '../protocol/requests/tokens.ts'
import { METRICS, type Metric, type Resource, WINDOW_METRICS } from '../query/tables/metrics.ts'

/** A JSON Schema (2020-12, and as far as used here also draft 7), as the documents hold it. */
export type Schema = Readonly<Record<string, unknown>>

export const TEXT: Schema = { type: 'string' }
/** A mint or a wallet of the chain. */
export const ADDRESS: Schema = { type: 'string', pattern: ADDRESS_PATTERN }
export const NUMBER: Schema = { type: 'number' }
export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const FLAG: Schema = { type: 'boolean' }

/** A schema among the components of the same document. */
export function named(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export function list(items: Schema): Schema {
  return { type: 'array', items }
}

/** An object with all of these keys; more may come with a later version. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

const TIME: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
}
const OPTIONAL_TEXT: Schema = { type: ['string', 'null'] }
const OPTIONAL_COUNT: Schema = { type: ['integer', 'null'] }

/** Additive keys of a token. */
const QUOTE: Readonly<Record<string, Schema>> = {
  quote_mint: TEXT,
  quote_symbol: TEXT,
  priced: FLAG,
}

/** What a token's windows have (contract section 10). */
const TRADE_WINDOW = object({
  ...Object.fromEntries(WINDOW_METRICS.map(({ key }) => [key, NUMBER])),
  traders_exact: FLAG,
})

/** Additive keys of a token itself. */
const OF_TOKEN: Readonly<Record<string, Schema>> = {
  ...QUOTE,
  history_complete: FLAG,
  history_from: { type: ['string', 'null'], pattern: TIME.pattern },
  windows: { anyOf: [named('TradeWindows'), { type: 'null' }] },
}

const CURSOR_PAGE = object({
  total: COUNT,
  limit: COUNT,
  items: list(named('Swap')),
  next_cursor: OPTIONAL_TEXT,
})

/** Keys of UDF: whether there are bars, and if not, the time of the last ones before. */
const UDF_STATUS = { s: { enum: ['ok', 'no_data'] }, nextTime: COUNT }
const REFERENCE = /"\$ref":"#\/components\/schemas\/(\w+)"/g

function metricSchema(metric: Metric, resource: Resource): Schema {
  switch (metric.kind) {
    case 'number':
      return NUMBER
    case 'boolean':
      return FLAG
    case 'text':
      return TEXT
    case 'text or null':
      return OPTIONAL_TEXT
    case 'time':
      return metric.names[resource]?.startsWith('migration')
        ? { anyOf: [TIME, { type: 'null' }] }
        : TIME
    case 'optional text':
      return resource === 'market' ? OPTIONAL_TEXT : TEXT
  }
}

/** An object with additive keys, which only `extra` brings. */
function withAdditive(
  properties: Readonly<Record<string, Schema>>,
  additive: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  return object({ ...properties, ...additive }, [...optional, ...Object.keys(additive)])
}

/** The fields of a resource, from the table of metrics. */
function resourceSchema(resource: Resource): Schema {
  const fields = METRICS.flatMap((metric) => {
    const name = metric.names[resource]
    return name === undefined ? [] : [{ name, metric }]
  })
  const optional =
    resource === 'table' ? fields.filter(({ metric }) => metric.kind === 'optional text') : []
  return withAdditive(
    Object.fromEntries(fields.map(({ name, metric }) => [name, metricSchema(metric, resource)])),
    OF_TOKEN,
    optional.map(({ name }) => name),
  )
}

/** A table row with its place among the trending tokens, what it has it by, and its windows. */
function withRank(row: Schema): Schema {
  const { properties, required } = row
  return {
    ...row,
    properties: { rank: COUNT, value: NUMBER, ...(isRecord(properties) && properties) },
    required: ['rank', 'value', ...(Array.isArray(required) ? required : []), 'windows'],
  }
}

/** The body of a webhook too (docs/alerts.md); what `data` has depends on the event. */
const ALERT: Readonly<Record<string, Schema>> = {
  ...all('id epoch', { type: 'string', pattern: '^[\\w:.-]+$' }),
  rule: { type: 'string', pattern: RULE_ID_PATTERN },
  seq: COUNT,
  timestamp: TIME,
  event: { enum: ALERT_EVENTS },
  data: { type: 'object' },
}

/** Parameters of trending tokens, in a query and in a message. */
export const TRENDING_QUERY: Readonly<Record<string, Schema>> = {
  window: { enum: WINDOWS, default: '5m' },
  by: { enum: TRENDING_ORDERS, default: 'volume' },
  limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
}

const SWAP_FIELDS = {
  slot: COUNT,
  tx_index: COUNT,
  signature: TEXT,
  timestamp: TIME,
  source: { enum: ['pump', 'pump_amm'] },
  direction: { enum: ['buy', 'sell'] },
  signer: TEXT,
  mint: TEXT,
  pool: TEXT,
  base_mint_amount: NUMBER,
  quote_mint_amount: NUMBER,
  base_mint_price_usd: NUMBER,
  sol_price_usd: NUMBER,
  volume_usd: NUMBER,
  m_cap_usd: NUMBER,
  bonding_curve_progress: NUMBER,
  liquidity_usd: NUMBER,
  chain_fee: NUMBER,
  platform_fee: NUMBER,
  creator_fee: NUMBER,
  base_balance_before: NUMBER,
  base_balance_after: NUMBER,
  fresh_wallet: FLAG,
  sniper_wallet: FLAG,
  pro_trader: FLAG,
}
const LABEL = object({ name: TEXT, tag: TEXT })
const SWAP = withAdditive(SWAP_FIELDS, {
  ...all('lp_fee cashback', NUMBER),
  ...QUOTE,
  signer_label: LABEL,
})

function all(names: string, schema: Schema): Record<string, Schema> {
  return Object.fromEntries(names.split(' ').map((name) => [name, schema]))
}

const TRADER_FIELDS = {
  ...all('wallet mint pool name symbol', TEXT),
  image: OPTIONAL_TEXT,
  ...all('token_price_usd token_price_sol market_cap', NUMBER),
  complete: FLAG,
  ...all('pnl holding_amount bought_tokens sold_tokens', NUMBER),
  last_active_ts: COUNT,
  ...all('holding_pct holding_usd holding_sol cost_basis_usd cost_basis_sol', NUMBER),
  is_open: FLAG,
  ...all('bought_usd sold_usd bought_sol sold_sol', NUMBER),
  ...all('buys sells trades', COUNT),
  ...all('volume_usd volume_sol fees_sol avg_buy_price_usd avg_sell_price_usd', NUMBER),
  ...all('avg_buy_price_sol avg_sell_price_sol pnl_sol pnl_pct', NUMBER),
  ...all('realized_pnl_usd unrealized_pnl_usd realized_pnl_sol unrealized_pnl_sol', NUMBER),
  untracked_tokens: NUMBER,
  ...all('first_active_ts first_buy_ts last_buy_ts first_sell_ts last_sell_ts', OPTIONAL_COUNT),
  hold_time_seconds: COUNT,
  ...all('fresh_wallet sniper_wallet pro_trader bundle_wallet insider_wallet creator_wallet', FLAG),
}
const TRADER = withAdditive(TRADER_FIELDS, { ...QUOTE, label: LABEL })

const DETAIL: Schema = {
  allOf: [
    named('TokenSearchDetailed'),
    object({
      pool: TEXT,
      ...all('pro_traders_holding creator_completed_pools creator_completing_pools', NUMBER),
      x_reuses: COUNT,
      dex_paid: FLAG,
      swaps: COUNT,
      traders: COUNT,
      ...all('ath_price_usd ath_price_sol ath_market_cap', NUMBER),
      ath_timestamp: { anyOf: [TIME, { type: 'null' }] },
      creator_history: object({
        created: COUNT,
        migrated: COUNT,
        tokens: list(
          object({
            ...all('mint name symbol', TEXT),
            timestamp: TIME,
            complete: FLAG,
            migrated: FLAG,
            market_cap: NUMBER,
          }),
        ),
      }),
      ...OF_TOKEN,
    }),
  ],
}

function page(item: string): Schema {
  return object({ total: COUNT, page: COUNT, limit: COUNT, items: list(named(item)) })
}
const UDF_QUOTE = object({
  s: { const: 'ok' },
  n: TEXT,
  v: object({
    ...all('short_name exchange original_name description', TEXT),
    ...all('lp ch chp open_price high_price low_price prev_close_price volume', NUMBER),
  }),
})
const SERIES = all('t o h l c v o_sol h_sol l_sol c_sol v_sol', list(NUMBER))

/** The same object, where each optional key may also be null, and so in the objects inside. */
function nullable(schema: Schema): Schema {
  const { properties, required } = schema
  if (!isRecord(properties)) return schema
  const needed = Array.isArray(required) ? required : []
  const parts = Object.entries(properties).map(([name, part]) => {
    const inner = isRecord(part) ? nullable(part) : {}
    return [name, needed.includes(name) ? inner : { anyOf: [inner, { type: 'null' }] }]
  })
  return { ...schema, properties: Object.fromEntries(parts) }
}

const PRICE_FIELDS = {
  mint: TEXT,
  ...all('price_usd price_sol market_cap_usd', NUMBER),
  timestamp: TIME,
  seq: COUNT,
}

const LABEL_OR_NULL = { anyOf: [LABEL, { type: 'null' }] }
const RANKED_FIGURES = {
  ...all('realized_pnl_usd volume_usd win_rate_pct', NUMBER),
  ...all('trades wins losses', COUNT),
}
const WALLET_FIGURES = object({ ...RANKED_FIGURES, tokens: COUNT, median_hold_seconds: NUMBER })
const WALLET_RESULT = object({
  ...all('mint name symbol', TEXT),
  ...all('pnl_usd realized_pnl_usd unrealized_pnl_usd', NUMBER),
  is_open: FLAG,
})
const WALLET_DAY = object({
  day: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
  ...all('realized_pnl_usd volume_usd', NUMBER),
  trades: COUNT,
})

/** The schema of every answer, by its name in both documents. */
export const RESOURCE_SCHEMAS: Readonly<Record<string, Schema>> = {
  TokenSearchDetailed: resourceSchema('search'),
  TokenMarketData: resourceSchema('market'),
  MemeTablePoolDto: resourceSchema('table'),
  MemeTablesResponseDto: object(
    Object.fromEntries(GROUPS.map((group) => [group, list(named('MemeTablePoolDto'))])),
    GROUPS,
  ),
  Alert: object(ALERT),
  Alerts: object({
    ...all('head next_after', COUNT),
    missed: FLAG,
    items: list(object({ n: COUNT, ...ALERT })),
  }),
  TradeWindows: object(Object.fromEntries(WINDOWS.map((window) => [window, TRADE_WINDOW]))),
  TrendingToken: withRank(resourceSchema('table')),
  Trending: object({
    window: { enum: WINDOWS },
    by: { enum: TRENDING_ORDERS },
    items: list(named('TrendingToken')),
  }),
  FiltersMemeDto: nullable({ ...TablesSchema }),
  Swap: SWAP,
  PaginatedSwapResponse: page('Swap'),
  SwapsByCursor: CURSOR_PAGE,
  TraderRecord: TRADER,
  PaginatedTraders: page('TraderRecord'),
  Price: object({ ...PRICE_FIELDS, timestamp: { anyOf: [TIME, { type: 'null' }] } }),
  PriceAt: object({ ...PRICE_FIELDS, signature: TEXT }),
  Wallet: object({
    wallet: TEXT,
    label: LABEL_OR_NULL,
    windows: object(
      Object.fromEntries(WALLET_WINDOWS.map((name) => [name, named('WalletFigures')])),
    ),
    unrealized_pnl_usd: NUMBER,
    ...all('best worst', { anyOf: [named('WalletResult'), { type: 'null' }] }),
    days: list(WALLET_DAY),
  }),
  HolderHistory: object(
    all(
      't holders creator_pct snipers_pct insiders_pct bundlers_pct fresh_pct pros_pct',
      list(NUMBER),
    ),
  ),
  Creator: object({
    wallet: TEXT,
    label: LABEL_OR_NULL,
    graduated: COUNT,
    ...all('graduated_pct median_life_seconds', NUMBER),
    ...all('total page limit', COUNT),
    items: list(named('CreatorToken')),
  }),
  CreatorToken: object({
    ...all('mint name symbol', TEXT),
    timestamp: TIME,
    outcome: { enum: GROUPS },
    ...all('migration_timestamp creator_first_sell creator_last_sell', {
      anyOf: [TIME, { type: 'null' }],
    }),
    life_seconds: COUNT,
    ...all('market_cap creator_bought_pct creator_sold_pct creator_holding_pct', NUMBER),
    creator_sold_all: FLAG,
  }),
  WalletFigures: WALLET_FIGURES,
  WalletResult: WALLET_RESULT,
  WalletTags: object({ items: list(object({ tag: TEXT, wallets: COUNT })) }),
  WalletRanking: object({
    window: { enum: WALLET_WINDOWS },
    by: { enum: WALLET_RANKINGS },
    items: list(
      object({ rank: COUNT, value: NUMBER, wallet: TEXT, label: LABEL_OR_NULL, ...RANKED_FIGURES }),
    ),
  }),
  Ohlcv: object({ ...UDF_STATUS, ...SERIES }, Object.keys(UDF_STATUS)),
  MigrationEvent: object({
    signature: TEXT,
    timestamp: TIME,
    ...all('bonding_curve mint pool_amm', TEXT),
  }),
  TokenDetail: DETAIL,
  UdfConfig: object({
    ...all('supports_search supports_group_request supports_marks', FLAG),
    ...all('supports_timescale_marks supports_time', FLAG),
    exchanges: list({ type: 'object' }),
    symbols_types: list({ type: 'object' }),
    supported_resolutions: list(TEXT),
  }),
  UdfSymbol: object({
    ...all('name ticker full_name description type session timezone exchange', TEXT),
    ...all('listed_exchange format currency_code data_status', TEXT),
    ...all('minmov pricescale volume_precision', NUMBER),
    ...all('has_intraday has_daily has_seconds has_weekly_and_monthly', FLAG),
    ...all('seconds_multipliers intraday_multipliers supported_resolutions', list(TEXT)),
  }),
  UdfFound: object(all('symbol full_name description exchange ticker type', TEXT)),
  UdfHistory: object({ ...UDF_STATUS, ...SERIES }, ['nextTime']),
  UdfQuotes: object({
    s: { const: 'ok' },
    d: list({ anyOf: [UDF_QUOTE, object({ s: { const: 'error' }, n: TEXT, v: object({}) })] }),
  }),
  UdfRefusal: object({ s: { const: 'error' }, errmsg: TEXT }),
  // Its protocol's own documents say what else is in it.
  RpcMessage: object({ jsonrpc: { const: '2.0' } }),
  Error: object({
    statusCode: COUNT,
    error: TEXT,
    message: TEXT,
    code: TEXT,
    details: list(object({ path: TEXT, message: TEXT })),
  }),
}

/**
 * The components that a document refers to, directly or through each other: generators of clients write a type for
 * every component, and linters complain of unused ones.
 */
export function usedSchemas(document: object): Readonly<Record<string, Schema>> {
  const used = new Set<string>()
  const look = (part: object) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
      if (used.has(name)) continue
      used.add(name)
      look(RESOURCE_SCHEMAS[name] ?? {})
    }
  }
  look(document)
  return Object.fromEntries(Object.entries(RESOURCE_SCHEMAS).filter(([name]) => used.has(name)))
}
