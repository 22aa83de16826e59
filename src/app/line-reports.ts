import type { ReportLine } from '../feeds/lines/line-report.ts'
import { RefusalReport } from '../feeds/refusal-report.ts'
import { REAL_TIMERS } from '../feeds/timers.ts'
import type { Log } from '../server/http/options.ts'

const FIRST = 'line skipped: it cannot be read; docs/events.md says what a line may be'
const MORE = 'more lines skipped, the last one is told'

interface Line {
  readonly line: number
  readonly reason: string
}

/** Tells the log of skipped lines, each feed's by its name: the first at once, of others how many and the last. */
export class LineReports {
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
