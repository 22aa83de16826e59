import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { Journal } from '../../src/store/journal.ts'
import { JournaledEngine } from '../../src/store/journaled-engine.ts'
import { NodeDisk } from '../../src/store/node-disk.ts'
import { newFolder } from '../new-folder.ts'
import { history } from '../oracle/histories.ts'
import { BOOT, EPOCH } from './damage/folder.ts'

test('what a feed hands over behind the end of the journal is left out, and written nowhere', () => {
  const folder = newFolder()
  const failures: string[] = []
  const journal = new Journal(
    {
      ...{ disk: new NodeDisk(), folder, fsync: 'group', epoch: EPOCH, boot: BOOT },
      onFailure: ({ message }) => failures.push(message),
    },
    { seq: 0, crc: 0, segment: 0 },
  )
  const engine = new Engine({ clock: 'event' })
  const journaled = new JournaledEngine(engine, journal)
  const events = history(3, 10)
  journaled.events(events.slice(0, 5))
  const { seq } = engine
  journal.close()
  // Whoever opens something now gets the number that the journal's file had.
  const other = join(folder, 'another file')
  const fd = fs.openSync(other, 'ax+')
  journaled.events(events.slice(5))
  fs.closeSync(fd)
  expect(fs.statSync(other).size).toBe(0)
  expect([engine.seq, journaled.leftOut]).toEqual([seq, 5])
  expect(failures).toEqual([])
})
