import { GROUPS, type Group } from '../filters.ts'
import { isRow, type TableRow, type Tables } from '../resources/tables.ts'
import { isCount, isText, listOf, objectOf, optional } from '../shape.ts'

const isGroupDelta = objectOf({
  leave: listOf(isText),
  put: listOf(objectOf({ at: isCount, row: isRow })),
  change: listOf(isRow),
})
const isDelta = objectOf({
  new: optional(isGroupDelta),
  completing: optional(isGroupDelta),
  graduated: optional(isGroupDelta),
})

interface GroupDelta {
  readonly leave: readonly string[]
  readonly put: readonly { readonly at: number; readonly row: TableRow }[]
  readonly change: readonly TableRow[]
}

/** The tables behind a delta; null when it does not fit them. */
export function appliedDelta(tables: Tables, delta: unknown): Tables | null {
  if (!isDelta(delta)) return null
  const next: { [G in Group]?: readonly TableRow[] | undefined } = { ...tables }
  for (const group of GROUPS) {
    const change = delta[group]
    if (change === undefined) continue
    const rows = appliedGroup(tables[group] ?? [], change)
    if (rows === null) return null
    next[group] = rows
  }
  return next
}

function appliedGroup(rows: readonly TableRow[], delta: GroupDelta): readonly TableRow[] | null {
  const out = new Set([...delta.leave, ...delta.put.map(({ row }) => row.mint)])
  const next = rows.filter((row) => !out.has(row.mint))
  for (const { at, row } of delta.put) {
    if (at > next.length) return null
    next.splice(at, 0, row)
  }
  for (const row of delta.change) {
    const at = next.findIndex(({ mint }) => mint === row.mint)
    if (at < 0) return null
    next[at] = row
  }
  return next
}
