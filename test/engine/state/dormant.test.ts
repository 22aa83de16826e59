import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TapeDamage } from '../../../src/base/errors.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { TokenReader } from '../../../src/engine/read/token-reader.ts'
import { Dormant } from '../../../src/engine/state/dormant.ts'
import {
  ColdPositionLane,
  DORMANT_TRADERS_MAX,
  PositionLane,
} from '../../../src/engine/state/layout.ts'
import { TAPE_BLOCK_RECORDS, type TapeArchive } from '../../../src/engine/state/tape.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { byLength } from '../../lengths.ts'
import { everyRead, firstUnlike } from '../../model/every-read.ts'
import { fillPage } from '../../model/page-ends.ts'
import { created, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { DORMANT_OPTIONS, dormantMarket, restSome } from '../../properties/dormant-market.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'

/** Parts that an event changes before it is folded: its signature is a name, and time passes. */
const NAMING = new Set(['addresses', 'address slots', 'address texts', 'clock and price'])
const EVENTS = 900
const REST_SHARE = 0.8

test('an engine whose quiet tokens rest answers as one that keeps all, and reads change nothing', () => {
  let wakings = 0
  let reads = 0
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(0.02, 0.3, 1), (seed, restChance) => {
      const events = dormantMarket(new Random(seed), EVENTS)
      const random = new Random(seed ^ 1)
      const [keeps, rests] = [new Engine(DORMANT_OPTIONS), new Engine(DORMANT_OPTIONS)]
      const archive = new MemoryArchive(PositionLane.lanes)
      const readAt = new Set([random.integer(100, EVENTS), events.length - 1])
      for (const [at, event] of events.entries()) {
        keeps.accept(event)
        rests.accept(event)
        if (random.chance(restChance)) restSome(rests, random, REST_SHARE)
        if (random.chance(0.3))
          archive.take(rests.state.dormant.tape, rests.state.dormant.tape.count)
        if (!readAt.has(at)) continue
        const before = stateDigest(rests.parts)
        const found = firstUnlike(allReads(rests, events), allReads(keeps, events))
        expect(found, `seed ${seed}, after event ${at}`).toBeNull()
        expect(stateDigest(rests.parts), `seed ${seed}: a read changed the state`).toBe(before)
      }
      const { dormant, positions } = rests.state
      expect(positions.count - positions.free + dormant.positions).toBe(keeps.state.positions.count)
      expect(keeps.state.dormant.tape.count).toBe(0)
      wakings += dormant.wakings
      reads += archive.reads
    }),
    { numRuns: byLength(2, 15) },
  )
  expect(wakings).toBeGreaterThan(byLength(13, 100))
  expect(reads).toBeGreaterThan(byLength(130, 1_000))
})

test('tokens of more than ten holders rest and wake alike where a page of their positions ends', () => {
  for (let seed = 1; seed <= byLength(2, 12); seed += 1) {
    const random = new Random(seed)
    const events = dormantMarket(random, 300)
    const [keeps, rests] = [new Engine(DORMANT_OPTIONS), new Engine(DORMANT_OPTIONS)]
    const { positions, links, dormant } = rests.state
    const left = random.integer(0, 60)
    for (const rows of [positions, links]) fillPage(rows, left)
    fillPage(dormant.runs, random.integer(0, 3))
    for (const event of events) {
      for (const engine of [keeps, rests]) engine.accept(event)
      if (random.chance(0.1)) restSome(rests, random, REST_SHARE)
    }
    const found = firstUnlike(allReads(rests, events), allReads(keeps, events))
    expect(found, `seed ${seed}`).toBeNull()
    expect(dormant.wakings).toBeGreaterThan(0)
  }
})

test('rows of resting tokens are used again: memory is that of the tokens that are awake', () => {
  const engine = new Engine(DORMANT_OPTIONS)
  for (let mint = 0; mint < 300; mint += 1) {
    for (let trader = 0; trader < 40; trader += 1) engine.accept(trade(mint, trader))
    if (mint >= 5) engine.coldStore.evict([mint - 5])
  }
  const { positions, links, dormant } = engine.state
  expect(positions.count).toBeLessThanOrEqual(7 * 40)
  expect(links.count).toBe(positions.count)
  expect(dormant.positions + positions.count - positions.free).toBe(300 * 40)
})

test('a token that a late event can touch stays, and so does one that was never traded', () => {
  const engine = new Engine(DORMANT_OPTIONS)
  engine.accept(created({ slot: 100, mint: 'untraded' }))
  engine.accept(trade(1, 1))
  const mint = engine.state.book.findToken('mint 1')
  engine.coldStore.evict([0, mint, 7])
  expect(engine.state.dormant.tokens).toBe(0)
  // Out of the reach of late swaps, but told of by an event that may be taken back.
  engine.accept(trade(2, 1))
  engine.accept(trade(40, 1))
  expect(engine.coldStore.mayEvict(mint, engine.coldStore.reach())).toBe(true)
  engine.accept(created({ slot: 1_400, mint: 'mint 1', signature: 'told late' }))
  engine.coldStore.evict([mint])
  expect(engine.state.dormant.tokens).toBe(0)
  engine.accept(trade(80, 1))
  engine.coldStore.evict([0, mint, 7])
  expect(engine.state.dormant.tokens).toBe(1)
})

test('a token of more traders than are read back in a turn stays, and what rests is counted as it comes and goes', () => {
  const engine = new Engine(DORMANT_OPTIONS)
  for (let trader = 0; trader < DORMANT_TRADERS_MAX; trader += 1) engine.accept(trade(0, trader))
  for (const later of [10, 20]) engine.accept(trade(later, 1))
  const resting = () => {
    engine.coldStore.evict([engine.state.book.findToken('mint 0')])
    const { tokens, positions } = engine.state.dormant
    return { tokens, positions }
  }
  expect(resting()).toEqual({ tokens: 1, positions: DORMANT_TRADERS_MAX })
  engine.accept(trade(21, DORMANT_TRADERS_MAX, 'mint 0'))
  for (const later of [30, 40]) engine.accept(trade(later, 1))
  expect(resting()).toEqual({ tokens: 0, positions: 0 })
})

test('a token whose run cannot be read is not woken half: the event is refused by the damage', () => {
  const engine = new Engine(DORMANT_OPTIONS)
  for (let trader = 0; trader < 100; trader += 1) engine.accept(trade(0, trader))
  // The swap of another mint is what late events can reach back to from now on.
  for (const later of [10, 20]) engine.accept(trade(later, 1))
  engine.coldStore.evict([0])
  expect(engine.state.dormant.positions).toBe(100)
  const { tape } = engine.state.dormant
  const broken: TapeArchive = {
    block(block) {
      throw new TapeDamage(`block ${block} is damaged`)
    },
  }
  tape.archive = broken
  tape.archivedCount = TAPE_BLOCK_RECORDS
  tape.leaveMemory(TAPE_BLOCK_RECORDS)
  const digest = () => stateDigest(engine.state.parts.filter(({ name }) => !NAMING.has(name)))
  const before = digest()
  expect(() => engine.accept(trade(21, 1, 'mint 0'))).toThrow(TapeDamage)
  expect(engine.state.dormant.tokens).toBe(1)
  expect(digest()).toBe(before)
})

/** Bought that many raw units, and was told to hold none of them: which is a sale, and which was handed on? */
for (const [baseRaw, isSold] of [
  [1n, true],
  [2n, false],
] as const)
  test(`a creator with ${baseRaw} raw units that no balance shows is at rest what it was awake`, () => {
    const engine = new Engine(DORMANT_OPTIONS)
    const nothing = { baseBalanceBeforeRaw: 0n, baseBalanceAfterRaw: 0n }
    engine.accept(created({ slot: 1_000, creator: 'wallet 1' }))
    engine.accept(swap({ slot: 1_001, signer: 'wallet 1', baseRaw, ...nothing }))
    const token = engine.state.book.findToken('mint')
    const reader = new TokenReader(engine.state, engine.top, engine.links)
    expect(reader.at(token).hasCreatorSoldAll).toBe(isSold)
    for (const later of [10, 20]) engine.accept(trade(later, 1))
    engine.coldStore.evict([token])
    expect(engine.state.dormant.tokens).toBe(1)
    expect(reader.at(token).hasCreatorSoldAll).toBe(isSold)
    engine.coldStore.restore(token)
    expect(reader.at(token).hasCreatorSoldAll).toBe(isSold)
  })

test('a record that names one behind it as the one before is damage, and no circle', () => {
  const dormant = new Dormant(TAPE_BLOCK_RECORDS)
  const wallet = dormant.wallets.add()
  for (let record = 0; record < 3; record += 1)
    dormant.append(wallet, new Uint32Array(PositionLane.lanes), 0, true)
  for (const lane of [
    ColdPositionLane.previousOfWalletPlus1,
    ColdPositionLane.previousHolderPlus1,
  ]) {
    expect([2, 1, 0].map((record) => dormant.previous(record, lane))).toEqual([2, 1, 0])
    const { tape } = dormant
    for (const namedPlus1 of [2, 3]) {
      tape.u32Of(1)[tape.at(1) + lane] = namedPlus1
      expect(() => dormant.previous(1, lane)).toThrow(TapeDamage)
    }
  }
})

/** Puts some of the tokens to rest. */
function trade(mint: number, trader: number, name = `mint ${mint}`): FeedEvent {
  return swap({ slot: 1_000 + mint * 10, txIndex: trader, mint: name, signer: `wallet ${trader}` })
}

function allReads(engine: Engine, events: readonly FeedEvent[]): Map<string, string> {
  const all = everyRead(engine, events)
  const reads = new EngineQueries(engine, () => {})
  const mints = new Set(events.flatMap((event) => ('mint' in event ? [event.mint] : [])))
  for (const mint of mints) {
    for (const page of [1, 2]) {
      all.set(`holders of ${mint} ${page}`, reads.holders(mint, { page, limit: 9 }))
      all.set(`first buyers of ${mint} ${page}`, reads.firstBuyers(mint, { page, limit: 9 }))
    }
    all.set(`detail of ${mint}`, reads.detail(mint) ?? '')
    for (const wallet of [null, 'wallet 3', 'wallet 4']) {
      const cursor = { after: null, limit: 3 }
      all.set(`swaps of ${wallet} in ${mint}`, reads.swapsFrom(mint, wallet, cursor) ?? '')
    }
  }
  return all
}
