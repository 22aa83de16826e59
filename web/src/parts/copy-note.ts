import { type ReadonlySignal, signal } from '@preact/signals'
import { copyText } from './clipboard.ts'

/** How long "copied" is shown, in ms. */
const SHOWN_MS = 1_500

/** Copies texts one after the other, and says of the last one for a moment what came of it. */
export class CopyNote {
  readonly #told = signal({ text: '', note: '' })
  #timer = 0

  /** The text that was copied last, and what came of it; both empty when nothing is to be told. */
  get told(): ReadonlySignal<{ readonly text: string; readonly note: string }> {
    return this.#told
  }

  async copy(text: string): Promise<void> {
    const note = (await copyText(text)) ? 'copied' : 'not allowed here'
    this.#told.value = { text, note }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#told.value = { text: '', note: '' }
    }, SHOWN_MS)
  }
}
