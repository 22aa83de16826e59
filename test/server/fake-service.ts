import { Budget } from '../../src/base/budget.ts'
import type { LiveSource, Queries, TokenReads } from '../../src/protocol/queries.ts'
import type { LiveStreams, StreamSource, TradeInfo } from '../../src/protocol/streams.ts'
import type { RunningServer, ServerOptions } from '../../src/server/http/options.ts'
import { startServer } from '../../src/server/server.ts'

/** A call that reached the Queries port. */
export interface Call {
  readonly method: string
  readonly args: readonly unknown[]
}

type Wanted = Parameters<LiveSource['onTrade']>[0]
type Publish = Parameters<LiveSource['onTrade']>[1]

/** A trade without a number: the fake has no streams. */
const TOLD: TradeInfo = {
  seq: 1,
  ordinal: 0,
  timestamp: 0,
  wallet: 'w',
  walletSeq: 1,
  tradeSeq: 1,
  extras: '',
}

export class FakeLive implements LiveSource {
  #wanted: Wanted = () => false
  #trade: Publish = () => {}
  #migration: (message: string) => void = () => {}
  wantsLaunches: () => boolean = () => false
  #launch: (message: string) => void = () => {}

  onTrade(wanted: Wanted, publish: Publish) {
    this.#wanted = wanted
    this.#trade = publish
  }

  wanted(mint: string): boolean {
    return this.#wanted(mint, TOLD)
  }

  onMigration(publish: (message: string) => void) {
    this.#migration = publish
  }

  onLaunch(wanted: () => boolean, publish: (message: string) => void) {
    this.wantsLaunches = wanted
    this.#launch = publish
  }

  onRepriced() {}

  launch(data: unknown): void {
    if (this.wantsLaunches())
      this.#launch(JSON.stringify({ channel: 'new_launched_pool', pool: 'p', data }))
  }

  /** As the engine does it: nothing is encoded for a mint that nobody follows. */
  trade(mint: string, data: unknown): void {
    if (!this.wanted(mint)) return
    this.#trade(mint, JSON.stringify({ channel: 'update_mint_info', pool: 'p', data }), TOLD)
  }

  migrate(data: unknown): void {
    this.#migration(JSON.stringify({ channel: 'mint_migration', data }))
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
    isTold: (text) => /^\P{Cc}{1,64}$/u.test(text) && text.trim() !== '',
    search: answer('search'),
    marketData: answer('marketData'),
    swaps: answer('swaps'),
    tokenTraders: answer('tokenTraders'),
    walletTokens: answer('walletTokens'),
    chart: answer('chart'),
    beginChart: (query) => ({ write: () => answer('chart')(query), isCurrent: () => true }),
    tables: answer('tables'),
    tableBytes: (query) => Buffer.from(answer('tables')(query)),
  }
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
    },
    isReady: () => isReady,
    epoch: () => 'e0',
    position: () => 0,
    now: () => 0,
    settledTime: () => 0,
    lateFolded: () => 0,
    poolsSnapshot: () => '{"type":"snapshot"}',
  }
}

export const fakeReads: TokenReads = {
  detail: () => null,
  holders: () => '{}',
  firstBuyers: () => '{}',
  swapsFrom: () => null,
  symbol: () => null,
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
