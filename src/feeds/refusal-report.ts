import type { Timers } from './timers.ts'

/** After a report of a kind, what comes of it is gathered for so long. */
const QUIET_MS = 60_000

/**
 * Tells of one kind of refusal at a bounded rate, so that a wrong file or clock does not flood a log: the first
 * at once, then what came since, at most once a minute, however long it goes on.
 */
export class RefusalReport<Detail> {
  readonly #report: (count: number, last: Detail) => void
  readonly #timers: Timers
  /** Refusals not reported yet; null: the next one is reported at once. */
  #gathered: { count: number; last: Detail | null } | null = null
  #cancelQuiet = () => {}

  /** @param report takes how many were refused since the last report, and the last one's detail */
  constructor(report: (count: number, last: Detail) => void, timers: Timers) {
    this.#report = report
    this.#timers = timers
  }

  /** Notes that so many were refused; `detail` says what of the last one. */
  note(detail: Detail, count = 1): void {
    if (this.#gathered !== null) {
      this.#gathered.count += count
      this.#gathered.last = detail
      return
    }
    this.#report(count, detail)
    this.#beQuiet()
  }

  /** Tells what was gathered now; to be called when nothing more comes. */
  sumUp(): void {
    const gathered = this.#gathered
    this.#cancelQuiet()
    this.#gathered = null
    if (gathered !== null && gathered.last !== null) this.#report(gathered.count, gathered.last)
  }

  #beQuiet(): void {
    this.#gathered = { count: 0, last: null }
    this.#cancelQuiet = this.#timers.after(QUIET_MS, () => {
      const wasAny = (this.#gathered?.count ?? 0) > 0
      this.sumUp()
      if (wasAny) this.#beQuiet()
    })
  }
}
