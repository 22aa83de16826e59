import type { Feed } from '../events/event-sink.ts'
import type { Log } from '../server/http/exchange.ts'
import type { IntakeLog } from './intake-log.ts'

/** The feeds that run, of a program or of a term of a sequencer: each is started once. */
export class RunningFeeds {
  readonly #running = new Set<Feed>()
  readonly #log: Log
  readonly #intakeLog: IntakeLog
  readonly #onFailed: (feed: Feed, error: unknown) => void
  #takesNoMore = false

  constructor(log: Log, intakeLog: IntakeLog, onFailed: (feed: Feed, error: unknown) => void) {
    this.#log = log
    this.#intakeLog = intakeLog
    this.#onFailed = onFailed
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
      this.#onFailed(feed, error)
    }
    this.#running.delete(feed)
  }
}
