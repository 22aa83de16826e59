import type { RunningServer, ServerOptions } from '../../src/server/options.ts'
import { startServer } from '../../src/server/server.ts'
import type { Answers, LiveSource } from '../../src/wire/answers.ts'

/** A call that reached the Answers port. */
export interface Call {
  readonly method: string
  readonly args: readonly unknown[]
}

export class FakeLive implements LiveSource {
  wanted: (mint: string) => boolean = () => false
  #trade: (mint: string, message: string) => void = () => {}
  #migration: (message: string) => void = () => {}
  wantsLaunches: () => boolean = () => false
  #launch: (message: string) => void = () => {}

  onTrade(wanted: (mint: string) => boolean, publish: (mint: string, message: string) => void) {
    this.wanted = wanted
    this.#trade = publish
  }

  onMigration(publish: (message: string) => void) {
    this.#migration = publish
  }

  onLaunch(wanted: () => boolean, publish: (message: string) => void) {
    this.wantsLaunches = wanted
    this.#launch = publish
  }

  launch(data: unknown): void {
    if (this.wantsLaunches())
      this.#launch(JSON.stringify({ channel: 'new_launched_pool', pool: 'p', data }))
  }

  /** As the engine does it: nothing is encoded for a mint that nobody follows. */
  trade(mint: string, data: unknown): void {
    if (!this.wanted(mint)) return
    this.#trade(mint, JSON.stringify({ channel: 'update_mint_info', pool: 'p', data }))
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

export function fakeAnswers(calls: Call[], body: () => string): Answers {
  const answer =
    (method: string) =>
    (...args: readonly unknown[]) => {
      calls.push({ method, args })
      return body()
    }
  return {
    search: answer('search'),
    marketData: answer('marketData'),
    swaps: answer('swaps'),
    tokenTraders: answer('tokenTraders'),
    walletTokens: answer('walletTokens'),
    chart: answer('chart'),
    tables: answer('tables'),
  }
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
