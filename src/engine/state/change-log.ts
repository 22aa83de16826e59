/** Changes that are kept, a power of two; who has read none of them for longer looks at everything. */
const CHANGES_KEPT = 8_192
const MASK = CHANGES_KEPT - 1

/**
 * Numbers of rows in the order in which they changed, the newest CHANGES_KEPT of them, for who keeps
 * what is derived from many rows: it reads on from where it was.
 */
export class ChangeLog {
  readonly #rows = new Uint32Array(CHANGES_KEPT)
  #end = 0

  /** Place behind the newest change. */
  get end(): number {
    return this.#end
  }

  note(row: number): void {
    this.#rows[this.#end & MASK] = row
    this.#end += 1
  }

  /** All rows are other ones. */
  noteAll(): void {
    this.#end += CHANGES_KEPT + 1
  }

  /** Is every change from this place on still here? */
  reaches(place: number): boolean {
    return this.#end - place <= CHANGES_KEPT
  }

  /** The row that changed at a place, from one that `reaches` to before `end`. */
  at(place: number): number {
    return this.#rows[place & MASK]
  }
}
