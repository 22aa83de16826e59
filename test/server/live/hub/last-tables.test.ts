import { expect, onTestFinished, test, vi } from 'vitest'
import { Budget } from '../../../../src/base/budget.ts'
import { LastTables } from '../../../../src/server/live/hub/last-tables.ts'
import { apiRoutes } from '../../../../src/server/routes/api-routes.ts'
import { cachedChart } from '../../../../src/server/routes/chart-cache.ts'
import { fakeAnswers, fakeReads, NO_CALLER } from '../../fake-service.ts'

/** Limits of the server, private to their files. */
const MAX_SOCKET_ID_CHARACTERS = 256
const MAX_TABLE_READERS = 2000

const readers = (tables: LastTables, mint: string) => [...tables.readersOf(mint)].toSorted()

test('a table takes the place of the one before it, and mints that are in none are forgotten', () => {
  const tables = new LastTables()
  tables.answered('a', new Set(['A', 'B']))
  tables.answered('b', new Set(['B', 'C']))
  expect(readers(tables, 'B')).toEqual(['a', 'b'])
  tables.answered('a', new Set(['B', 'D']))
  expect([...tables.mintsOf('a')]).toEqual(['B', 'D'])
  expect(['A', 'B', 'C', 'D'].map((mint) => readers(tables, mint))).toEqual([
    ...[[], ['a', 'b'], ['b'], ['a']],
  ])
  tables.answered('b', new Set())
  expect(['A', 'B', 'C', 'D'].filter((mint) => tables.readersOf(mint).size > 0)).toEqual(['B', 'D'])
})

test('ids that no connection can have are not kept', () => {
  const tables = new LastTables()
  const longest = 'x'.repeat(MAX_SOCKET_ID_CHARACTERS)
  for (const id of ['', longest, `${longest}x`]) tables.answered(id, new Set(['A']))
  expect(readers(tables, 'A')).toEqual([longest])
})

test('so many ids are kept with their mints, the one read longest ago goes first', () => {
  const tables = new LastTables()
  for (let n = 0; n < MAX_TABLE_READERS; n += 1) tables.answered(`${n}`, new Set([`m${n}`, 'all']))
  tables.answered('0', new Set(['m0', 'all']))
  tables.answered('one more', new Set(['all']))
  expect(['m0', 'm1', 'm2'].map((mint) => tables.readersOf(mint).size > 0)).toEqual([
    true,
    false,
    true,
  ])
  expect(tables.readersOf('all').size).toBe(MAX_TABLE_READERS)
  expect(tables.readersOf('all').has('1')).toBe(false)
})

test('the mints of an answer that is kept are read out of it once, whoever it goes to', () => {
  const tables = new LastTables()
  let answer = '{"new":[{"image":"","mint":"A"},{"image":"","mint":"B"}]}'
  const answers = fakeAnswers([], () => answer)
  const chart = cachedChart(answers, () => 0)
  const route = apiRoutes(answers, fakeReads, chart, tables, { alerts: () => '' }).find(
    ({ name }) => name === 'tables',
  )
  const asked = () => {
    const made = route?.answer({
      word: '',
      parameters: new Map(),
      body: '{}',
      minSeq: 0,
      budget: Budget.unlimited,
      caller: NO_CALLER,
    })
    if (made === undefined || made instanceof Promise || !made.ok) throw new Error('no answer')
    return made.value
  }
  const kept = asked()
  const parsing = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parsing.mockRestore())
  for (const id of ['a', 'b', 'a', 'b']) route?.answered?.(id, kept)
  expect(parsing).toHaveBeenCalledTimes(1)
  expect(readers(tables, 'B')).toEqual(['a', 'b'])
  answer = '{"new":[{"image":"","mint":"C"}]}'
  route?.answered?.('a', asked())
  expect([readers(tables, 'B'), readers(tables, 'C')]).toEqual([['b'], ['a']])
})
