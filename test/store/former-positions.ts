import { Engine } from '../../src/engine/engine.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../../src/engine/memory/rows.ts'
import type { StatePart } from '../../src/engine/memory/state-part.ts'
import { PositionLane, PositionRowLane, SalesLane } from '../../src/engine/state/layout.ts'
import { PositionRecord, PositionRows } from '../../src/engine/state/position-rows.ts'
import { UndoLog } from '../../src/engine/state/undo-log.ts'

/** A part of a saved state, as bytes. */
export type SavedPart = Pick<StatePart, 'name' | 'facts' | 'views'>

/** Parts that snapshots before version 14 have not. */
export const NARROW_PARTS: readonly string[] = ['position sales', 'wide positions']

/** Bytes of an event in the order ring that stand before its undo mark. */
const MARK_AT = 32
/** Lanes that a rollback leaves as they are. */
const KEPT_LANES = [PositionRowLane.nextInMintPlus1, PositionRowLane.salesPlus1]

/** Positions, undo log and order ring of a saved state as snapshots before version 14 have them. */
export function formerPositions(parts: readonly SavedPart[]): SavedPart[] {
  const partOf = (name: string): SavedPart => {
    const part = parts.find((one) => one.name === name)
    if (part === undefined) throw new Error(`the state has no ${name}`)
    return part
  }
  const rows = new PositionRows(new UndoLog(), () => {})
  for (const part of rows.parts) {
    const saved = partOf(part.name)
    const bytes = bytesOf(saved)
    let at = 0
    for (const view of part.open(saved.facts())) {
      view.set(bytes.subarray(at, at + view.length))
      at += view.length
    }
  }
  const former = new Rows(PositionLane.lanes)
  const record = new PositionRecord()
  for (let row = 0; row < rows.count; row++) {
    rows.copy(row, record)
    lanesAt(former, former.add()).set(record.u32)
  }
  const undo = partOf('undo')
  const [length = 0, head = 0, tail = 0] = undo.facts()
  const { lanes, moved } = formerLog(lanesOf(bytesOf(undo)), rows)
  let ring = length
  while (ring < lanes.length) ring *= 2
  return [
    { name: 'positions', facts: partOf('positions').facts, views: () => former.views() },
    {
      name: 'undo',
      facts: () => [ring, tail + lanes.length, tail],
      views: () => [new Uint8Array(lanes.buffer)],
    },
    movedMarks(partOf('order ring'), (mark) => {
      if (mark < tail) return mark
      const to = moved.get(mark - tail)
      if (to === undefined || mark > head) throw new Error(`no image begins at ${mark}`)
      return tail + to
    }),
  ]
}

/** Images with rows of all lanes, and where each of them is now; rows are rolled back to the oldest on the way. */
function formerLog(log: Uint32Array, rows: PositionRows) {
  const known = registered()
  const images: { readonly at: number; readonly lanes: readonly number[] }[] = []
  const record = new PositionRecord()
  for (let end = log.length; end > 0; ) {
    const [id = 0, row = 0] = log.subarray(end - 2, end)
    const at = end - 2 - (known.lanes[id] ?? Number.NaN)
    const image = log.slice(at, end - 2)
    if (id === known.wide) lanesAt(rows.wide, row).set(image)
    else if (id === known.sales) restore(lanesAt(rows.sales, row), image, [SalesLane.widePlus1])
    else if (id === known.positions) {
      restore(lanesAt(rows, row), image, KEPT_LANES)
      rows.copy(row, record)
      images.push({ at, lanes: [...record.u32, id, row] })
    } else images.push({ at, lanes: [...image, id, row] })
    end = at
  }
  const lanes: number[] = []
  const moved = new Map<number, number>()
  for (const image of images.reverse()) {
    moved.set(image.at, lanes.length)
    for (const lane of image.lanes) lanes.push(lane)
  }
  moved.set(log.length, lanes.length)
  return { lanes: Uint32Array.from(lanes), moved }
}

function restore(to: Uint32Array, image: Uint32Array, kept: readonly number[]): void {
  const before = kept.map((lane) => to[lane] ?? 0)
  to.set(image)
  for (const [i, lane] of kept.entries()) to[lane] = before[i] ?? 0
}

/** Lanes of the rows that an engine makes known to its undo log, by id, and the ids of positions. */
function registered() {
  const rows: Rows[] = []
  const { register } = UndoLog.prototype
  UndoLog.prototype.register = function (this: UndoLog, one, unsaved) {
    rows.push(one)
    return register.call(this, one, unsaved)
  }
  const { positions } = new Engine({ clock: 'event' }).state
  UndoLog.prototype.register = register
  return {
    lanes: rows.map(({ lanes }) => lanes),
    positions: rows.indexOf(positions),
    sales: rows.indexOf(positions.sales),
    wide: rows.indexOf(positions.wide),
  }
}

function movedMarks({ name, facts, views }: SavedPart, move: (mark: number) => number): SavedPart {
  const bytes = bytesOf({ name, facts, views })
  const [, head = 0, tail = 0] = facts()
  const marks = new DataView(bytes.buffer, (head - tail) * MARK_AT)
  for (let i = 0; i < head - tail; i++)
    marks.setFloat64(8 * i, move(marks.getFloat64(8 * i, true)), true)
  return { name, facts, views: () => [bytes] }
}

function bytesOf({ views }: SavedPart): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(views()))
}

function lanesOf(bytes: Uint8Array<ArrayBuffer>): Uint32Array {
  return new Uint32Array(bytes.buffer, 0, bytes.length / 4)
}

function lanesAt(rows: Rows, row: number): Uint32Array {
  const at = (row & ROW_MASK) * rows.lanes
  return rows.u32[row >>> ROW_SHIFT]?.subarray(at, at + rows.lanes) ?? new Uint32Array(0)
}
