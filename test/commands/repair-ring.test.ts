import { expect, test } from 'vitest'
import { emptyRing } from '../../src/commands/repair.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { ringPath } from '../../src/store/journal/journal-ring.ts'
import { ringTail } from '../../src/store/journal/journal-scan.ts'
import { Random } from '../oracle/random.ts'
import { CrashDisk } from '../store/disks/crash-disk.ts'
import { CrashRing } from '../store/disks/crash-ring.ts'
import { CrashService, newUuid, recoverFrom } from '../store/disks/crash-service.ts'
import { FOLDER, Story } from '../store/disks/story.ts'

const RING_BYTES = 1 << 14
/** Batches that come when the disk ends no write any more: they are in the ring alone. */
const LAST_BATCHES = 4
const POWER_CUTS = 20

/** The disk of a service that was killed with its newest events in the ring alone. */
function killedDisk(story: Story): CrashDisk {
  const disk = new CrashDisk()
  const service = new CrashService(story, disk, newUuid())
  for (const [i, batch] of story.batches.entries()) {
    service.feed(batch)
    if (i < story.batches.length - LAST_BATCHES) disk.settle()
  }
  expect(service.failures).toEqual([])
  return disk.kill()
}

test.each([2, 3, 4])(
  'once a repair has taken the ring away no power cut takes what was in it alone (history %i)',
  (seed) => {
    const story = new Story(seed, 120, 'group', 'event', RING_BYTES)
    const disk = killedDisk(story)
    expect(ringTail(disk, FOLDER, listDataFiles(disk, FOLDER).segments)).not.toBeNull()

    emptyRing(disk, FOLDER, new CrashRing(disk, RING_BYTES, new Random(seed)))

    expect(disk.list(FOLDER)).not.toContain(ringPath(''))
    for (let cut = 0; cut < POWER_CUTS; cut++) {
      const { recovered } = recoverFrom(story, disk.crash(new Random(cut)), newUuid())
      expect(recovered.place.seq, `power cut ${cut}`).toBe(story.count)
    }
  },
)

test('what the ring alone has lasts in the segment before the ring goes', () => {
  const story = new Story(4, 120, 'group', 'event', RING_BYTES)
  const disk = killedDisk(story)
  const before = disk.calls.length

  emptyRing(disk, FOLDER, new CrashRing(disk, RING_BYTES, new Random(4)))

  const calls = disk.calls.slice(before)
  const [write, sync, remove] = [/^write at a place/, /^sync journal/, /^remove .*ring/].map(
    (call) => calls.findIndex((one) => call.test(one)),
  )
  expect(write).toBeGreaterThanOrEqual(0)
  expect(sync).toBeGreaterThan(write)
  expect(remove).toBeGreaterThan(sync)
})
