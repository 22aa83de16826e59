/** The window of 24 h, to the second, by a clock that nobody's trades move. */

import { RING_SECONDS } from '../../../src/engine/fold/swap-fold.ts'
import { difference } from '../../model/difference.ts'
import { Pair } from '../../model/pair.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import type { Case } from '../check.ts'

const DAY = 86_400
/** When trades happen, seconds after the start. */
const TRADES = [4, 5, 5, 6, 30, 90] as const
/** Where the clock is read. */
const CLOCKS = [
  ...[3, 4, 5, 6, 50, 100],
  ...[DAY + 2, DAY + 3, DAY + 4, DAY + 5, DAY + 6, DAY + 7, DAY + 29, DAY + 30, DAY + 31],
  ...[DAY + 89, DAY + 90, DAY + 91, 3 * DAY],
]

const read = (pair: Pair): string | null =>
  difference(JSON.parse(pair.answers.marketData(['mint'])), pair.oracle.marketData(['mint']))

/** `steps`: seconds the clock stands at, ascending. */
function run(steps: readonly number[]): string | null {
  const pair = new Pair('wall')
  pair.setNow(START_SECOND)
  for (const event of [price(150), created()]) pair.apply(event)
  for (const [index, after] of TRADES.entries()) {
    // Some swaps lie ahead of the clock when they arrive; the clock never goes back.
    pair.setNow(Math.max(pair.oracle.now, START_SECOND + after - (index % 2) * 20))
    const direction = index % 3 === 2 ? 'sell' : 'buy'
    pair.apply(swap({ slot: 110 + index, timestamp: START_SECOND + after, direction }))
    const found = read(pair)
    if (found !== null) return `swap ${index}: ${found}`
  }
  for (const step of steps) {
    if (START_SECOND + step < pair.oracle.now) continue
    pair.setNow(START_SECOND + step)
    const found = read(pair)
    if (found !== null) return `at ${step}: ${found}`
  }
  return null
}

/** A swap that arrives when it is just in, or just out of, the window. */
function lateSwap(age: number): string | null {
  const pair = new Pair('wall')
  pair.setNow(START_SECOND + DAY)
  for (const event of [price(150), created()]) pair.apply(event)
  pair.apply(swap({ timestamp: START_SECOND + DAY - age }))
  return read(pair)
}

/** A swap ahead of a clock that jumps past its day, then one whose second has the same place in the ring. */
function jumpedSwap(): string | null {
  const pair = new Pair('wall')
  pair.setNow(START_SECOND)
  for (const event of [price(150), created(), swap({ timestamp: START_SECOND })]) pair.apply(event)
  const ahead = START_SECOND + 30
  pair.apply(swap({ slot: 120, timestamp: ahead }))
  pair.setNow(ahead + DAY + 1)
  for (const [index, timestamp] of [ahead + RING_SECONDS, ahead + RING_SECONDS + DAY].entries()) {
    pair.setNow(timestamp)
    pair.apply(swap({ slot: 1_000 + index, timestamp }))
    const found = read(pair)
    if (found !== null) return `swap ${index} after the jump: ${found}`
  }
  return null
}

const everySecond = Array.from({ length: 40 }, (_, index) => DAY - 10 + index)

export const cases: readonly Case[] = [
  { name: 'second by second', run: () => run(everySecond) },
  { name: 'in jumps', run: () => run(CLOCKS) },
  { name: 'one jump', run: () => run([DAY + 5]) },
  { name: 'a jump over a swap ahead', run: jumpedSwap },
  ...[DAY - 1, DAY, DAY + 1].map((age) => ({
    name: `a swap ${age} s old`,
    run: () => lateSwap(age),
  })),
]
