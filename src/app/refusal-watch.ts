import { RefusalReport } from '../feeds/refusal-report.ts'
import { REAL_TIMERS, type Timers } from '../feeds/timers.ts'
import type { Log } from '../server/http/options.ts'
import { REFUSAL_KINDS } from './refusal-kinds.ts'

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
