import { expect, test } from 'vitest'
import type { Engine, EngineOptions } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import { swap } from '../oracle/fixtures.ts'
import { BOOT, recovered, SIZES } from './damage/folder.ts'
import { BUSY_SIZES, busyHistory } from './golden/busy.ts'
import { goldenEvents, goldenFolder, keptFiles } from './golden/golden.ts'

const OCTOBER = 'v15-october'

/** Snapshots in which each token has a row of 208 and one of 112 bytes, and least depths at which a late event is taken. */
const FOLDERS: readonly {
  readonly kept: Parameters<typeof keptFiles>[0]
  readonly sizes: EngineOptions
  readonly depths: number
  readonly events: () => FeedEvent[]
}[] = [
  { kept: 'v15', sizes: SIZES, events: () => goldenEvents(), depths: 5 },
  {
    kept: OCTOBER,
    sizes: SIZES,
    depths: 5,
    events: () => goldenEvents(goldenFolder(OCTOBER)),
  },
  { kept: 'v14-busy', sizes: BUSY_SIZES, events: busyHistory, depths: 5 },
]

/** Slots that an event is late. */
const DEPTHS = [1, 2, 3, 5, 8, 13, 20, 29, 37]

for (const { kept, sizes, events, depths } of FOLDERS)
  test(`tokens of ${kept} are read, and taken back by late events, as if the journal alone was there`, () => {
    const all = events()
    let late = 0
    for (const slots of [0, ...DEPTHS]) {
      const [upgraded, folded] = [true, false].map((hasSnapshot) => {
        const disk = keptFiles(kept)
        for (const path of [...disk.files.keys()])
          if (!hasSnapshot && path.endsWith('.mfs')) disk.files.delete(path)
        const { engine, found } = recovered(disk, BOOT, {}, sizes)
        expect(found.snapshotSeq !== null).toBe(hasSnapshot)
        return engine
      })
      if (upgraded === undefined || folded === undefined) throw new Error('there are two')
      const read = slots === 0 ? all : [...all, lateSwap(folded, slots)]
      if (slots > 0) late += takeLate(upgraded, folded, slots)
      expect(firstUnlike(everyRead(upgraded, read), everyRead(folded, read))).toBeNull()
    }
    expect(late).toBeGreaterThanOrEqual(depths)
  })

/** 1 if the event is folded, by both. */
function takeLate(upgraded: Engine, folded: Engine, slots: number): number {
  const [one, other] = [upgraded, folded].map((engine) => {
    const before = engine.counts.lateFolded
    engine.accept(lateSwap(engine, slots))
    return engine.counts.lateFolded - before
  })
  expect(one).toBe(other)
  return one ?? 0
}

function lateSwap({ newestSlot, state }: Engine, slots: number): FeedEvent {
  const place = { slot: newestSlot - slots, txIndex: 0, ordinal: 0, timestamp: state.now }
  return swap({ ...place, mint: 'late mint', signer: 'late signer', signature: 'late' })
}
