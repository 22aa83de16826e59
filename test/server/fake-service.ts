import { Budget } from '../../src/base/budget.ts'
import type {
  LiveSource,
  LiveStreams,
  Queries,
  StreamSource,
  TableAnswer,
  TokenReads,
  Trade,
} from '../../src/protocol/queries.ts'
import type { AnnouncedChannel, EventMessage } from '../../src/protocol/wire.ts'
import type { Caller } from '../../src/server/http/front.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/server.ts'

/** The caller of a route that a test calls itself. */
export const NO_CALLER: Caller = { request: { client: '', headers: new Map() }, hasEnded: false }

/** A call that reached the Queries port. */
export interface Call {
  readonly method: string
  readonly args: readonly unknown[]
}

/** A trade of a mint without a number: the fake has no streams. */
function tradeOf(mint: string, data: () => string): Trade {
  const numbers = { seq: 1, ordinal: 0, timestamp: 0, walletSeq: 1, tradeSeq: 1 }
  return { mint, pool: '"p"', wallet: 'w', data, ...numbers }
}

const READ = new Error('the text is read')

/** Whether something asks for the text of a message; it gets none. */
function isRead(publish: (data: () => never) => void): boolean {
  try {
    publish(() => {
      throw READ
    })
    return false
  } catch (error) {
    if (error !== READ) throw error
    return true
  }
}

export class FakeLive implements LiveSource {
  readonly #listeners: ((trade: Trade) => void)[] = []
  #announced: (channel: AnnouncedChannel, message: EventMessage) => void = () => {}

  onTrade(listener: (trade: Trade) => void) {
    this.#listeners.push(listener)
  }

  onAnnounced(listener: (channel: AnnouncedChannel, message: EventMessage) => void) {
    this.#announced = listener
  }

  onAlert() {}

  onRepriced() {}

  #trade(trade: Trade): void {
    for (const listener of this.#listeners) listener(trade)
  }

  /** Is a trade of the mint worth encoding? */
  wanted(mint: string): boolean {
    return isRead((data) => this.#trade(tradeOf(mint, data)))
  }

  wantsLaunches(): boolean {
    return isRead((data) =>
      this.#announced('new_launched_pool', { pool: '"p"', ordinal: null, data }),
    )
  }

  launch(data: unknown): void {
    const message = { pool: '"p"', ordinal: null, data: () => JSON.stringify(data) }
    this.#announced('new_launched_pool', message)
  }

  trade(mint: string, data: unknown): void {
    this.#trade(tradeOf(mint, () => JSON.stringify(data)))
  }

  migrate(data: unknown): void {
    const message = { pool: null, ordinal: null, data: () => JSON.stringify(data) }
    this.#announced('mint_migration', message)
  }
}

export interface FakeService {
  readonly server: RunningServer
  readonly calls: Call[]
  readonly live: FakeLive
  readonly logged: string[]
  nowMs: number
  starting: boolean
  notReady: string | null
  /** What the next answers are; a function may throw. */
  body: () => string
}

export function fakeAnswers(calls: Call[], body: () => string): Queries {
  const answer =
    (method: string) =>
    (...args: readonly unknown[]) => {
      calls.push({ method, args: args.filter((arg) => !(arg instanceof Budget)) })
      return body()
    }
  let version = 0
  return {
    // Never the same: the tests count calls.
    version: () => version++,
    // Whatever the line of a feed may call a mint or a wallet.
    isKnownAddress: (text) => /^\P{Cc}{1,64}$/u.test(text) && text.trim() !== '',
    search: answer('search'),
    marketData: answer('marketData'),
    swaps: answer('swaps'),
    tokenTraders: answer('tokenTraders'),
    walletTokens: answer('walletTokens'),
    chart: answer('chart'),
    beginChart: (query) => ({
      write: () => answer('chart')(query),
      column: () => [],
      isCurrent: () => true,
    }),
    tables: answer('tables'),
    tableAnswer: (query) => tableAnswer(answer('tables')(query)),
    trending: (query) => tableAnswer(answer('trending')(query)),
  }
}

/** A table of a test: any JSON, whose rows are those of its groups. */
function tableAnswer(json: string): TableAnswer {
  const mints = () => {
    const groups: Record<string, unknown> = JSON.parse(json)
    const rows = Object.values(groups).flatMap((group) => (Array.isArray(group) ? group : []))
    return new Set(rows.map((row: { mint: string }) => row.mint))
  }
  return { bytes: Buffer.from(json), mints, rows: () => new Map() }
}

const NOTHING: StreamSource = {
  head: () => 0,
  since: () => [],
  snapshot: () => '{"type":"snapshot"}',
}

/** Streams that all come from one source. */
export function fakeStreams(source: StreamSource, isReady: boolean): LiveStreams {
  return {
    sources: {
      update_mint_info: source,
      mint_migration: source,
      new_launched_pool: source,
      wallet_trades: source,
      all_trades: source,
      alerts: source,
    },
    isReady: () => isReady,
    epoch: () => 'e0',
    position: () => 0,
    now: () => 0,
    settledTime: () => 0,
    lateFolded: () => 0,
    poolsSnapshot: () => '{"type":"snapshot"}',
    alerts: () => '{}',
  }
}

export const fakeReads: TokenReads = {
  detail: () => null,
  holders: () => '{}',
  firstBuyers: () => '{}',
  swapsFrom: () => null,
  symbol: () => null,
  prices: () => '[]',
  priceAt: () => null,
  wallet: () => '{}',
  walletsTop: () => '{}',
  walletTags: () => '{}',
  creator: () => '{}',
  holderHistory: () => null,
  now: () => 0,
}

/** Starts a server on a free port before a fake engine. */
export async function startFake(changes: Partial<ServerOptions> = {}): Promise<FakeService> {
  const calls: Call[] = []
  const logged: string[] = []
  const live = new FakeLive()
  const log = (_: unknown, message: string) => void logged.push(message)
  const fake = {
    calls,
    live,
    logged,
    nowMs: 1_700_000_000_000,
    starting: false,
    notReady: null as string | null,
    body: () => '{"made":true}',
  }
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    answers: fakeAnswers(calls, () => fake.body()),
    live,
    streams: fakeStreams(NOTHING, false),
    reads: fakeReads,
    state: {
      isStarting: () => fake.starting,
      notReady: () => fake.notReady,
      figures: () => ({ tokens: 7 }),
    },
    clock: () => fake.nowMs,
    rateLimit: null,
    trustProxy: [],
    corsOrigin: '*',
    log: { info: log, warn: log, error: log },
    ...changes,
  })
  return Object.assign(fake, { server })
}
