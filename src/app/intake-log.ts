import type { Feed } from '../events/event-sink.ts'
import type { ReportLine } from '../feeds/lines/line-splitter.ts'
import { RefusalReport } from '../feeds/refusal-report.ts'
import { REAL_TIMERS } from '../feeds/timers.ts'
import type { Log } from '../server/http/options.ts'
import { FeedShare, type Foreign, SlotlessShare } from './feeds/feed-share.ts'
import { RefusalWatch } from './refusal-watch.ts'
import type { Service } from './service.ts'

const FOREIGN: Readonly<Record<Foreign, string>> = {
  late:
    'Nearly all swaps of this feed are refused as late: DATA_DIR holds newer events, of another ' +
    'market or another feed; take another DATA_DIR for this feed.',
  slotless:
    'The swaps of this feed have no slots, and nearly all of them are of tokens that DATA_DIR did not hold, or older ' +
    'than what it holds: if they are of another market, the two are mixed now; begin again with another DATA_DIR, ' +
    'and from a copy of this one.',
}
const PRICED = 'A price of SOL is known now.'
const FIRST = 'line skipped: it cannot be read; docs/feeds.md says what a line may be'
const MORE = 'more lines skipped, the last one is told'

/** Tells the log what becomes of events: lines and events that are refused, markets that are mixed, a price that is missing. */
export class IntakeLog {
  readonly #log: Log
  readonly #service: Service
  readonly #figures: () => Readonly<Record<string, number>>
  readonly #lines: LineReports
  /** null: it has not begun. */
  #refusals: RefusalWatch | null = null
  /** The one that was told last; null: none. */
  #notice: string | null = null

  /** @param figures counters of what feeds told and of what became of it */
  constructor(log: Log, service: Service, figures: () => Readonly<Record<string, number>>) {
    this.#log = log
    this.#service = service
    this.#figures = figures
    this.#lines = new LineReports(log)
  }

  /** To be called before the first feed: what was counted before is not told again. */
  begin(): void {
    this.#refusals = new RefusalWatch(this.#log, this.#figures())
  }

  /** Where a feed tells of lines that it has to skip. */
  line(feed: string): ReportLine {
    return this.#lines.of(feed)
  }

  /** Tells what is new since the last look; to be called once a second. */
  look(): void {
    if (this.#refusals === null) return
    this.#refusals.look(this.#figures())
    const { notice } = this.#service
    if (notice === this.#notice) return
    this.#notice = notice
    if (notice === null) this.#log.info({}, PRICED)
    else this.#log.warn({}, notice)
  }

  /** A feed's way to the engine. */
  shareOf(feed: Feed): FeedShare {
    const onForeign = (foreign: Foreign) => this.#log.warn({ feed: feed.name }, FOREIGN[foreign])
    const { counts } = this.#service.engine
    return new FeedShare(this.#service, counts, onForeign, this.#slotlessOf(feed))
  }

  /** A feed has ended, by itself or since it was stopped. */
  ended({ name: feed }: Feed, share: FeedShare, isStopped: boolean): void {
    share.ended()
    this.look()
    this.#log.info({ feed, ...share.counts }, 'feed ended')
    if (share.received > 0 || isStopped) return
    const lines = this.#lines.count(feed)
    // A wrong file would look like an empty market else.
    const why =
      lines > 0
        ? `${lines} lines came and none can be read. docs/feeds.md says what a line may be and what is recorded.`
        : 'it is empty, or all of its lines carry nothing. See whether it is the right one.'
    this.#log.warn({ feed }, `This feed has ended without an event: ${why}`)
  }

  /** Tells what was held back; nothing more comes. */
  sumUp(): void {
    this.look()
    this.#lines.sumUp()
    this.#refusals?.sumUp()
  }

  /** What judges the events of a feed of which nobody knows the market; null: nothing has to. */
  #slotlessOf({ name }: Feed): SlotlessShare | null {
    const { engine } = this.#service
    if (engine.seq === 0 || !(name === 'stdin' || name.startsWith('replay:'))) return null
    const { book } = engine.state
    const { tokens } = book.counts
    const hasToken = (mint: string) => {
      const token = book.findToken(mint)
      return token >= 0 && token < tokens
    }
    return new SlotlessShare({ hasToken, newestSeconds: engine.newestEventSeconds })
  }
}

interface Line {
  readonly line: number
  readonly reason: string
}

/** Tells the log of skipped lines, each feed's by its name: the first at once, of others how many and the last. */
class LineReports {
  readonly #log: Log
  readonly #reports: RefusalReport<Line>[] = []
  readonly #counts = new Map<string, number>()

  constructor(log: Log) {
    this.#log = log
  }

  of(feed: string): ReportLine {
    const log = this.#log
    let isFirst = true
    const report = new RefusalReport<Line>((lines, last) => {
      if (isFirst) log.warn({ feed, ...last }, FIRST)
      else log.warn({ feed, lines, ...last }, MORE)
      isFirst = false
    }, REAL_TIMERS)
    this.#reports.push(report)
    return (line, reason) => {
      this.#counts.set(feed, this.count(feed) + 1)
      report.note({ line, reason })
    }
  }

  /** Lines of a feed that were skipped so far. */
  count(feed: string): number {
    return this.#counts.get(feed) ?? 0
  }

  /** Tells what was held back of all of them. */
  sumUp(): void {
    for (const report of this.#reports) report.sumUp()
  }
}
