import { expect, test } from 'vitest'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { byLength } from '../lengths.ts'
import { Random } from '../oracle/random.ts'
import { CrashDisk } from './disks/crash-disk.ts'
import { CrashService, newUuid, recoverFrom } from './disks/crash-service.ts'
import { FOLDER, Story } from './disks/story.ts'

/** Power failures tried: each loses other things. */
const FAILURES = byLength(10, 60)

const story = new Story(11, 120, 'group', 'event')

test('a power failure after a kill and a restart is no damage: the restart made all last', () => {
  const boot = newUuid()
  const before = new CrashDisk()
  feed(new CrashService(story, before, boot), 40)
  const disk = before.kill()
  const service = new CrashService(story, disk, boot)
  feed(service, 60)
  expect(service.journal.syncedSeq).toBeGreaterThanOrEqual(40)
  for (const n of seqsAfterPowerFailures(disk)) expect(n).toBeGreaterThanOrEqual(40)
})

test('after a power failure the journal has what is in a snapshot, should that be damaged', () => {
  const disk = new CrashDisk()
  const service = new CrashService(story, disk, newUuid())
  feed(service, 60)
  service.beginCompaction()
  while (service.isCompacting) service.step()
  const [snapshot] = listDataFiles(disk, FOLDER).snapshots
  expect(snapshot?.number).toBeGreaterThanOrEqual(60)
  for (let seed = 0; seed < FAILURES; seed += 1) {
    const image = disk.crash(new Random(seed))
    image.open(snapshot?.path ?? '').truncate(100)
    const { engine, recovered } = recoverFrom(story, image, newUuid())
    expect(recovered.damagedSnapshots).toEqual([snapshot?.path])
    expect(recovered.place.seq, `seed ${seed}`).toBeGreaterThanOrEqual(60)
    expect(story.isStateAt(recovered.place.seq, stateDigest(engine.parts))).toBe(true)
  }
})

test('a segment whose creation did not last ends the journal before the ones behind it', () => {
  const disk = new CrashDisk()
  const service = new CrashService(story, disk, newUuid())
  feed(service, 100)
  expect(listDataFiles(disk, FOLDER).segments.length).toBeGreaterThan(3)
  const ns = new Set(seqsAfterPowerFailures(disk))
  expect(ns.size).toBeGreaterThan(2)
})

test('a stop waits for the names of segments, though a background sync of them is under way', () => {
  const disk = new CrashDisk()
  const service = new CrashService(story, disk, newUuid())
  while (disk.calls.at(-1) !== `syncFolderLater ${FOLDER}`)
    if (disk.pending > 0) disk.settle(1)
    else feed(service, service.journal.seq + 1)
  feed(service, service.journal.seq + 8)
  expect(disk.pending).toBe(1)
  service.journal.close()
  const { seq } = service.journal
  expect(new Set(seqsAfterPowerFailures(disk))).toEqual(new Set([seq]))
})

function feed(service: CrashService, untilSeq: number): void {
  for (const batch of story.batches) {
    if (service.journal.seq >= untilSeq) return
    if (batch.from + batch.events.length <= service.journal.seq) continue
    service.feed(batch)
  }
}

/** Where the journal goes on after power failures; each state is that of its seq. */
function seqsAfterPowerFailures(disk: CrashDisk): number[] {
  return Array.from({ length: FAILURES }, (_, seed) => {
    const { engine, recovered } = recoverFrom(story, disk.crash(new Random(seed)), newUuid())
    const n = recovered.place.seq
    expect(story.isStateAt(n, stateDigest(engine.parts)), `seed ${seed}, seq ${n}`).toBe(true)
    return n
  })
}
