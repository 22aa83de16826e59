import type { Timers } from '../timers.ts'

/** Notices when nothing is heard of a stream any more: behind each slot the next one follows. */
export class SilenceWatch {
  readonly #timers: Timers
  readonly #silenceMs: number
  readonly #onSilence: () => void
  #cancel = () => {}
  isSilent = false

  constructor(timers: Timers, silenceMs: number, onSilence: () => void) {
    this.#timers = timers
    this.#silenceMs = silenceMs
    this.#onSilence = onSilence
    this.heard()
  }

  heard(): void {
    this.stop()
    this.#cancel = this.#timers.after(this.#silenceMs, () => {
      this.isSilent = true
      this.#onSilence()
    })
  }

  stop(): void {
    this.#cancel()
  }
}
