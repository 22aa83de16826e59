import { ROWS_MAX, type Rows } from './rows.ts'
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
