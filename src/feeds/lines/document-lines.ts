import { isRecord, jsonOf } from '../../base/json-access.ts'

/** Of a file that is one JSON value so much is kept, in characters. */
export const DOCUMENT_CHARACTERS_MAX = 256 * 1024 * 1024
/** What a line takes beside its text. */
const LINE_CHARACTERS = 16

/** Lines of a file that begins as one JSON value over many of them, as an editor writes it. */
export class DocumentLines {
  readonly #charactersMax: number
  readonly #texts: string[] = []
  readonly #numbers: number[] = []
  #characters = 0

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax
  }

  get isFull(): boolean {
    return this.#characters > this.#charactersMax
  }

  get text(): string {
    return this.#texts.join('\n')
  }

  add(number: number, text: string): void {
    this.#texts.push(text)
    this.#numbers.push(number)
    this.#characters += text.length + LINE_CHARACTERS
  }

  /** Whether lines are values by themselves, which those of one value over many lines are not. */
  haveValues(): boolean {
    return this.#texts.some(isValue)
  }

  *[Symbol.iterator](): Generator<readonly [number, string]> {
    for (const [i, text] of this.#texts.entries()) yield [this.#numbers[i], text]
  }
}

function isValue(text: string): boolean {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return false
  const value = jsonOf(trimmed)
  return isRecord(value) && Object.keys(value).length > 0
}
