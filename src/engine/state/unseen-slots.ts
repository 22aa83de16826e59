import type { Gap } from '../../events/event.ts'
import { copiedPart, StateError, type StatePart } from '../memory/state-part.ts'
import { bytesOf } from '../memory/views.ts'

/** Ranges held; past it the two that lie nearest to each other become one, with what was seen between them. */
const RANGES_MAX = 1_024
/** From, to, seconds and whether it is open, each an f64. */
const RANGE_BYTES = 4 * 8

/** Slots in a row, both ends included, of which events are missing. */
interface UnseenRange {
  readonly from: number
  readonly to: number
  /** Unix seconds of the first event behind them. */
  readonly seconds: number
  /** May their events come yet? */
  readonly isOpen: boolean
}

/**
 * The slots of the chain that no feed delivered (contract section 9), oldest first and none in two ranges. A token is
 * known whole when its creation was seen behind all of them.
 */
export class UnseenSlots {
  #ranges: readonly UnseenRange[] = []
  /** The first slot whose events may come yet, looked up at each swap; null: there is none. */
  firstOpenSlot: number | null = null

  readonly part: StatePart = copiedPart(
    'unseen slots',
    () => bytesOf(Float64Array.from(this.#ranges.flatMap(valuesOf))),
    (bytes) => this.#hold(rangesOf(bytes)),
  )

  get all(): readonly UnseenRange[] {
    return this.#ranges
  }

  /** The last slot that is missing; -1: none is. */
  get lastSlot(): number {
    return this.#ranges.at(-1)?.to ?? -1
  }

  /** Unix seconds from which on every slot was seen; null: none is known to be missing. */
  get seenSeconds(): number | null {
    return this.#ranges.at(-1)?.seconds ?? null
  }

  /** Takes what a feed tells of a gap; returns whether histories are complete from another slot on. */
  note({ fromSlot, toSlot, state, timestamp }: Gap): boolean {
    const before = this.lastSlot
    if (state === 'filling') return false
    const [from, to] = [fromSlot, toSlot]
    const rest = this.#ranges.flatMap((range) => {
      const before = { ...range, to: Math.min(range.to, from - 1) }
      const behind = { ...range, from: Math.max(range.from, to + 1) }
      return [before, behind].filter((part) => part.from <= part.to)
    })
    if (state !== 'filled') rest.push({ from, to, seconds: timestamp, isOpen: state === 'open' })
    this.#hold(joined(rest.sort((a, b) => a.from - b.from)))
    return this.lastSlot !== before
  }

  #hold(sorted: readonly UnseenRange[]): void {
    this.#ranges = sorted
    this.firstOpenSlot = sorted.find(({ isOpen }) => isOpen)?.from ?? null
  }
}

/** Ranges that follow each other and are alike become one, and the nearest ones where there are too many. */
function joined(sorted: readonly UnseenRange[]): readonly UnseenRange[] {
  const result: UnseenRange[] = []
  for (const range of sorted) {
    const last = result.at(-1)
    if (last !== undefined && last.to + 1 === range.from && last.isOpen === range.isOpen) {
      result.pop()
      result.push({ ...range, from: last.from })
    } else result.push(range)
  }
  while (result.length > RANGES_MAX) {
    let nearest = 1
    const distance = (at: number) => (result[at]?.from ?? 0) - (result[at - 1]?.to ?? 0)
    for (let at = 2; at < result.length; at++) if (distance(at) < distance(nearest)) nearest = at
    const [one, other] = result.slice(nearest - 1, nearest + 1)
    if (one === undefined || other === undefined) break
    result.splice(nearest - 1, 2, { ...other, from: one.from, isOpen: one.isOpen && other.isOpen })
  }
  return result
}

function valuesOf({ from, to, seconds, isOpen }: UnseenRange): number[] {
  return [from, to, seconds, isOpen ? 1 : 0]
}

function rangesOf(bytes: Uint8Array<ArrayBuffer>): readonly UnseenRange[] {
  if (bytes.length % RANGE_BYTES !== 0)
    throw new StateError(`the unseen slots of the state have ${bytes.length} bytes`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const value = (at: number, lane: number) => view.getFloat64(at + lane * 8, true)
  const ranges: UnseenRange[] = []
  for (let at = 0; at < bytes.length; at += RANGE_BYTES) {
    const [from, to, seconds] = [value(at, 0), value(at, 1), value(at, 2)]
    if (![from, to, seconds].every(Number.isSafeInteger) || from > to)
      throw new StateError(`the unseen slots of the state have a range from ${from} to ${to}`)
    ranges.push({ from, to, seconds, isOpen: value(at, 3) === 1 })
  }
  return ranges
}
