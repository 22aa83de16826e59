import { isRecord } from '../../src/base/json-access.ts'
import { balance, created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from '../server/engine-server.ts'
import { LiveClient } from '../server/live-client.ts'

const MINT = 'ExampLeMint1111111111111111111111111111pump'
const OTHER = 'SecondMint11111111111111111111111111111pump'
const WALLET = 'ExampLeWaLLet1111111111111111111111111111111'
const CREATOR = 'ExampLeCreator111111111111111111111111111111'
const POOL = 'ExampLePooL11111111111111111111111111111111'
const EPOCH = '7f3c2a9e-0000-4000-8000-000000000001'
const ID = 'bot-1'

const trade = (place: number) =>
  swap({
    mint: MINT,
    slot: 110 + place,
    txIndex: place,
    timestamp: START_SECOND + 60 * place,
    signature: `ExampLeSignature${place}`,
    signer: WALLET,
    realBaseRaw: BigInt(793 - place) * 10n ** 12n,
  })
const birth = (mint: string, slot: number) =>
  created({
    mint,
    slot,
    creator: CREATOR,
    signature: `ExampLeCreation${slot}`,
    timestamp: START_SECOND,
  })
const migration = (mint: string, slot: number) => ({
  type: 'migrated' as const,
  ...{ slot, txIndex: 0, ordinal: 0, signature: `ExampLeMigration${slot}` },
  ...{ timestamp: START_SECOND + slot, mint, bondingCurve: 'curve', poolAmm: POOL },
})

const ALERT = {
  ...{ id: `${EPOCH}:12:migrations`, rule: 'migrations', seq: 12, epoch: EPOCH },
  ...{ timestamp: '2023-11-14 00:03:21', event: 'token_migrated' },
  data: {
    ...{
      signature: 'ExampLeMigration201',
      timestamp: '2023-11-14 00:03:21',
      bonding_curve: 'curve',
    },
    ...{ mint: 'FourthMint1111111111111111111111111111pump', pool_amm: POOL },
  },
}

/** What a running server answers and tells, by the names of the documents. */
export async function runningExamples(): Promise<Map<string, unknown>> {
  const told: { readonly n: number; readonly body: string }[] = []
  const service = await EngineServer.start(
    EPOCH,
    undefined,
    {},
    {
      liveHead: () => told.length,
      liveSince: () => [],
      livePage: () => ({ first: 1, alerts: told }),
    },
  )
  const found = new Map<string, unknown>()
  try {
    service.feed([{ type: 'sol_price', timestamp: START_SECOND, usd: 150 }])
    service.feed([birth(MINT, 100), trade(1), birth(OTHER, 120), migration(OTHER, 130)])
    await addAnswers(service, found)
    await addMessages(service, found)
    await addNumbered(service, found)
    told.push({ n: 1, body: JSON.stringify(ALERT) })
    found.set('toldAlerts', await service.json('/api/v2/alerts?after=0'))
  } finally {
    await service.server.stop()
  }
  return found
}

async function addAnswers(service: EngineServer, found: Map<string, unknown>): Promise<void> {
  const span = `from=${START_SECOND}&to=${START_SECOND + 3_600}`
  const token = `/api/v2/search/tokens/${MINT}`
  const paths = {
    search: '/api/v2/search/tokens/detailed?query=sym',
    marketData: `${token}/market-data`,
    swaps: `${token}/swaps`,
    tokenTraders: `/api/v2/search/traders/tokens/${MINT}`,
    walletTokens: `/api/v2/search/traders/${WALLET}/tokens`,
    chart: `/api/v2/meme/chart/ohlcv?mint=${MINT}&${span}&resolution=1`,
    trending: '/api/v2/trending?window=5m&by=volume',
    tokenDetail: `/api/v2/tokens/${MINT}`,
    holders: `/api/v2/tokens/${MINT}/holders`,
    holderHistory: `/api/v2/tokens/${MINT}/holders/history?resolution=1`,
    firstBuyers: `/api/v2/tokens/${MINT}/first-buyers`,
    prices: `/api/v2/prices?mints=${MINT},${OTHER}`,
    priceAt: `/api/v2/prices/${MINT}?at=${START_SECOND + 60}`,
    wallet: `/api/v2/wallets/${WALLET}`,
    creator: `/api/v2/creators/${CREATOR}`,
    walletsTop: '/api/v2/wallets/top?limit=1',
    walletTags: '/api/v2/wallets/tags',
    udfConfig: '/udf/config',
    udfSymbols: `/udf/symbols?symbol=${MINT}`,
    udfSearch: '/udf/search?query=sym',
    udfQuotes: `/udf/quotes?symbols=${MINT},${WALLET}`,
    udfHistory: `/udf/history?symbol=${MINT}&${span}&resolution=1`,
    refusal: `${token}/swaps?page=0`,
  }
  for (const [name, path] of Object.entries(paths)) found.set(name, await service.json(path))
  found.set('tables', await post(service))
}

function post(service: EngineServer, body = '{}'): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-socket-id': ID }
  return service.json('/api/v2/meme', { method: 'POST', headers, body })
}

/** What a running server answers where additive keys are asked for, by the names of the documents. */
export async function answersWithExtra(): Promise<Map<string, unknown>> {
  const service = await EngineServer.start(EPOCH)
  const found = new Map<string, unknown>()
  try {
    service.feed([{ type: 'sol_price', timestamp: START_SECOND, usd: 150 }])
    service.feed([birth(MINT, 100), trade(1)])
    // A holder who never traded.
    service.feed([balance({ mint: MINT, wallet: 'handed', slot: 112, balanceRaw: 5n })])
    const paths = {
      search: '/api/v2/search/tokens/detailed?query=sym&',
      marketData: `/api/v2/search/tokens/${MINT}/market-data?`,
      swaps: `/api/v2/search/tokens/${MINT}/swaps?`,
      tokenTraders: `/api/v2/search/traders/tokens/${MINT}?`,
      walletTokens: `/api/v2/search/traders/${WALLET}/tokens?`,
      holders: `/api/v2/tokens/${MINT}/holders?`,
      firstBuyers: `/api/v2/tokens/${MINT}/first-buyers?`,
    }
    for (const [name, path] of Object.entries(paths))
      found.set(name, await service.json(`${path}extra=1`))
    found.set('tables', await post(service, '{"extra":true}'))
  } finally {
    await service.server.stop()
  }
  return found
}

/** The channels as the specification has them, and what every connection sees. */
async function addMessages(service: EngineServer, found: Map<string, unknown>): Promise<void> {
  const client = await LiveClient.open(`${service.server.wsUrl}?id=${ID}`)
  for (const event of ['mint_migration', 'new_launched_pool', 'update_pools_info'])
    found.set('subscribed', await client.ask(asked(found, event, {})))
  await client.ask(asked(found, 'update_mint_info', { mint: MINT }))
  service.feed([trade(2)])
  found.set('update_pools_info', await client.next())
  found.set('update_mint_info', await client.next())
  service.feed([birth('ThirdMint111111111111111111111111111111pump', 140)])
  found.set('new_launched_pool', await client.next())
  service.feed([migration(MINT, 150)])
  found.set('mint_migration', await client.next())
  found.set('pong', { type: 'pong' })
  found.set('ping', await client.ask({ type: 'ping' }).then(() => ({ type: 'ping' })))
  const leave = { event: 'mint_migration', data: { action: 'unsubscribe', id: ID } }
  found.set('unsubscribed', await client.ask(leave))
  client.close()
}

const STATES: readonly string[] = ['meme_tables', 'candles', 'trending']

/** Options, snapshots and the channels beyond the specification's. */
async function addNumbered(service: EngineServer, found: Map<string, unknown>): Promise<void> {
  const follow = async (event: string, data: object) => {
    const client = await LiveClient.open(`${service.server.wsUrl}?id=${ID}`)
    found.set('subscribed', await client.ask(asked(found, event, data)))
    found.set(`${event}_snapshot`, await client.next())
    return client
  }
  const subjects = {
    mint_migration: {},
    new_launched_pool: {},
    update_mint_info: { mint: MINT },
    update_pools_info: {},
    wallet_trades: { wallet: WALLET },
    all_trades: {},
    alerts: {},
  }
  const clients = new Map<string, LiveClient>()
  for (const [event, subject] of Object.entries(subjects))
    clients.set(event, await follow(event, { ...subject, snapshot: true }))
  clients.set('meme_tables', await follow('meme_tables', { filter: { type: 'new' } }))
  clients.set('trending', await follow('trending', { window: '1h', by: 'trades', limit: 2 }))
  clients.set('candles', await follow('candles', { mint: MINT, resolution: '1', countback: 5 }))
  service.feed([
    trade(60),
    birth('FourthMint1111111111111111111111111111pump', 200),
    migration('FourthMint1111111111111111111111111111pump', 201),
  ])
  service.wired.live.alerted(JSON.stringify(ALERT), 1)
  for (const [event, client] of clients) {
    const frame = await client.next()
    if (STATES.includes(event)) found.set(`${event}_delta`, frame)
    else if (['wallet_trades', 'all_trades', 'alerts'].includes(event)) found.set(event, frame)
    else found.set(`${event}_numbered`, frame)
  }
  const last = clients.get('update_mint_info')
  const resumed = { mint: MINT, from_seq: 900, epoch: EPOCH }
  found.set('resync', await last?.ask(asked(found, 'update_mint_info', resumed)))
  found.set('error', await last?.ask({ event: 'nope' }))
  for (const client of clients.values()) client.close()
}

/** A request, kept as the example of its kind. */
function asked(found: Map<string, unknown>, event: string, data: object): object {
  const message = { event, data: { action: 'subscribe', id: ID, ...data } }
  found.set(`${event}_request`, message)
  return message
}

/** The file of the examples: a name and its JSON text a line. */
export function examplesFile(found: ReadonlyMap<string, unknown>): string {
  const lines = [...found]
    .filter(([, example]) => isRecord(example) || Array.isArray(example))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, example]) => `${name} ${rawText(JSON.stringify(example))}\n`)
  return (
    '/** Made by test/documents/make-examples.ts from a running server: a name and its JSON text a line. */\n' +
    `const EXAMPLES = String.raw\`\n${lines.join('')}\`\n\n` +
    '/** The example of an endpoint or a message; undefined when it has none. */\n' +
    'export function exampleOf(name: string): unknown {\n' +
    "  const line = EXAMPLES.split('\\n').find((one) => one.split(' ', 1)[0] === name)\n" +
    '  return line === undefined ? undefined : JSON.parse(line.slice(name.length))\n' +
    '}\n'
  )
}

/** As JSON text that stands in a template as it is. */
function rawText(json: string): string {
  return json.replaceAll('`', '\\u0060').replaceAll('$', '\\u0024')
}
