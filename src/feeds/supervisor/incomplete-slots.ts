/** Slots in a row, with both ends. */
export interface SlotRange {
  readonly from: number
  readonly to: number
}

/** Slots behind the newest one handed over that are delivered again; older ones the engine would refuse. */
export const INCOMPLETE_SLOTS_MAX = 128
/** Ranges remembered; past it the last one grows. */
const RANGES_MAX = 64

/** Slots that were delivered whole and may lack transactions, to be delivered again. */
export class IncompleteSlots {
  #ranges: SlotRange[] = []

  /** The ones that came first; null: none. */
  get first(): SlotRange | null {
    return this.#ranges[0] ?? null
  }

  /** In the order in which they came; settled ones are gone. */
  get all(): readonly SlotRange[] {
    return this.#ranges
  }

  add(from: number, to: number): void {
    const last = this.#ranges.at(-1)
    const isNear = last !== undefined && from <= last.to + 1 && to >= last.from - 1
    if (last === undefined || (!isNear && this.#ranges.length < RANGES_MAX)) {
      this.#ranges.push({ from, to })
      return
    }
    this.#ranges.pop()
    this.#ranges.push({ from: Math.min(last.from, from), to: Math.max(last.to, to) })
  }

  has(slot: number): boolean {
    return this.#ranges.some(({ from, to }) => slot >= from && slot <= to)
  }

  /** Takes those up to `last` out, as one range, where some of them lie before `first`; null: none does. */
  takeTo(last: number, first: number): SlotRange | null {
    const taken = this.#ranges.filter(({ from }) => from <= last)
    const from = Math.min(...taken.map((range) => range.from))
    if (from >= first) return null
    this.#ranges = this.#ranges.flatMap((range) => {
      return range.to <= last ? [] : { ...range, from: Math.max(range.from, last + 1) }
    })
    return { from, to: Math.min(last, Math.max(...taken.map(({ to }) => to))) }
  }

  /** These among the first ones are dealt with; others may have joined them since they were looked at. */
  settle({ from, to }: SlotRange): void {
    const [first, ...others] = this.#ranges
    if (first === undefined) return
    const before = { from: first.from, to: Math.min(first.to, from - 1) }
    const behind = { from: Math.max(first.from, to + 1), to: first.to }
    this.#ranges = [before, behind].filter((rest) => rest.from <= rest.to).concat(others)
  }
}
