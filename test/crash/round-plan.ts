import type { Random } from '../../src/base/random.ts'
import { HISTORY_SWAPS_PER_TOKEN } from '../../src/feeds/simulator/simulator.ts'
import type { Settings } from '../process/program.ts'

/** What a round does before it ends the program. */
export interface RoundPlan {
  readonly name: string
  readonly settings: Settings
  /** The test feeds event lines through the standard input. */
  readonly feedsLines: boolean
  /** All is quiet before the kill, and every answer must be the same after it. */
  readonly isQuiet: boolean
  /** Swaps that are there before the load begins. */
  readonly swapsBefore: number
  /** How long it is under load, in ms. */
  readonly loadMs: number
  readonly compactor: CompactorPlan
  /** A start before it is killed this long after its launch, in ms. */
  readonly killsStartAfterMs: number | null
}

/**
 * `leave`: nothing is done about it. `finish`: the program dies once a snapshot is made. `orphan`: the program dies while one runs, which lives on.
 * `before`: it is killed, then the program. `survive`: it is killed, the program goes on a while.
 */
export type CompactorPlan = 'leave' | 'finish' | 'orphan' | 'before' | 'survive'

/** One round in so many is quiet before the kill. */
const QUIET_EVERY = 4
const COMPACTOR_PLANS: readonly CompactorPlan[] = [
  'leave',
  'finish',
  'finish',
  'orphan',
  'orphan',
  'before',
  'survive',
]
const LOAD_MS_MIN = 100
const LOAD_MS_MAX = 900
/** Around the time in which a start recovers. */
const START_MS_MIN = 400
const START_MS_MAX = 1_200
/** Tokens of the first round, so that its history is more than one chunk of the tape. */
const WARM_TOKENS = 6_000
const TOKENS = 300
const FEEDS = ['sim', 'sim', 'sim,stdin', 'stdin']

export function planRound(random: Random, round: number): RoundPlan {
  const isQuiet = round % QUIET_EVERY === QUIET_EVERY - 1
  // The answers of a quiet program are compared in the next one, before anything is fed to it.
  const isAfterQuiet = round > 0 && round % QUIET_EVERY === 0
  const isStill = isQuiet || isAfterQuiet
  const feeds = round === 0 ? 'sim' : isStill ? 'stdin' : random.pick(FEEDS)
  const compactor = round === 0 ? 'finish' : random.pick(COMPACTOR_PLANS)
  // Who waits for a compactor is not to wait long.
  const every = random.pick(compactor === 'leave' ? ['1s', '2s', '3s'] : ['300ms', '1s'])
  const isEventClock = isStill || random.chance(0.2)
  const fsync = random.pick(['group', 'group', 'always', 'off'])
  const rate = random.between(500, 3_000)
  return {
    name: `${feeds} fsync=${fsync} every=${every} rate=${rate}${isQuiet ? ' quiet' : ''}`,
    settings: {
      FEED: feeds,
      FSYNC: fsync,
      SNAPSHOT_EVERY: every,
      SIM_RATE: String(rate),
      SIM_TOKENS: String(round === 0 ? WARM_TOKENS : TOKENS),
      // Now and then the same market again, as a user has who starts it anew.
      SIM_SEED: String(random.chance(0.2) ? 1 : round + 2),
      CLOCK: isEventClock ? 'event' : 'wall',
      TAPE_MEMORY: '1mb',
      // So little that tokens are put to rest and woken all the time.
      POSITIONS_MEMORY: round % 2 === 0 ? '1mb' : '4gb',
      RATE_LIMIT: 'off',
    },
    feedsLines: feeds.includes('stdin'),
    isQuiet,
    swapsBefore: round === 0 ? WARM_TOKENS * HISTORY_SWAPS_PER_TOKEN : 0,
    loadMs: random.between(LOAD_MS_MIN, LOAD_MS_MAX),
    compactor,
    killsStartAfterMs: random.chance(0.2) ? random.between(START_MS_MIN, START_MS_MAX) : null,
  }
}
