import { isHistoryDamage } from '../../base/errors.ts'
import type { WindowReader } from '../../engine/read/window-reader.ts'
import type { State } from '../../engine/state/state.ts'
import { WINDOWS } from '../../protocol/filters.ts'
import { jsonNumber } from '../../protocol/wire.ts'
import { WINDOW_METRICS } from '../tables/metrics.ts'

/** Tokens whose text is kept; all are forgotten when there are more. */
const KEPT_MAX = 1 << 14
const EMPTY_BYTES = 1_400

/**
 * The value of `windows` as JSON text, written anew after a change of the token's windows; `null` while a swap of the
 * last 24 h cannot be read from the disk: the rest of an answer does not depend on it.
 */
export class WindowJson {
  readonly #state: State
  readonly #reader: WindowReader
  readonly #kept = new Map<number, { readonly changes: number; readonly text: string }>()

  /** `reader` is moved. */
  constructor(state: State, reader: WindowReader) {
    this.#state = state
    this.#reader = reader
  }

  get bytes(): number {
    return this.#kept.size * EMPTY_BYTES
  }

  of(token: number): string {
    const changes = this.#state.windowChanges.of(token)
    const kept = this.#kept.get(token)
    if (kept?.changes === changes) return kept.text
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear()
    try {
      const windows = WINDOWS.map((name, window) => `"${name}":${this.#window(token, window)}`)
      const text = `{${windows.join(',')}}`
      this.#kept.set(token, { changes, text })
      return text
    } catch (error) {
      if (isHistoryDamage(error)) return 'null'
      throw error
    }
  }

  #window(token: number, window: number): string {
    const reader = this.#reader.at(token, window)
    let json = ''
    for (const { key, read } of WINDOW_METRICS) {
      json += `${json === '' ? '{' : ','}"${key}":${jsonNumber(read(reader))}`
      // Every trader is counted, however many there are.
      if (key === 'traders') json += ',"traders_exact":true'
    }
    return `${json}}`
  }
}
