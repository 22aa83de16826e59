import { byLength } from '../lengths.ts'
import { labelledHistory } from '../oracle/histories.ts'
import { countKinds, type KindCounts, noKindCounts } from '../oracle/kinds.ts'
import { Random } from '../oracle/random.ts'
import { checkAll } from './full-check.ts'
import { checkEvent } from './light-check.ts'
import { type Clock, Pair } from './pair.ts'

/** Events that are checked over all files of the model; MODEL_EVENTS for any other number. */
export const MODEL_EVENTS = Number(process.env.MODEL_EVENTS ?? byLength(60_000, 1_000_000))
/** Fixed unless MODEL_SEED says otherwise. */
const BASE_SEED = Number(process.env.MODEL_SEED ?? 20_261_121)
/** Files that share the work, so that they run side by side. */
export const SHARES = 4
const LENGTHS = [12, 30, 40, 40, 50, 60] as const
/** Of this many histories one is read in full, in the middle and at its end. */
const FULL_EVERY = 25
/** How often all that may is put to rest before an event; one is drawn for each history. */
const REST_CHANCES = [0, 0.1, 0.5, 1] as const
const SEEDS_PER_SHARE = 10_000_000

export interface Tally {
  events: number
  histories: number
  fullReads: number
  /** Tokens that were put to rest, and those of them that were woken. */
  rests: number
  wakings: number
  /** Events of each of the newer kinds (test/oracle/kinds.ts). */
  readonly kinds: KindCounts
  /** Reserves and balances that were refused as too late or as copies. */
  untakenLines: number
}

export const noTally = (): Tally => ({
  ...{ events: 0, histories: 0, fullReads: 0, rests: 0, wakings: 0, untakenLines: 0 },
  kinds: noKindCounts(),
})

/** Runs histories until the share's events are checked; throws at the first difference. */
export function runShare(share: number): Tally {
  const tally = noTally()
  const wanted = Math.ceil(MODEL_EVENTS / SHARES)
  while (tally.events < wanted) {
    const seed = BASE_SEED + share * SEEDS_PER_SHARE + tally.histories
    runHistory(seed, tally)
    tally.histories += 1
  }
  return tally
}

/**
 * One history; its seed decides its length, its clock and when everything is read. `prepare` is given
 * the pair before the first event.
 */
export function runHistory(seed: number, tally: Tally, prepare?: (pair: Pair) => void): void {
  const random = new Random(seed ^ 0x5eed)
  const count = random.pick(LENGTHS)
  const clock: Clock = random.chance(0.2) ? 'wall' : 'event'
  const fullAt = seed % FULL_EVERY === 0 ? random.integer(0, count - 1) : -1
  const pair = new Pair(clock)
  prepare?.(pair)
  const sleep = new Random(seed ^ 0xd04)
  let isFilling = false
  const restChance = sleep.pick(REST_CHANCES)
  for (const [index, { event, kinds }] of labelledHistory(seed, count).entries()) {
    if (clock === 'wall' && !isFilling) moveClock(pair, event.timestamp, random)
    if (!isFilling && sleep.chance(restChance)) pair.rest()
    const taken = pair.oracle.taken
    pair.apply(event)
    const isLine = ['reserves', 'balance', 'token_state'].includes(event.type)
    if (isLine && pair.oracle.taken === taken) tally.untakenLines += 1
    countKinds(tally.kinds, kinds)
    tally.events += 1
    if (event.type === 'gap') isFilling = event.state === 'filling'
    // The feed hands over such a run at once: nothing is read in it.
    if (isFilling) {
      if (pair.oracle.taken > taken) pair.filled.push(event)
      continue
    }
    const isFull = index === fullAt || (fullAt >= 0 && index === count - 1)
    const found = checkEvent(pair, event, index) ?? (isFull ? checkAll(pair, seed) : null)
    if (found !== null)
      throw new Error(`seed ${seed}, ${clock} clock, event ${index} (${event.type}): ${found}`)
    if (isFull) tally.fullReads += 1
  }
  const { dormant } = pair.engine.state
  tally.rests += dormant.tokens + dormant.wakings
  tally.wakings += dormant.wakings
}

/** Up to 50 seconds behind the events, now and then hours ahead of them. */
function moveClock(pair: Pair, timestamp: number, random: Random): void {
  const ahead = random.chance(0.03) ? random.integer(0, 90_000) : random.integer(-50, 5)
  pair.setNow(Math.max(pair.oracle.now, timestamp + ahead))
}
