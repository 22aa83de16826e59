import { expect, test } from 'vitest'
import { checkAll } from '../model/full-check.ts'
import { Pair } from '../model/pair.ts'
import { follow } from '../mutants/story.ts'
import { created, migrated, swap } from '../oracle/fixtures.ts'

test('a migration told too late, without an index, is counted among the swaps of its slot', () => {
  const of = (mint: string) => ({
    mint,
    bondingCurve: `curve of ${mint}`,
    poolAmm: `pool of ${mint}`,
  })
  const pair = new Pair('event')
  const events = [
    created({ slot: 1, signature: 'a', ...of('first') }),
    created({ slot: 2, signature: 'b', ...of('second') }),
    migrated({ slot: 100, txIndex: 2, signature: 'c', ...of('first') }),
    swap({ slot: 200, mint: 'first' }),
    migrated({ slot: 100, txIndex: null, signature: 'd', ...of('second') }),
  ]
  expect(follow(pair, events)).toBeNull()
  expect(checkAll(pair, 1)).toBeNull()
  const { graduated } = JSON.parse(
    pair.answers.tables({ type: 'graduated', filters: {}, limit: 2 }),
  )
  expect(graduated).toMatchObject([{ mint: 'first' }, { mint: 'second' }])
})
