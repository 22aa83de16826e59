import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import type { Swap } from '../../src/engine/event.ts'
import { everyRead } from '../model/every-read.ts'
import { FOLDER, recovered } from './damage/folder.ts'
import { ImageDisk } from './damage/image-disk.ts'
import { goldenEvents } from './golden/golden.ts'

/** A journal and a snapshot of version 3, of 120 events in 20 slots: late events reach all of them. */
const KEPT = fileURLToPath(new URL('golden/v3-late/', import.meta.url))

function keptFiles(): ImageDisk {
  const disk = new ImageDisk()
  for (const name of readdirSync(KEPT))
    disk.files.set(
      join(FOLDER, name.replace('.gz', '')),
      gunzipSync(readFileSync(join(KEPT, name))),
    )
  return disk
}

/** Every answer after a swap that comes so many slots late. */
function answersAfterLate(engine: Engine, slots: number): string {
  const swap: Swap = {
    type: 'swap',
    ...{ slot: engine.newestSlot - slots, txIndex: 0, ordinal: 0, signature: 'late' },
    ...{ timestamp: engine.state.now, source: 'pump', mint: 'late mint', pool: 'late curve' },
    ...{ signer: 'late signer', direction: 'buy', baseRaw: 1_000_000n, quoteRaw: 1_000_000n },
    ...{ virtualBaseRaw: 1_000_000_000n, virtualQuoteRaw: 30_000_000_000n },
    ...{ realBaseRaw: 1_000_000n, realQuoteRaw: 1_000_000n },
    ...{ platformFeeRaw: 0n, creatorFeeRaw: 0n },
  }
  const before = engine.counts.lateFolded
  engine.accept(swap)
  expect(engine.counts.lateFolded, 'the swap is to be folded').toBe(before + 1)
  return JSON.stringify([...everyRead(engine, [...goldenEvents(), swap])])
}

for (const slots of [1, 10, 19])
  test(`a swap ${slots} slots late takes back what a snapshot of version 3 remembers of births`, () => {
    const whole = keptFiles()
    const journalAlone = keptFiles()
    for (const path of [...journalAlone.files.keys()])
      if (path.endsWith('.mfs')) journalAlone.files.delete(path)
    const upgraded = recovered(whole)
    expect(upgraded.found.snapshotSeq).toBe(120)
    const expected = answersAfterLate(recovered(journalAlone).engine, slots)
    expect(answersAfterLate(upgraded.engine, slots) === expected).toBe(true)
  })
