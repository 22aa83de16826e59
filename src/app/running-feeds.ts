import type { Feed } from '../events/event-sink.ts'
import type { Log } from '../server/http/exchange.ts'
import type { IntakeLog } from './intake-log.ts'

/** The feeds that run: each is started once, and what it fails of is told. */
export class RunningFeeds {
  readonly #running = new Set<Feed>()
  readonly #log: Log
  readonly #intakeLog: IntakeLog
  #takesNoMore = false
  #failure: string | null = null

  constructor(log: Log, intakeLog: IntakeLog) {
    this.#log = log
    this.#intakeLog = intakeLog
  }

  /** Why the first one that failed did; null: none has. */
  get failure(): string | null {
    return this.#failure
  }

  /** Were they told to stop? None is started any more. */
  get takesNoMore(): boolean {
    return this.#takesNoMore
  }

  get isReplaying(): boolean {
    return [...this.#running].some((feed) => feed.name.startsWith('replay:'))
  }

  /** Why one of them brings nothing of the present yet; null: all do. */
  get notLive(): string | null {
    for (const feed of this.#running) {
      const reason = feed.notLive?.() ?? null
      if (reason !== null) return reason
    }
    return null
  }

  /** Side feeds end with the program: it ends when the others have. */
  async run(main: readonly Feed[], side: readonly Feed[]): Promise<void> {
    if (this.#takesNoMore) return
    for (const feed of [...main, ...side]) this.#running.add(feed)
    for (const feed of side) void this.#run(feed)
    await Promise.all(main.map((feed) => this.#run(feed)))
  }

  stop(): void {
    this.#takesNoMore = true
    for (const feed of this.#running) feed.stop()
  }

  figures(): Readonly<Record<string, number>> {
    const all = [...this.#running].flatMap((feed) => Object.entries(feed.figures?.() ?? {}))
    return Object.fromEntries(all)
  }

  async #run(feed: Feed): Promise<void> {
    this.#log.info({ feed: feed.name }, 'feed started')
    const share = this.#intakeLog.shareOf(feed)
    try {
      await feed.start(share)
      this.#intakeLog.ended(feed, share, this.#takesNoMore)
    } catch (error) {
      this.#failure ??= `The feed ${feed.name} has failed (${String(error)}).`
      const stack = error instanceof Error ? error.stack : undefined
      this.#log.error({ feed: feed.name, reason: String(error), stack }, 'feed failed')
    }
    this.#running.delete(feed)
  }
}
