import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { copyParts } from '../../../src/store/recovery/recovery.ts'
import { byLength } from '../../lengths.ts'
import { Pair } from '../../model/pair.ts'
import { created, restartSwaps, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

const BASE_SEED = 20_261_129
const MINTS = ['A', 'B', 'C'] as const
const WALLETS = ['ann', 'bob', 'eve', 'joe'] as const
/** How far the clock goes at once, in seconds: within a window, to its edge, past one, past all. */
const STEPS = [
  0, 0, 0, 1, 1, 5, 59, 60, 61, 299, 300, 3_540, 3_600, 21_600, 86_399, 86_400, 90_000,
] as const
/** How far the time of a swap is from the clock: some are ahead, or too old for any window. */
const AHEAD = [0, 0, 0, 0, -1, -30, -60, -61, 1, 3, 40, -4_000, -86_400, -90_000, 60] as const

test('windows of any history are those of the oracle, after each event and each step of the clock', () => {
  for (let seed = BASE_SEED; seed < BASE_SEED + byLength(15, 120); seed++) runHistory(seed, 40)
})

test('windows of a busy token are read off its bars as they are off its swaps', () => {
  restartSwaps()
  const random = new Random(BASE_SEED)
  const pair = new Pair('wall')
  let now = START_SECOND
  pair.setNow(now)
  // Past the number of swaps from which a mint stores its bars.
  for (let count = 1; count <= 2_600; count++) {
    now += random.pick([0, 1, 2, 30, 60, 90])
    pair.setNow(now)
    pair.apply(randomSwap(random, now, 'A', count, random.integer(-50, 2)))
    if (count % 400 === 0 || count > 2_590) check(pair, `swap ${count}`)
  }
  for (const step of [1, 58, 1, 240, 3_000, 20_000, 50_000, 90_000]) {
    now += step
    pair.setNow(now)
    check(pair, `${step} s later`)
  }
})

test('a trade that the clock reaches later takes the place of one behind it that has left since', () => {
  restartSwaps()
  const pair = new Pair('wall')
  let now = START_SECOND + 100_000
  pair.setNow(now)
  const bySame = (timestamp: number, slot: number) =>
    pair.apply(swap({ mint: 'A', signer: 'ann', timestamp, slot }))
  bySame(now + 50, 110)
  bySame(now - 3_000, 111)
  now += 84_000
  pair.setNow(now)
  bySame(now, 112)
  check(pair, 'the third')
})

test('a state that was loaded has no windows before they are begun, in pieces, and keeps them from then on', () => {
  restartSwaps()
  const random = new Random(BASE_SEED)
  const engine = new Engine({ clock: 'event' })
  for (let count = 0; count < 20_000; count++)
    engine.accept(randomSwap(random, START_SECOND + count, `mint ${count % 500}`, 110 + count, 0))
  const loaded = new Engine({ clock: 'event' })
  copyParts(engine.parts, loaded.parts)
  const bytes = () => loaded.window.trades.bytes
  const before = bytes()
  loaded.accept(randomSwap(random, START_SECOND + 20_000, 'mint 1', 20_110, 0))
  expect(bytes()).toBe(before)
  let pieces = 0
  runToEnd(loaded.window.trades.begin(), () => {
    pieces += 1
  })
  expect(pieces).toBeGreaterThanOrEqual(8)
  const begun = bytes()
  expect(begun).toBeGreaterThan(500 * 272)
  // One more mint than there are rows in the pages.
  for (let count = 0; count < 4_096; count++)
    loaded.accept(randomSwap(random, START_SECOND + 20_001, `other ${count}`, 20_111 + count, 0))
  expect(bytes()).toBeGreaterThan(begun)
})

function runHistory(seed: number, length: number): void {
  restartSwaps()
  const random = new Random(seed)
  const pair = new Pair(random.chance(0.8) ? 'wall' : 'event')
  let now = START_SECOND + 100_000
  pair.setNow(now)
  let slot = 110
  // After a restart events may come before anybody reads.
  let unreadSteps = 0
  for (let step = 0; step < length; step++) {
    now += random.pick(STEPS)
    pair.setNow(now)
    if (unreadSteps === 0) check(pair, `seed ${seed}, step ${step}, the clock`)
    slot += random.pick([0, 0, 1, 2])
    // Some come late, and are folded in their place.
    const place = Math.max(100, slot - random.pick([0, 0, 0, 1, 5, 31]))
    pair.apply(event(random, now, place))
    if (random.chance(0.1)) pair.rest()
    if (unreadSteps > 0) unreadSteps -= 1
    if (random.chance(0.1)) {
      pair.restart()
      unreadSteps = random.integer(0, 4)
      if (random.chance(0.5)) runToEnd(pair.engine.window.trades.begin())
    }
    if (unreadSteps === 0) check(pair, `seed ${seed}, step ${step}, event`)
  }
}

function event(random: Random, now: number, slot: number): FeedEvent {
  const mint = random.pick(MINTS)
  if (random.chance(0.05))
    return created({ mint, slot, signature: `${mint}${slot}`, timestamp: now, txIndex: 0 })
  if (random.chance(0.05)) return { type: 'sol_price', timestamp: now, usd: random.integer(1, 300) }
  return randomSwap(random, now, mint, slot, random.pick(AHEAD))
}

function randomSwap(
  random: Random,
  now: number,
  mint: string,
  slot: number,
  ahead: number,
): FeedEvent {
  return swap({
    mint,
    slot,
    timestamp: now + ahead,
    txIndex: random.integer(0, 50),
    signer: random.pick(WALLETS),
    direction: random.chance(0.6) ? 'buy' : 'sell',
    quoteRaw: BigInt(random.integer(1, 5_000_000_000)),
    virtualQuoteRaw: BigInt(random.integer(20, 90)) * 1_000_000_000n,
    ...(random.chance(0.1) && { solPriceUsd: random.integer(1, 300) }),
  })
}

/** What is read, and what a state that was loaded anew reads. */
function check(pair: Pair, when: string): void {
  const reads = new EngineQueries(pair.engine, () => {})
  for (const mint of MINTS) {
    const detail = JSON.parse(reads.detail(mint) ?? 'null')
    if (detail === null) continue
    const rows = JSON.parse(pair.answers.marketData([mint], true))
    expect({ windows: detail.windows }, `${when}: ${mint}`).toEqual(pair.oracle.windows(mint))
    expect(rows[0].windows, `${when}: ${mint}, kept`).toEqual(detail.windows)
  }
}
