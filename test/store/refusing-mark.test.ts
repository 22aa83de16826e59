import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { FsyncPolicy } from '../../src/store/fsync-policy.ts'
import { Journal } from '../../src/store/journal.ts'
import { JournaledEngine } from '../../src/store/journaled-engine.ts'
import type { WrittenMark } from '../../src/store/written-mark.ts'
import { history } from '../oracle/histories.ts'
import { BOOT, EPOCH, FOLDER } from './damage/folder.ts'
import { ImageDisk } from './damage/image-disk.ts'
import { systemError } from './disks/crash-disk.ts'

/** A mark that can neither be written nor be taken away, as on a disk that is read-only by now. */
const refusing: WrittenMark = {
  begin: () => {},
  reach: () => {
    throw systemError('EROFS', 'unlink')
  },
  close: () => {},
}

const POLICIES: readonly FsyncPolicy[] = ['group', 'always', 'off']

test.each(POLICIES)('a mark that cannot be taken away ends the intake alone, fsync %s', (fsync) => {
  const failures: string[] = []
  const journal = new Journal(
    {
      ...{ disk: new ImageDisk(), folder: FOLDER, fsync, epoch: EPOCH, boot: BOOT },
      mark: refusing,
      onFailure: ({ message }) => failures.push(message),
    },
    { seq: 0, crc: 0, segment: 0 },
  )
  const journaled = new JournaledEngine(new Engine({ clock: 'event' }), journal)
  const events = history(3, 10)
  expect(() => journaled.events(events)).not.toThrow()
  expect(failures).toHaveLength(1)
  expect(failures[0]).toContain('EROFS')
  journaled.events(events)
  expect(journaled.leftOut).toBeGreaterThanOrEqual(10)
})
