import { ROW_MASK, ROW_SHIFT, ROWS_MAX, type Rows } from './rows.ts'
import { StateError, type StatePart, sizesOf } from './state-part.ts'

/** Rows as a part of the state; `fixed` when there are always that many. */
export function rowsPart(name: string, rows: Rows, fixed?: number): StatePart {
  return {
    name,
    facts: () => [rows.count],
    views: () => rows.views(),
    open(facts) {
      const [count] = sizesOf(name, facts, [ROWS_MAX])
      if (fixed !== undefined && count !== fixed)
        throw new StateError(`the state has ${count} rows of ${name} instead of ${fixed}`)
      rows.reset(count)
      return rows.views()
    },
    settle() {},
  }
}

/** Rows of which some are given back and taken again, as a part of the state; `settle` comes last. */
export function reusedRowsPart(name: string, rows: Rows, settle: () => void = () => {}): StatePart {
  return {
    name,
    facts: () => [rows.count, rows.freePlus1, rows.free],
    views: () => rows.views(),
    open(facts) {
      const [count, freePlus1, free] = sizesOf(name, facts, [ROWS_MAX, ROWS_MAX, ROWS_MAX])
      if (freePlus1 > count || free > count)
        throw new StateError(`the state has ${free} free rows of ${name} among ${count}`)
      rows.reset(count)
      rows.freePlus1 = freePlus1
      rows.free = free
      return rows.views()
    },
    settle() {
      checkFree(name, rows)
      settle()
    },
  }
}

/** A chain of free rows that is longer or shorter than it says would give one row out twice. */
function checkFree(name: string, rows: Rows): void {
  let next = rows.freePlus1
  let found = 0
  for (; next !== 0 && next <= rows.count && found < rows.free; found++)
    next = rows.u32[(next - 1) >>> ROW_SHIFT][((next - 1) & ROW_MASK) * rows.lanes]
  if (next !== 0 || found !== rows.free)
    throw new StateError(`the free rows of the state's ${name} are not ${rows.free} in a chain`)
}
