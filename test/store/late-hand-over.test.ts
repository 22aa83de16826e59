import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { newFolder } from '../new-folder.ts'
import { history } from '../oracle/histories.ts'
import { begun } from './damage/folder.ts'

test('what a feed hands over behind the end of the journal is left out, and written nowhere', () => {
  const folder = newFolder()
  const failures: string[] = []
  const onFailure = ({ message }: Error) => failures.push(message)
  const about = { folder, fsync: 'group', onFailure } as const
  const { engine, journal, journaled } = begun(new NodeDisk(), about)
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
