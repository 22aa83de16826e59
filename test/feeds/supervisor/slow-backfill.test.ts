import { expect, test } from 'vitest'
import { SlotsUnavailable } from '../../../src/feeds/supervisor/source.ts'
import { ScriptedSource } from './scripted-source.ts'
import { started } from './started-supervisor.ts'

test('a back-fill that takes a minute is ended and asked for again, whatever the others lack', async () => {
  const [slow, pruned] = [new ScriptedSource('slow'), new ScriptedSource('pruned')]
  const ends: (() => void)[] = []
  slow.onBackfill = () => new Promise((resolve) => ends.push(resolve))
  pruned.onBackfill = async () => {
    throw new SlotsUnavailable('from 20 on', 19)
  }
  const { signatures, reports, stop, supervisor, timers } = await started([slow, pruned])
  slow.tell(10, 13)
  await timers.pass(200 + 60_000)
  expect(ends).toHaveLength(1)
  ends[0]()
  await timers.pass(0)
  expect(reports.filter((report) => report.startsWith('gap: '))).toEqual([
    'gap: slots 11 to 12 could not be told again: slow: it took longer than 60 s; pruned: from 20 on',
  ])
  slow.onBackfill = null
  await timers.pass(250)
  expect(signatures()).toEqual(['10/0', '11/0', '12/0', '13/0'])
  expect(supervisor.figures()).toMatchObject({
    feed_backfill_errors_total: 1,
    feed_slots_given_up_total: 0,
  })
  await stop()
})
