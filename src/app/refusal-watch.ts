import { AHEAD_OF_WALL_SECONDS_MAX } from '../events/event.ts'
import { RefusalReport } from '../feeds/refusal-report.ts'
import { REAL_TIMERS, type Timers } from '../feeds/timers.ts'
import type { Log } from '../server/http/options.ts'

/**
 * What is refused or left out of what feeds tell, by how the name of its figure ends, and what a person can do.
 * Not here: what is told twice (duplicates, second creations), what is no part of the market (failed transactions,
 * pools and platforms that are not followed), and what has a log line of its own (lines, new forms of events).
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

type Figures = Readonly<Record<string, number>>

/**
 * Tells the log of what is refused: looks at the counters of all kinds (`REFUSAL_KINDS`), of whatever feed, and warns
 * of each that has grown, at once and then at most once a minute with how many came since.
 */
export class RefusalWatch {
  readonly #log: Pick<Log, 'warn'>
  readonly #timers: Timers
  /** Of each figure that counts refusals, what it was at the last look. */
  readonly #counts = new Map<string, number>()
  readonly #reports = new Map<string, RefusalReport<string>>()

  /** @param before counters of before this run, as they were recovered: of those nothing is told */
  constructor(log: Pick<Log, 'warn'>, before: Figures, timers: Timers = REAL_TIMERS) {
    this.#log = log
    this.#timers = timers
    for (const [figure, count] of Object.entries(before)) this.#counts.set(figure, count)
  }

  look(figures: Figures): void {
    for (const [figure, count] of Object.entries(figures)) {
      const sentence = sentenceOf(figure)
      if (sentence === null) continue
      const more = count - (this.#counts.get(figure) ?? 0)
      this.#counts.set(figure, count)
      if (more > 0) this.#reportOf(figure).note(sentence, more)
    }
  }

  /** Tells what was held back; nothing more comes. */
  sumUp(): void {
    for (const report of this.#reports.values()) report.sumUp()
  }

  #reportOf(figure: string): RefusalReport<string> {
    const known = this.#reports.get(figure)
    if (known !== undefined) return known
    const tell = (count: number, sentence: string) => this.#log.warn({ figure, count }, sentence)
    const report = new RefusalReport(tell, this.#timers)
    this.#reports.set(figure, report)
    return report
  }
}

/** Figures of feeds have the name of their feed before them. */
function sentenceOf(figure: string): string | null {
  for (const [ending, sentence] of Object.entries(REFUSAL_KINDS))
    if (figure === ending || figure.endsWith(`_${ending}`)) return sentence
  return null
}
