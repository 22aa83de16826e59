import { expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { history } from '../oracle/histories.ts'
import { begun, FOLDER } from './damage/folder.ts'
import { CrashDisk } from './disks/crash-disk.ts'
import { MemoryMark } from './disks/memory-mark.ts'

/** On a disk whose syncs in the background end when it is told so. */
function onSlow(fsync: Config['fsync'], clockMs = () => 0) {
  const disk = new CrashDisk()
  disk.makeFolder(FOLDER)
  const mark = new MemoryMark()
  const failures: string[] = []
  const onFailure = ({ message }: Error) => failures.push(message)
  return { disk, mark, failures, ...begun(disk, { fsync, mark, clockMs, onFailure }) }
}

test.each(['always', 'off'] as const)(
  'the mark says each batch as it is written where no sync follows it, fsync %s',
  (fsync) => {
    const { mark, journal, journaled } = onSlow(fsync)
    for (const event of history(3, 10)) {
      journaled.events([event])
      expect(mark.killed?.seq).toBe(journal.seq)
    }
    expect(journal.seq).toBeGreaterThan(0)
  },
)

test('with group the mark says a batch before anybody sees it, however long the syncs take', () => {
  let nowMs = 0
  const { mark, journal, journaled } = onSlow('group', () => nowMs)
  for (const event of history(3, 10)) {
    journaled.events([event])
    expect(mark.killed?.seq).toBe(journal.seq)
    nowMs += 1
  }
})

test('of batches that come faster than once a millisecond the mark says what it had no time for at the end of a sync', () => {
  const { disk, mark, journal, journaled } = onSlow('group')
  for (const event of history(3, 10)) journaled.events([event])
  expect(mark.killed?.seq).toBe(1)
  disk.settle()
  expect(mark.killed?.seq).toBe(journal.seq)
})

test('a stop in order says in the mark how far was written, though a sync had not ended', () => {
  const { disk, mark, failures, journal, journaled } = onSlow('group')
  const events = history(3, 10)
  journaled.events(events.slice(0, 4))
  journaled.events(events.slice(4))
  expect(mark.killed).toMatchObject({ seq: 4, isClosed: false })
  journal.close()
  const closed = { seq: journal.seq, segment: journal.segment, isClosed: true }
  expect(mark.killed).toMatchObject(closed)
  expect(journal.syncedSeq).toBe(journal.seq)
  const files = () => disk.fingerprint(FOLDER, () => true)
  const written = files()
  // A second stop is the first.
  journal.close()
  expect(files()).toBe(written)
  expect(mark.killed).toMatchObject(closed)
  expect(failures).toEqual([])
})
