import { GROUPS, type Group } from '../filters.ts'
import {
  isRow,
  isTrendingToken,
  type TableRow,
  type Tables,
  type Trending,
} from '../resources/tables.ts'
import { isCount, isText, listOf, objectOf, optional } from '../shape.ts'

/** How the rows of a list change. */
interface ListDelta<Row> {
  readonly leave: readonly string[]
  readonly put: readonly { readonly at: number; readonly row: Row }[]
  readonly change: readonly Row[]
}

const isGroupDelta = objectOf({
  leave: listOf(isText),
  put: listOf(objectOf({ at: isCount, row: isRow })),
  change: listOf(isRow),
})
const isItemsDelta = objectOf({
  leave: listOf(isText),
  put: listOf(objectOf({ at: isCount, row: isTrendingToken })),
  change: listOf(isTrendingToken),
})
const isTrendingDelta = objectOf({ items: optional(isItemsDelta) })
const isDelta = objectOf({
  new: optional(isGroupDelta),
  completing: optional(isGroupDelta),
  graduated: optional(isGroupDelta),
})

/** The tables behind a delta; null when it does not fit them. */
export function appliedDelta(tables: Tables, delta: unknown): Tables | null {
  if (!isDelta(delta)) return null
  const next: { [G in Group]?: readonly TableRow[] | undefined } = { ...tables }
  for (const group of GROUPS) {
    const change = delta[group]
    if (change === undefined) continue
    const rows = appliedList(tables[group] ?? [], change)
    if (rows === null) return null
    next[group] = rows
  }
  return next
}

/** The same of a list of what trends. */
export function appliedTrendingDelta(trending: Trending, delta: unknown): Trending | null {
  if (!isTrendingDelta(delta)) return null
  if (delta.items === undefined) return trending
  const items = appliedList(trending.items, delta.items)
  return items === null ? null : { ...trending, items }
}

function appliedList<Row extends { readonly mint: string }>(
  rows: readonly Row[],
  delta: ListDelta<Row>,
): readonly Row[] | null {
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
