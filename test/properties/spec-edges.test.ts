/** Edges that the contract names, with figures worked out by hand: neither side may move them. */
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent, Swap } from '../../src/events/event.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { checkAll } from '../model/full-check.ts'
import { Pair } from '../model/pair.ts'
import { follow } from '../mutants/story.ts'
import { created, migrated, price, swap } from '../oracle/fixtures.ts'

const NEWEST_SLOT = 1_000
/** Whatever has a slot moves the window of late swaps, not swaps alone. */
const NEWEST: readonly FeedEvent[] = [
  created({ slot: NEWEST_SLOT, mint: 'other' }),
  swap({ slot: NEWEST_SLOT, mint: 'other' }),
  migrated({ slot: NEWEST_SLOT, mint: 'other' }),
  { ...migrated({ slot: NEWEST_SLOT, mint: 'other' }), type: 'completed' },
]

for (const newest of NEWEST)
  test(`a swap 32 slots behind a ${newest.type} is taken, one 33 behind is refused`, () => {
    const pair = new Pair('event')
    const late = (slots: number) => swap({ signature: `${slots}`, slot: NEWEST_SLOT - slots })
    const events = [created(), newest, late(31), late(33), late(32)]
    expect(follow(pair, events)).toBeNull()
    expect(checkAll(pair, 1)).toBeNull()
    expect(JSON.parse(pair.answers.swaps('mint', null, { page: 1, limit: 9 }))).toMatchObject({
      total: 2,
      items: [{ signature: '31' }, { signature: '32' }],
    })
    expect(pair.engine.counts).toMatchObject({ lateRefused: 1 })
  })

test('text of the chain is cut at 256, 512 and 4,096 code points, and not before', () => {
  const pair = new Pair('event')
  const frogs = (count: number) => '🐸'.repeat(count)
  const link = (count: number) => `https://${frogs(count - 'https://'.length)}`
  const told = [
    created({ name: frogs(257), symbol: frogs(256), uri: frogs(513) }),
    {
      ...{ type: 'metadata' as const, timestamp: 0, mint: 'mint' },
      ...{ description: frogs(4_097), website: link(513), telegram: link(512) },
    },
  ]
  expect(follow(pair, told)).toBeNull()
  const [token] = JSON.parse(pair.answers.search('mint'))
  expect(token).toMatchObject({
    ...{ name: frogs(256), symbol: frogs(256), uri: frogs(512) },
    ...{ description: frogs(4_096), website: link(512), telegram: link(512) },
  })
})

/** [decimals, raw units left, whether that is nothing]: a millionth of a token is. */
const LEFT = [
  [6, 1n, true],
  [6, 2n, false],
  [9, 1_000n, true],
  [9, 1_001n, false],
  [0, 0n, true],
  [0, 1n, false],
] as const

for (const [decimals, left, isNothing] of LEFT)
  test(`of ${decimals} decimals ${left} raw left is ${isNothing ? 'all sold' : 'held'}`, () => {
    const pair = new Pair('event')
    const bought = 1_000_000n
    const ofCreator = { signer: 'creator', baseRaw: bought }
    const events = [
      price(100),
      created({ decimals }),
      swap(ofCreator),
      swap({ ...ofCreator, direction: 'sell', baseRaw: bought - left }),
    ]
    expect(follow(pair, events)).toBeNull()
    const filters = { new: { devSoldAll: true } }
    const table = pair.answers.tables({ type: 'new', filters, limit: 1 })
    expect(JSON.parse(table)).toMatchObject({ new: isNothing ? [{ mint: 'mint' }] : [] })
  })

/** Has the creator sold all, after each of these? A difference to the oracle fails. */
function soldAllAfter(events: readonly FeedEvent[]): number[] {
  const pair = new Pair('event')
  pair.apply(created())
  return events.map((event) => {
    expect(follow(pair, [event])).toBeNull()
    const filters = { new: { devSoldAll: true } }
    return JSON.parse(pair.answers.tables({ type: 'new', filters, limit: 1 })).new.length
  })
}

test('a creator who was told to hold tokens that it never bought has sold all once it sold them', () => {
  const told = (raw: bigint) =>
    swap({ signer: 'creator', baseRaw: 0n, baseBalanceBeforeRaw: 0n, baseBalanceAfterRaw: raw })
  const sold = () => swap({ signer: 'creator', direction: 'sell', baseRaw: 5_000_000n })
  expect(soldAllAfter([told(0n), told(5_000_000n), sold()])).toEqual([0, 0, 1])
  // Gone without a sale they were handed on.
  expect(soldAllAfter([told(5_000_000n), told(0n)])).toEqual([0, 0])
})

/** [whole tokens, decimals]: times 10^decimals each is less than the raw units that it stands for, in doubles. */
const SOLD_ALL = [
  [0.000249, 6],
  [0.000065, 9],
  [0.00013, 9],
] as const

for (const [soldAllWhole, decimals] of SOLD_ALL)
  test(`who holds exactly the ${soldAllWhole} tokens of SOLD_ALL_TOKENS has sold all, of ${decimals} decimals`, () => {
    const engine = new Engine({ clock: 'event', identities: 1 << 12, rules: { soldAllWhole } })
    const answers = new EngineQueries(engine, () => {})
    const left = BigInt(Math.round(soldAllWhole * 10 ** decimals))
    const listed = (over: Partial<Swap>) => {
      engine.accept(swap({ signer: 'creator', ...over }))
      const filters = { new: { devSoldAll: true } }
      return JSON.parse(answers.tables({ type: 'new', filters, limit: 1 })).new.length
    }
    engine.accept(created({ decimals }))
    const [direction, bought] = ['sell', left + 10n] as const
    const sales = [{ baseRaw: bought }, { direction, baseRaw: 9n }, { direction, baseRaw: 1n }]
    expect(sales.map(listed)).toEqual([0, 0, 1])
  })

/** Of these a share times 100 is another number in doubles, which no filter of the whole one would find. */
for (const percent of [7, 14, 28, 29, 55, 56, 57, 58])
  test(`${percent} percent read as ${percent}, and a filter of ${percent} finds them`, () => {
    const pair = new Pair('event')
    const held = BigInt(percent) * 10_000_000_000_000n
    const left = BigInt(100 - percent) * 7_931_000_000_000n
    const events = [created(), swap({ signer: 'creator', baseRaw: held, realBaseRaw: left })]
    expect(follow(pair, events)).toBeNull()
    expect(JSON.parse(pair.answers.marketData(['mint']))).toMatchObject([
      { creator_holding_pct: percent, top_10_percent: percent, pct_completion: percent },
    ])
    expect(JSON.parse(pair.answers.swaps('mint', null, { page: 1, limit: 1 }))).toMatchObject({
      items: [{ bonding_curve_progress: percent }],
    })
    const exactly = { devHoldingPct: { min: percent, max: percent } }
    const filters = { new: exactly, completing: exactly }
    const tables = JSON.parse(pair.answers.tables({ type: 'all', filters, limit: 1 }))
    expect([...tables.new, ...tables.completing]).toHaveLength(1)
  })
