/** Images checked, by what they are of and what was done to them. */
export class Tally {
  readonly #counts = new Map<string, number>()
  total = 0

  add(damage: string): void {
    this.#counts.set(damage, (this.#counts.get(damage) ?? 0) + 1)
    this.total += 1
  }

  /** One line of counts. */
  text(of: string): string {
    const counts = [...this.#counts].map(([damage, count]) => `${damage} ${count}`)
    return `${of}: ${this.total} images (${counts.join(', ')})`
  }
}
