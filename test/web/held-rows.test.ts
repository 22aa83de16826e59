import { expect, test } from 'vitest'
import type { TableRow } from '../../client/src/mintfeed.ts'
import { seenRange } from '../../web/src/board/column-rows.ts'
import { heldRows } from '../../web/src/parts/held-rows.ts'

const row = (mint: string, holders = 1) => ({ mint, holders }) as Partial<TableRow> as TableRow
const mintOf = ({ mint }: TableRow) => mint
const shown = (held: readonly TableRow[] | null, live: readonly TableRow[]) => {
  const { rows, arrived } = heldRows(held, live, mintOf)
  return { rows: rows.map(({ row: { mint }, isGone }) => (isGone ? `(${mint})` : mint)), arrived }
}

test('a held order keeps every row in its place, marks those that left, counts those that came', () => {
  const held = [row('a'), row('b'), row('c')]
  const live = [row('d'), row('c'), row('a', 7)]
  expect(shown(held, live)).toEqual({ rows: ['a', '(b)', 'c'], arrived: 1 })
  expect(heldRows(held, live, mintOf).rows[0].row.holders).toBe(7)
  expect(shown(null, live)).toEqual({ rows: ['d', 'c', 'a'], arrived: 0 })
})

test('only rows that are seen, and a few around them, are drawn', () => {
  expect(seenRange(0, 840, 100)).toEqual([0, 13])
  expect(seenRange(840, 840, 100)).toEqual([7, 23])
  expect(seenRange(8_400, 840, 5)).toEqual([5, 5])
})
