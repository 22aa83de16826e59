/** Charts of busy mints, whose bars are stored, and of long times: weeks and months. */
import type { FeedEvent } from '../../../src/events/event.ts'
import { type ChartQuery, RESOLUTIONS } from '../../../src/protocol/queries.ts'
import { difference } from '../../model/difference.ts'
import { Pair } from '../../model/pair.ts'
import { randomChart } from '../../model/random-queries.ts'
import { chart, created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import type { Case } from '../check.ts'
import { load } from '../story.ts'

/** More than the swaps from which bars are stored. */
const BUSY = 2_300
const HOUR = 3_600

/** Swaps whose prices wander, `stepSeconds` apart at most; now and then one arrives late. */
function trades(seed: number, count: number, stepSeconds: number): FeedEvent[] {
  const random = new Random(seed)
  const events: FeedEvent[] = [price(150), created()]
  let timestamp = START_SECOND
  for (let index = 0; index < count; index += 1) {
    timestamp += random.chance(0.1) ? 0 : random.integer(0, stepSeconds)
    // Borders of bars are where trades go to the wrong one.
    if (random.chance(0.05)) timestamp += 60 - (timestamp % 60)
    const late = random.chance(0.05) ? random.integer(1, 9) : 0
    events.push(
      swap({
        slot: 200 + index - late,
        timestamp: timestamp - late,
        quoteRaw: BigInt(random.integer(1, 10 ** 9)),
        virtualQuoteRaw: BigInt(random.integer(20, 60)) * 10n ** 9n,
      }),
    )
  }
  return events
}

function queries(now: number): ChartQuery[] {
  const random = new Random(7)
  const whole = RESOLUTIONS.map((resolution) => chart({ from: 0, to: now, resolution }))
  const some = Array.from({ length: 60 }, () => randomChart(random, 'mint', now))
  const edges = RESOLUTIONS.flatMap((resolution) =>
    [0, 1, 59, 60].map((after) =>
      chart({ from: START_SECOND + after, to: START_SECOND + after + HOUR, resolution }),
    ),
  )
  const fill = 'previous'
  // Some of these seconds have no trade: such a range begins with what was before it.
  const filled = [7, 30, 31, 45, 52].map((after) =>
    chart({ from: START_SECOND + after, to: START_SECOND + after + 60, resolution: '1S', fill }),
  )
  return [
    ...whole,
    ...some,
    ...edges,
    ...filled,
    chart({ from: 0, to: now, resolution: '1S', fill }),
    chart({ from: 0, to: now, resolution: '1W', fill }),
    chart({ from: 0, to: now, resolution: '1M', continuous: true }),
    chart({ from: 0, to: now, resolution: '15', continuous: true }),
  ]
}

function run(events: readonly FeedEvent[]): string | null {
  const pair = new Pair('event')
  load(pair, events)
  for (const query of queries(pair.oracle.now)) {
    const found = difference(JSON.parse(pair.answers.chart(query)), pair.oracle.chart(query))
    if (found !== null) return `${JSON.stringify(query)}: ${found.slice(0, 300)}`
  }
  return null
}

export const cases: readonly Case[] = [
  { name: 'stored bars, close together', run: () => run(trades(1, BUSY, 9)) },
  { name: 'stored bars over months', run: () => run(trades(2, BUSY, 2 * HOUR)) },
  { name: 'derived bars over months', run: () => run(trades(3, 300, 30 * HOUR)) },
]
