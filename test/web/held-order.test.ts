import { signal } from '@preact/signals'
import { expect, onTestFinished, test } from 'vitest'
import type { TableRow } from '../../client/src/mintfeed.ts'
import { HeldOrder } from '../../web/src/parts/held-order.ts'

const rowsOf = (...mints: readonly string[]) =>
  mints.map((mint) => ({ mint }) as Partial<TableRow> as TableRow)

function column(...mints: readonly string[]) {
  const live = signal<readonly TableRow[]>(rowsOf(...mints))
  const order = new HeldOrder(live, ({ mint }) => mint)
  onTestFinished(order.follow())
  const shown = () =>
    order.shown.value.rows
      .map(({ row: { mint }, isGone }) => (isGone ? `(${mint})` : mint))
      .join('')
  return { live, order, shown }
}

test('a column that is pointed at before its rows come fills, and holds those', () => {
  const { live, order, shown } = column()
  order.pointedAt(true)
  expect(order.isHeld).toBe(false)
  live.value = rowsOf('a', 'b')
  expect(shown()).toBe('ab')
  live.value = rowsOf('c', 'a', 'b')
  expect(shown()).toBe('ab')
  order.pointedAt(false)
  expect(shown()).toBe('cab')
})

test('rows that have all left are no order to hold: those that are there are shown, and held', () => {
  const { live, order, shown } = column('a', 'b')
  order.pointedAt(true)
  live.value = rowsOf('x', 'b')
  expect(shown()).toBe('(a)b')
  live.value = rowsOf('x', 'y')
  expect(shown()).toBe('xy')
  live.value = rowsOf('z', 'x', 'y')
  expect(shown()).toBe('xy')
  live.value = []
  expect(shown()).toBe('')
  expect(order.isHeld).toBe(false)
})

test('another filter shows its rows though the column is pointed at', () => {
  const { live, order, shown } = column('a', 'b', 'c')
  order.pointedAt(true)
  order.reset()
  expect(shown()).toBe('abc')
  live.value = rowsOf('d', 'b')
  expect(shown()).toBe('db')
  live.value = rowsOf('e', 'd', 'b')
  expect(shown()).toBe('db')
})

test('rows chosen among those that are there are held at once', () => {
  const { live, order, shown } = column('a', 'b', 'c')
  order.scrolled(400)
  live.value = rowsOf('a', 'c')
  expect(shown()).toBe('a(b)c')
  order.reset('there')
  expect(order.isHeld).toBe(true)
  expect(shown()).toBe('ac')
  live.value = rowsOf('d', 'a', 'c')
  expect(shown()).toBe('ac')
  order.scrolled(0)
  expect(shown()).toBe('dac')
})

test('a column that is scrolled is held until it is back at its top', () => {
  const { live, order, shown } = column('a', 'b')
  order.scrolled(400)
  live.value = rowsOf('c', 'a')
  expect(shown()).toBe('a(b)')
  order.scrolled(0)
  expect(shown()).toBe('ca')
})

test('the next row is still the next while the keyboard walks through a column', () => {
  const { live, order, shown } = column('a', 'b')
  order.walked(true)
  live.value = rowsOf('b', 'new', 'a')
  expect(shown()).toBe('ab')
  order.walked(false)
  expect(shown()).toBe('bnewa')
})

test('a column is held while one of its rows has the focus', () => {
  const { live, order, shown } = column('a', 'b')
  order.focused(true)
  live.value = rowsOf('c', 'a')
  expect(shown()).toBe('a(b)')
  order.focused(false)
  expect(shown()).toBe('ca')
})
