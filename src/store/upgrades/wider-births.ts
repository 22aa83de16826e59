import { StateError } from '../../engine/memory/state-part.ts'
import { bytesOf, lanesOf } from '../../engine/memory/views.ts'
import { UNDO_LANES_MAX } from '../../engine/state/undo-log.ts'
import type { SavedPart } from './saved-part.ts'

/**
 * u32 lanes of a birth up to version 3 of snapshots, and from 4 on: arrivals are kept of what had no
 * slot, 0 for all that was kept before.
 */
const OLD_BIRTH_LANES = 24
const BIRTH_LANES = 28
const ADDED_LANES = BIRTH_LANES - OLD_BIRTH_LANES

/**
 * Lanes of the rows in the undo log of version 3, by their number there: tokens, births, positions,
 * wallets, bars, globals, clamps and their count. An image is a row's lanes, that number, and the row's.
 */
const OLD_LANES = [52, OLD_BIRTH_LANES, 40, 10, 22, 2, 8, 2] as const
const BIRTHS = 1
const ABOUT_LANES = 2
/** Bytes of an event in the order ring, and in its columns before that of places in the undo log. */
const EVENT_BYTES = 48
const BYTES_BEFORE_MARK = 32

/** Rows of births. */
export function widerRows({ name, facts, bytes }: SavedPart): SavedPart {
  const [count] = facts
  const old = lanesOf(bytes)
  const rows = new Uint32Array(count * BIRTH_LANES)
  for (let row = 0; row < count; row++)
    rows.set(old.subarray(row * OLD_BIRTH_LANES, (row + 1) * OLD_BIRTH_LANES), row * BIRTH_LANES)
  return { name, facts, bytes: bytesOf(rows) }
}

/**
 * Births as they were before late events could take them back: those in the undo log become wider too,
 * and what the order ring says of places in the log moves with them. The log comes first.
 */
export class WiderImages {
  /** Old places of the births in the log that came out, ascending. */
  #births: readonly number[] = []

  log({ name, facts, bytes }: SavedPart): SavedPart {
    const [length, , tail] = facts
    const old = lanesOf(bytes)
    const images = imagesOf(old)
    const first = tail + (images[0]?.start ?? old.length)
    const births = images.filter(({ id }) => id === BIRTHS)
    const lanes = new Uint32Array(old.length - (first - tail) + births.length * ADDED_LANES)
    let at = 0
    for (const { start, end, id } of images) {
      const row = end - ABOUT_LANES
      lanes.set(old.subarray(start, row), at)
      at += row - start + (id === BIRTHS ? ADDED_LANES : 0)
      lanes.set(old.subarray(row, end), at)
      at += ABOUT_LANES
    }
    this.#births = births.map(({ start }) => tail + start)
    let room = Math.max(length, 1)
    while (room < lanes.length) room *= 2
    return { name, facts: [room, first + lanes.length, first], bytes: bytesOf(lanes) }
  }

  /** The columns of the ring lie behind one another. */
  ring({ name, facts, bytes }: SavedPart): SavedPart {
    const [, head, tail] = facts
    const events = head - tail
    if (bytes.length !== events * EVENT_BYTES)
      throw new StateError(`an order ring of ${events} events has ${bytes.length} bytes`)
    const moved = new Uint8Array(bytes)
    const view = new DataView(moved.buffer, events * BYTES_BEFORE_MARK, events * 8)
    // Events in order have places in order.
    let passed = 0
    for (let event = 0; event < events; event++) {
      const mark = view.getFloat64(event * 8, true)
      while (passed < this.#births.length && this.#births[passed] < mark) passed += 1
      view.setFloat64(event * 8, mark + passed * ADDED_LANES, true)
    }
    return { name, facts, bytes: moved }
  }
}

interface Image {
  readonly start: number
  readonly end: number
  readonly id: number
}

/** The images of a log, oldest first: as many of the newest as a log may hold once they are wider. */
function imagesOf(lanes: Uint32Array): readonly Image[] {
  const images: Image[] = []
  let wider = 0
  for (let end = lanes.length; end > 0; ) {
    const id = lanes[end - ABOUT_LANES]
    if (end < ABOUT_LANES || id >= OLD_LANES.length)
      throw new StateError(`the undo log has no image that ends at lane ${end}`)
    const start = end - ABOUT_LANES - OLD_LANES[id]
    wider += end - start + (id === BIRTHS ? ADDED_LANES : 0)
    // The oldest may be there in part: a full log is cut anywhere.
    if (start < 0 || wider > UNDO_LANES_MAX) break
    images.push({ start, end, id })
    end = start
  }
  return images.reverse()
}
