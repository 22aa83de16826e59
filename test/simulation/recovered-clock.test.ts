import { expect, test } from 'vitest'
import { Service } from '../../src/app/service.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import { JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { recover } from '../../src/store/recovery/recovery.ts'
import { price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { CrashDisk } from '../store/disks/crash-disk.ts'
import { simulatedEngine } from './reference.ts'

const FOLDER = '/data'
const BOOT = '00000000-0000-4000-8000-000000000001'
const PLAN = { clock: 'wall', chunkRecords: 64 } as const
const HOUR_MS = 3_600_000

function serviceAt(wallMs: number): Service {
  const config = { clock: PLAN.clock, lateSlots: 32 }
  return new Service(
    config,
    () => {},
    () => wallMs,
    simulatedEngine(PLAN),
  )
}

function recovered(disk: CrashDisk, service: Service) {
  return runToEnd(
    recover({
      disk,
      folder: FOLDER,
      boot: BOOT,
      written: null,
      engine: service.engine,
      newEngine: () => simulatedEngine(PLAN),
      newEpoch: () => BOOT,
    }),
  )
}

test('the clock of a start does not judge the events that the journal holds', () => {
  const disk = new CrashDisk()
  const first = serviceAt(START_SECOND * 1000)
  const { place } = recovered(disk, first)
  const journal = new Journal(
    { disk, folder: FOLDER, fsync: 'always', epoch: BOOT, boot: BOOT, onFailure: () => {} },
    place,
  )
  first.journalTo(new JournaledEngine(first.engine, journal))
  const tooEarly = swap({ slot: 300, signature: 'early', timestamp: START_SECOND + 600 })
  first.events([price(150), swap({ slot: 299, signature: 'first' }), tooEarly])
  expect(first.engine.counts.aheadRefused).toBe(1)

  const hourLater = serviceAt(START_SECOND * 1000 + HOUR_MS)
  recovered(disk.kill(), hourLater)

  expect(hourLater.engine.counts.aheadRefused).toBe(1)
  expect(hourLater.engine.seq).toBe(first.engine.seq)
})
