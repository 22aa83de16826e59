import { AHEAD_OF_WALL_SECONDS_MAX, type FeedEvent } from '../events/event.ts'
import type { Feed } from '../events/event-sink.ts'
import { RefusalReport } from '../feeds/refusal-report.ts'
import { REAL_TIMERS, type Timers } from '../feeds/timers.ts'
import type { Log } from '../server/http/exchange.ts'
import { FeedShare, type Service } from './service.ts'

/** What shows that a feed is of another market than its folder. */
const FOREIGN: Readonly<Record<'late' | 'slotless', string>> = {
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

/** Logs what becomes of events: refused lines and events, mixed markets, a missing price. */
export class IntakeLog {
  readonly #log: Log
  /** The one that takes events now. */
  #service: Service
  readonly #figures: () => Readonly<Record<string, number>>
  /** Of the feeds that have not ended. */
  readonly #shares = new Set<FeedShare>()
  readonly #lines: LineReports
  /** Null before the first feed. */
  #refusals: RefusalWatch | null = null
  /** The one that was logged last; null: none. */
  #notice: string | null = null

  /** @param figures counters of feeds and of the intake */
  constructor(log: Log, service: Service, figures: () => Readonly<Record<string, number>>) {
    this.#log = log
    this.#service = service
    this.#figures = figures
    this.#lines = new LineReports(log)
  }

  /** To be called before the first feed: what was counted before is not logged again. */
  begin(): void {
    this.#refusals = new RefusalWatch(this.#log, this.#figures())
  }

  /** Another service takes events from now on. */
  use(service: Service): void {
    this.#service = service
    for (const share of this.#shares) share.use(service)
    this.begin()
  }

  /** Where a feed reports skipped lines. */
  line(feed: string): (line: number, reason: string) => void {
    return this.#lines.of(feed)
  }

  /** Logs what is new since the last look; to be called once a second. */
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
    const onForeign = (foreign: keyof typeof FOREIGN) =>
      this.#log.warn({ feed: feed.name }, FOREIGN[foreign])
    const share = new FeedShare(this.#service, onForeign, this.#slotlessOf(feed))
    this.#shares.add(share)
    return share
  }

  /** A feed has ended, by itself or since it was stopped. */
  ended({ name: feed }: Feed, share: FeedShare, isStopped: boolean): void {
    share.ended()
    this.#shares.delete(share)
    this.look()
    this.#log.info({ feed, ...share.counts }, 'feed ended')
    if (share.received > 0 || isStopped) return
    const lines = this.#lines.count(feed)
    // Without this a wrong file would look like an empty market.
    const why =
      lines > 0
        ? `${lines} lines came and none can be read. docs/feeds.md says what a line may be and what is recorded.`
        : 'it is empty, or all of its lines carry nothing. See whether it is the right one.'
    this.#log.warn({ feed }, `This feed has ended without an event: ${why}`)
  }

  /** Logs what was held back; nothing more comes. */
  sumUp(): void {
    this.look()
    this.#lines.sumUp()
    this.#refusals?.sumUp()
  }

  /** Watches for swaps of another market in a feed whose market is unknown; null: no need. */
  #slotlessOf({ name }: Feed): SlotlessShare | null {
    const { engine } = this.#service
    if (engine.seq === 0 || !(name === 'stdin' || name.startsWith('replay:'))) return null
    const { book } = engine.state
    const { tokens } = book.counts
    const hasToken = (mint: string) => {
      const token = book.findToken(mint)
      return token >= 0 && token < tokens
    }
    return new SlotlessShare(hasToken, engine.newestEventSeconds)
  }
}

/** Swaps that are judged. */
const JUDGED_SLOTLESS_SWAPS = 100
/** So many of the judged ones are nearly all. */
const NEARLY_ALL = 0.9
/** What is older by more than this is not what goes on where the folder ends. */
const OLDER_SECONDS = 60

/**
 * Judges whether a recording is of another market than the folder it goes into. By slots the engine sees that: what lies
 * far behind is refused as late. Events without slots go behind the newest one, whatever they are of, for good.
 */
export class SlotlessShare {
  readonly #hasToken: (mint: string) => boolean
  readonly #newestSeconds: number
  #swaps = 0
  #slotless = 0
  /** Of tokens that the folder had not. */
  #fresh = 0
  #older = 0

  /** What the folder held before the feed began: its tokens, and its newest event in unix seconds. */
  constructor(hasToken: (mint: string) => boolean, newestSeconds: number) {
    this.#hasToken = hasToken
    this.#newestSeconds = newestSeconds
  }

  /** Looks at events before they are taken. */
  look(batch: readonly FeedEvent[]): void {
    for (const event of batch) {
      if (this.#swaps >= JUDGED_SLOTLESS_SWAPS) return
      if (event.type !== 'swap') continue
      this.#swaps += 1
      if (event.slot === null) this.#slotless += 1
      if (!this.#hasToken(event.mint)) this.#fresh += 1
      if (event.timestamp + OLDER_SECONDS < this.#newestSeconds) this.#older += 1
    }
  }

  /** Are there as many swaps as are judged? */
  get isFull(): boolean {
    return this.#swaps >= JUDGED_SLOTLESS_SWAPS
  }

  /** Nearly none has a slot, and nearly all are of other tokens or another time. */
  get isForeign(): boolean {
    const nearlyAll = this.#swaps * NEARLY_ALL
    if (this.#swaps === 0 || this.#slotless < nearlyAll) return false
    return this.#fresh >= nearlyAll || this.#older >= nearlyAll
  }
}

interface Line {
  readonly line: number
  readonly reason: string
}

/** Logs skipped lines by feed: the first at once, later ones as a count and the last of them. */
class LineReports {
  readonly #log: Log
  readonly #reports: RefusalReport<Line>[] = []
  readonly #counts = new Map<string, number>()

  constructor(log: Log) {
    this.#log = log
  }

  of(feed: string): (line: number, reason: string) => void {
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

  /** Logs what was held back of all feeds. */
  sumUp(): void {
    for (const report of this.#reports) report.sumUp()
  }
}

/**
 * What is refused or left out of feeds, by the ending of its figure's name, with what a person can do. Not here:
 * repeats (duplicates, second creations), what does not belong to the market (failed transactions, pools and platforms
 * that are not followed), and what has a log line of its own (lines, new forms of events).
 */
export const REFUSAL_KINDS: Readonly<Record<string, string>> = {
  late_refused_total:
    'Swaps are refused as late: they lie more than LATE_SLOTS slots behind the newest event that is held. See that the ' +
    'feed tells in order, or raise LATE_SLOTS; a data folder holds one market.',
  ahead_refused_total:
    `Events are refused: their times lie more than ${AHEAD_OF_WALL_SECONDS_MAX} s ahead of the clock of this machine. ` +
    'Set the clock (NTP); where the events were recorded or made up, start with CLOCK=event.',
  token_limit_refused_events_total:
    'New tokens are refused, with all of their events: MAX_TOKENS are held. Raise it, with memory for them, and start anew.',
  balances_beyond_supply_total:
    'Balances are not taken: they are above the supply of their token. See whether the feed tells decimals or a supply wrong.',
  unusable_events_total:
    'Events of the chain are left out: they end before the fields that are needed, or have values that cannot be. ' +
    'See whether the recording is whole; if it is, look for a newer version.',
  unknown_pools_total:
    'Swaps are left out: nothing has told the mint of their pool. Take a recording that begins before the pool was ' +
    'opened, or one of FEED=yellowstone.',
  truncated_logs_total:
    'Transactions are read in part: the validator has cut their logs. Record with FEED=yellowstone or SOLANA_BLOCKS=all ' +
    'to have them whole.',
  bogus_frames_total:
    'Frames of PumpPortal are left out: they are about another coin than they say. Another feed of the chain has these trades.',
  unusable_frames_total:
    'Frames of PumpPortal are left out: they have no known form. See whether the recording is one of PumpPortal, or look ' +
    'for a newer version.',
}

/**
 * Logs refusals: looks at the counters of all kinds (`REFUSAL_KINDS`) and all feeds, and warns of each that has grown,
 * at once and then at most once a minute with how many came since.
 */
export class RefusalWatch {
  readonly #log: Pick<Log, 'warn'>
  readonly #timers: Timers
  /** Figures that count refusals, at the last look. */
  readonly #counts = new Map<string, number>()
  readonly #reports = new Map<string, RefusalReport<string>>()

  /** @param before recovered counters, from before this run: they are not logged */
  constructor(
    log: Pick<Log, 'warn'>,
    before: Readonly<Record<string, number>>,
    timers: Timers = REAL_TIMERS,
  ) {
    this.#log = log
    this.#timers = timers
    for (const [figure, count] of Object.entries(before)) this.#counts.set(figure, count)
  }

  look(figures: Readonly<Record<string, number>>): void {
    for (const [figure, count] of Object.entries(figures)) {
      const sentence = sentenceOf(figure)
      if (sentence === null) continue
      const more = count - (this.#counts.get(figure) ?? 0)
      this.#counts.set(figure, count)
      if (more > 0) this.#reportOf(figure).note(sentence, more)
    }
  }

  /** Logs what was held back; nothing more comes. */
  sumUp(): void {
    for (const report of this.#reports.values()) report.sumUp()
  }

  #reportOf(figure: string): RefusalReport<string> {
    const known = this.#reports.get(figure)
    if (known !== undefined) return known
    const warn = (count: number, sentence: string) => this.#log.warn({ figure, count }, sentence)
    const report = new RefusalReport(warn, this.#timers)
    this.#reports.set(figure, report)
    return report
  }
}

/** Figures of feeds begin with the name of their feed. */
function sentenceOf(figure: string): string | null {
  for (const [ending, sentence] of Object.entries(REFUSAL_KINDS))
    if (figure === ending || figure.endsWith(`_${ending}`)) return sentence
  return null
}
