import { expect, test, vi } from 'vitest'
import { planRepair } from '../../src/commands/repair.ts'
import { Engine } from '../../src/engine/engine.ts'
import { StoreError } from '../../src/store/disk/failure.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { recover } from '../../src/store/recovery/recovery.ts'
import { history } from '../oracle/histories.ts'
import { BadSectorDisk } from './damage/bad-sector-disk.ts'
import { BOOT, begun, EPOCH, FOLDER } from './damage/folder.ts'
import { ImageDisk } from './damage/image-disk.ts'

const newEngine = () => new Engine({ clock: 'event' })

/** A folder whose journal holds some events, a frame each. */
function journaled(): { disk: ImageDisk; seq: number } {
  const disk = new ImageDisk()
  const { journal, journaled } = begun(disk)
  journaled.settings()
  for (const event of history(3, 60)) journaled.events([event])
  journal.close()
  return { disk, seq: journal.seq }
}

function recovered(disk: ImageDisk, engine: Engine) {
  const about = { disk, folder: FOLDER, boot: BOOT, written: null }
  return runToEnd(recover({ ...about, engine, newEngine, newEpoch: () => EPOCH }))
}

test.each(['acceptLanes', 'accept'] as const)(
  'an event that the fold throws at (%s) stops the start with a sentence, and what it says helps',
  (method) => {
    const { disk, seq } = journaled()
    const engine = newEngine()
    const fold = engine[method].bind(engine) as (...given: unknown[]) => void
    let left = 5
    vi.spyOn(engine, method).mockImplementation((...given: unknown[]) => {
      if (left-- === 0) throw new RangeError('a planted fault')
      fold(...given)
    })
    let stopped: unknown = null
    try {
      recovered(disk, engine)
    } catch (error) {
      stopped = error
    }
    if (!(stopped instanceof StoreError)) throw new Error('it was to stop')
    expect(stopped.code).toBe('fault')
    expect(stopped.cause).toBeInstanceOf(RangeError)
    const until = Number(/repair --until (\d+)\.$/.exec(stopped.message)?.[1])
    expect(until).toBeGreaterThan(0)
    expect(until).toBeLessThan(seq)
    // Everything before it stays, and a whole engine folds that.
    expect(planRepair(disk, FOLDER, until, 1 << 16).place.seq).toBe(until)
    expect(recovered(disk, newEngine()).place.seq).toBe(seq)
  },
)

test('a segment that cannot be read is no fault of the program', () => {
  const { disk } = journaled()
  const [{ path }] = listDataFiles(disk, FOLDER).segments
  const bad = new BadSectorDisk(disk, path, disk.bytesOf(path).length >> 1)
  expect(() => recovered(bad, newEngine())).toThrow(/^EIO: read$/)
  expect(bad.files).toEqual(disk.files)
})
