import { expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import type { CommitMarker } from '../../src/store/folder/commit-marker.ts'
import { history } from '../oracle/histories.ts'
import { begun } from './damage/folder.ts'
import { ImageDisk } from './damage/image-disk.ts'
import { systemError } from './disks/crash-disk.ts'

/** A mark that can neither be written nor be taken away, as on a disk that is read-only by now. */
const refusing: CommitMarker = {
  isMemory: false,
  begin: () => {},
  reach: () => {
    throw systemError('EROFS', 'unlink')
  },
  close: () => {},
}

const POLICIES: readonly Config['fsync'][] = ['group', 'always', 'off']

test.each(POLICIES)('a mark that cannot be taken away ends the intake alone, fsync %s', (fsync) => {
  const failures: string[] = []
  const onFailure = ({ message }: Error) => failures.push(message)
  const { journaled } = begun(new ImageDisk(), { fsync, mark: refusing, onFailure })
  const events = history(3, 10)
  expect(() => journaled.events(events)).not.toThrow()
  expect(failures).toHaveLength(1)
  expect(failures[0]).toContain('EROFS')
  journaled.events(events)
  expect(journaled.leftOut).toBeGreaterThanOrEqual(10)
})
