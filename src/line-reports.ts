import { LineReport, type ReportLine } from './feeds/lines/line-report.ts'
import { REAL_TIMERS } from './feeds/timers.ts'
import type { Log } from './server/options.ts'

/** Tells the log of skipped lines, each feed's by its name: of several only that says whose line it was. */
export class LineReports {
  readonly #log: Log
  readonly #reports: LineReport[] = []

  constructor(log: Log) {
    this.#log = log
  }

  of(feed: string): ReportLine {
    const log = this.#log
    const report = new LineReport(
      (line, reason) => log.warn({ feed, line, reason }, 'line skipped'),
      ({ count, lastLine: line, lastReason: reason }) =>
        log.warn({ feed, lines: count, line, reason }, 'more lines skipped, the last one is told'),
      REAL_TIMERS,
    )
    this.#reports.push(report)
    return report.report
  }

  /** Tells what was held back of all of them. */
  sumUp(): void {
    for (const report of this.#reports) report.sumUp()
  }
}
