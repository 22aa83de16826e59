import type { LiveTable } from './live-table.ts'

/**
 * How much text live tables keep in all: their rows have descriptions and links that strangers wrote. A table that
 * finds no room keeps none, and tells the whole of it whenever it changes.
 */
export class TableTexts {
  readonly #charactersMax: number
  #characters = 0

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax
  }

  /** Characters that are kept. */
  get characters(): number {
    return this.#characters
  }

  /** As `LiveTable.advance`. */
  advance(table: LiveTable): string | null {
    this.left(table)
    try {
      return table.advance()
    } finally {
      if (this.#characters + table.characters > this.#charactersMax) table.forget()
      this.#characters += table.characters
    }
  }

  /** Nobody follows the table any more. */
  left(table: LiveTable): void {
    this.#characters -= table.characters
  }
}
