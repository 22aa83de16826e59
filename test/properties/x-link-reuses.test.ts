import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FeedEvent } from '../../src/engine/event.ts'
import { type Check, firstDifference } from '../model/difference.ts'
import { Pair } from '../model/pair.ts'
import { created, START_SECOND, swap, twitter } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'

const MINTS = ['ada', 'bea', 'cid', 'dot', 'eva', 'fay', 'gus'] as const
const LINKS = ['https://x.com/dog', 'https://x.com/cat', ''] as const
const FIRST_SLOT = 1_000

test('reuses of a link are right after every event, however often they were asked for before', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 5, max: 30 }), (seed, count) => {
      const random = new Random(seed)
      const pair = new Pair('event')
      for (let i = 0; i < count; i += 1) {
        pair.apply(event(random, FIRST_SLOT + 3 * i, i))
        // Not after each: what changed in between is ranked at once.
        if (random.chance(0.6)) expect(firstDifference(reuseChecks(pair))).toBeNull()
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 40) },
  )
})

test('one tweet is one link in all of its spellings', () => {
  expectLinksReused([
    'https://x.com/someone/status/12',
    'https://twitter.com/i/status/12?s=1',
    'https://x.com/i/web/status/12',
    'https://twitter.com/i/web/status/12/photo/1',
  ])
})

test('one handle is one link, also with the @ in front of it', () => {
  expectLinksReused([
    'https://x.com/@realDonaldTrump',
    'https://x.com/realDonaldTrump',
    'https://twitter.com/@REALDONALDTRUMP/',
    'https://x.com/realdonaldtrump/with_replies',
  ])
})

/** A mint for each link; each but the first uses it again, in the engine and in the oracle. */
function expectLinksReused(links: readonly string[]): void {
  const pair = new Pair('event')
  for (const [i, link] of links.entries()) {
    pair.apply(created({ mint: MINTS[i], slot: FIRST_SLOT + i, signature: `creation ${i}` }))
    pair.apply(twitter(MINTS[i], link))
  }
  expect(firstDifference(reuseChecks(pair))).toBeNull()
  const filters = { new: { xReuses: { min: 1 } } }
  const reusing: unknown = JSON.parse(pair.answers.tables({ type: 'new', filters, limit: 50 }))
  const mints = MINTS.slice(1, links.length).toReversed()
  expect(reusing).toMatchObject({ new: mints.map((mint) => ({ mint })) })
}

/** The newest mints with each number of reuses. */
function* reuseChecks({ answers, oracle }: Pair): Generator<Check> {
  for (const times of MINTS.keys()) {
    const filters = { new: { xReuses: { min: times, max: times } } }
    const query = { type: 'new', filters, limit: 50 } as const
    yield {
      name: `${times} reuses`,
      actual: answers.tables(query),
      expected: oracle.tables(query),
    }
  }
}

/** A link set or taken away, a creation on time or late, or a swap that may be a mint's first. */
function event(random: Random, slot: number, index: number): FeedEvent {
  const mint = random.pick(MINTS)
  const timestamp = START_SECOND + index
  if (random.chance(0.4)) return { ...twitter(mint, random.pick(LINKS)), timestamp }
  const lateSlot = slot - (random.chance(0.5) ? random.integer(0, 40) : 0)
  const place = { mint, slot: lateSlot, timestamp, signature: `event ${index}` }
  if (random.chance(0.5)) return created({ ...place, creator: 'creator' })
  return swap({ ...place, txIndex: random.integer(0, 9), pool: `curve ${mint}` })
}
