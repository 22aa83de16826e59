import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../src/events/event.ts'
import { xLinkOf } from '../../../src/events/text.ts'
import { byLength } from '../../lengths.ts'
import { type Check, firstDifference } from '../../model/difference.ts'
import { Pair } from '../../model/pair.ts'
import { created, START_SECOND, swap, twitter } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

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
    { numRuns: Number(process.env.RUNS ?? byLength(5, 40)) },
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

test('a link that TweetDeck, an old phone page or an old client made is the one that X makes', () => {
  expectLinksReused([
    'https://x.com/MarioNawfal/status/1859129592033775842',
    'https://pro.x.com/MarioNawfal/status/1859129592033775842/photo/1',
    'https://m.twitter.com/MarioNawfal/status/1859129592033775842',
    'http://twitter.com/MarioNawfal/statuses/1859129592033775842',
  ])
  expectLinksReused(['https://x.com/someone', 'https://m.twitter.com/someone'])
})

test('a link to a tweet that was pasted twice, or has more behind its id, is that tweet', () => {
  expectLinksReused([
    'https://x.com/BBCWorld/status/1859582946857857452',
    'https://x.com/BBCWorld/status/1859582946857857452https://x.com/BBCWorld/status/1859582946857857452',
    'https://x.com/BBCWorld/status/1859582946857857452).',
  ])
  expectLinksReused(['https://x.com/BBCWorld', 'https://x.com/BBCWorld/status/'])
})

test('a link is the one that a browser asks for, whatever is written around its address', () => {
  expectLinksReused([
    'https://x.com/elon',
    'https://x.com:443/elon',
    'https://user@x.com/elon',
    'https://x.com./a/.././elon',
    'https://x.com/%65lon',
    'https://x.com\\elon',
    ' https://x.com/elon ',
  ])
  expectLinksReused(['https://x.com/i/communities/12', 'https://x.com/I/Communities/12'])
  expectLinksReused(['https://x.com/i/status/12', 'https://x.com:443/elon/STATUS/12'])
})

test('a host in other letters than ASCII is known however often links were looked at', () => {
  const link = 'https://x.c\u00bam/elon'
  const first = xLinkOf(link)
  for (let i = 0; i < 20_000; i++) xLinkOf(`https://x.com/h${i}`)
  expect([first, xLinkOf(link)]).toEqual(['@elon', '@elon'])
})

test('one handle is one link, also with the @ in front of it', () => {
  expectLinksReused([
    'https://x.com/@realDonaldTrump',
    'https://x.com/realDonaldTrump',
    'https://twitter.com/@REALDONALDTRUMP/',
    'https://x.com/realdonaldtrump/with_replies',
  ])
})

test('one broadcast, and one space, is one link by its id', () => {
  const broadcasts = [
    'https://x.com/i/broadcasts/1RDGlyWYyNkJL',
    'https://twitter.com/i/broadcasts/1RDGlyWYyNkJL?s=20',
    'https://x.com/i/Broadcasts/1RDGlyWYyNkJL/',
  ]
  const spaces = [
    'https://x.com/i/spaces/1yoKMyVqyPOKQ',
    'https://x.com/i/spaces/1yoKMyVqyPOKQ/peek',
  ]
  expectLinksReused(broadcasts)
  expectLinksReused(spaces)
  // Letters of an id count: these are two.
  expect(reusesOf(['https://x.com/i/spaces/1YOKMyVqyPOKQ', ...spaces])).toEqual(['cid'])
})

/** Of a mint for each link all but the first use it again, in the engine and in the oracle. */
function expectLinksReused(links: readonly string[]): void {
  expect(reusesOf(links)).toEqual(MINTS.slice(1, links.length).toReversed())
}

/** The mints that use a link again, newest first, of a mint for each link. */
function reusesOf(links: readonly string[]): readonly string[] {
  const pair = new Pair('event')
  for (const [i, link] of links.entries()) {
    pair.apply(created({ mint: MINTS[i], slot: FIRST_SLOT + i, signature: `creation ${i}` }))
    pair.apply(twitter(MINTS[i], link))
  }
  expect(firstDifference(reuseChecks(pair))).toBeNull()
  const filters = { new: { xReuses: { min: 1 } } }
  const answer = pair.answers.tables({ type: 'new', filters, limit: 50 })
  return [...answer.matchAll(/"mint":"([^"]+)"/g)].map(([, mint]) => mint)
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
