import type { Config } from '../../src/config/config.ts'
import type { Clock } from '../model/pair.ts'
import { Random } from '../oracle/random.ts'

/** What a seed decides once; all else is decided step by step from the same seed. */
export interface Plan {
  readonly seed: number
  readonly clock: Clock
  readonly fsync: Config['fsync']
  readonly segmentBytes: number
  /** Length of the journal's ring, which there is with `group` alone; null: none. */
  readonly ringBytes: number | null
  readonly chunkRecords: number
  readonly tapeMemoryBytes: number
  /** Few or no positions, so that tokens are put to rest; or more than there ever are. */
  readonly positionsMemoryBytes: number
  readonly keepsJournal: boolean
  /** Events of the history, before copies and garbage. */
  readonly events: number
  readonly batchMax: number
  readonly hasSecondFeed: boolean
  /** Longest background sync. */
  readonly syncMsMax: number
  readonly clientBufferBytes: number
  /** How often something goes wrong, or is begun, in a step. */
  readonly chances: Chances
}

export interface Chances {
  readonly compaction: number
  readonly fault: number
  readonly compactorKill: number
  readonly stop: number
  readonly clockStep: number
  readonly read: number
}

export function planOf(seed: number): Plan {
  const random = new Random(seed ^ 0x51a4)
  const isRough = random.chance(0.7)
  return {
    seed,
    clock: random.chance(0.5) ? 'wall' : 'event',
    fsync: random.pick(['group', 'group', 'group', 'always', 'off'] as const),
    segmentBytes: random.pick([1_500, 6_000, 30_000, 64 << 20]),
    chunkRecords: random.pick([64, 64, 128, 65_536]),
    tapeMemoryBytes: random.pick([0, 0, 20_000, 1 << 30]),
    keepsJournal: random.chance(0.2),
    events: random.pick([120, 250, 250, 500]),
    batchMax: random.pick([1, 4, 12, 60]),
    hasSecondFeed: random.chance(0.5),
    syncMsMax: random.pick([2, 20, 5_000, 100_000_000]),
    clientBufferBytes: random.pick([20_000, 1 << 20]),
    chances: {
      compaction: random.pick([0, 0.03, 0.1]),
      fault: isRough ? random.pick([0, 0.03, 0.08]) : 0,
      compactorKill: random.pick([0, 0.3]),
      stop: isRough ? random.pick([0.01, 0.04]) : 0.005,
      clockStep: random.pick([0, 0.03]),
      read: random.pick([0.1, 0.4]),
    },
    positionsMemoryBytes: random.pick([0, 1_500, 1 << 30]),
    ringBytes: random.pick([null, 900, 8_000]),
  }
}
