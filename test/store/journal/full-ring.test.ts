import fs from 'node:fs'
import { expect, test, vi } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { loadMapFile } from '../../../src/store/disk/kernel-calls.ts'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { FileCommitMarker, readMark } from '../../../src/store/folder/commit-marker.ts'
import { bootId } from '../../../src/store/folder/process-lock.ts'
import { Journal } from '../../../src/store/journal/journal.ts'
import { MappedRing } from '../../../src/store/journal/journal-ring.ts'
import { JournaledEngine } from '../../../src/store/journal/journaled-engine.ts'
import { recover } from '../../../src/store/recovery/recovery.ts'
import { newFolder } from '../../new-folder.ts'
import { swap } from '../../oracle/fixtures.ts'

const EPOCH = '11111111-1111-4111-8111-111111111111'
/** Events of one write of JournaledEngine. */
const PART = 1_024
const map = await loadMapFile()
const newEngine = () => new Engine({ clock: 'event' })

function recoveredFrom(folder: string) {
  return runToEnd(
    recover({
      disk: new NodeDisk(),
      folder,
      ring: new MappedRing(folder, null, () => {}),
      boot: bootId(),
      written: readMark(folder, bootId()),
      engine: newEngine(),
      newEngine,
      newEpoch: () => 'another',
    }),
  )
}

test.skipIf(map === null)(
  'a kill loses nothing while a long batch fills the ring in one turn of the loop',
  async () => {
    const folder = newFolder()
    const engine = newEngine()
    const journal = new Journal(
      {
        disk: new NodeDisk(),
        folder,
        fsync: 'group',
        epoch: EPOCH,
        boot: bootId(),
        mark: new FileCommitMarker(folder, map),
        ring: new MappedRing(folder, map, () => {}),
        // The sync before began less than 4 ms ago: the next one waits for a timer, which no turn of the loop runs.
        clockMs: () => 0,
        later: () => {},
        onFailure: (failure) => {
          throw failure
        },
      },
      { seq: 0, crc: 0, segment: 0 },
    )
    expect(journal.ringBytes).toBeGreaterThan(0)
    const journaled = new JournaledEngine(engine, journal)
    journaled.settings()
    // A trade comes, and its sync ends.
    journaled.events([swap({ slot: 999 })])
    await vi.waitFor(() => expect(journal.syncedSeq).toBe(journal.seq))
    const lost: string[] = []
    for (let part = 0; part < 40; part += 1) {
      const swaps = Array.from({ length: PART }, (_, i) =>
        swap({ slot: 1_000 + part, txIndex: i, signer: `w${i % 50}` }),
      )
      journaled.events(swaps)
      if (part < 8) continue
      const killed = newFolder()
      fs.cpSync(folder, killed, { recursive: true, preserveTimestamps: true })
      const { place } = recoveredFrom(killed)
      if (place.seq !== journal.seq)
        lost.push(`${journal.seq - place.seq} of ${journal.seq} events`)
    }
    journal.close()
    expect(lost).toEqual([])
  },
  120_000,
)
