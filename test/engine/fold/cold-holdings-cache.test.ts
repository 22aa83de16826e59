import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Budget, UNFINISHED, within } from '../../../src/base/budget.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { ColdHoldingsCache } from '../../../src/engine/fold/cold-store.ts'
import { PositionLane } from '../../../src/engine/state/layout.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { budgetOf, readInTurns } from '../../budgets.ts'
import { byLength } from '../../lengths.ts'
import { everyRead, firstUnlike } from '../../model/every-read.ts'
import { swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { DORMANT_OPTIONS, dormantMarket, restSome } from '../../properties/dormant-market.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'

const EVENTS = 900
const MINTS = 300
/** So many that each record of the wallet lies in a block of its own, or nearly. */
const OTHERS = 40
const SLOTS_A_SWAP = 40

type Holding = readonly [token: number, balanceLo: number, balanceHi: number]

function visited(holdings: ColdHoldingsCache, wallet: number): Holding[] {
  const found: Holding[] = []
  holdings.visit(wallet, (...holding) => found.push(holding))
  return found
}

test('what a wallet holds of resting tokens is the same near, begun, forgotten and where it lies', () => {
  let kept = 0
  let goes = 0
  let reads = 0
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed)
      const engine = new Engine(DORMANT_OPTIONS)
      const { state } = engine
      const archive = new MemoryArchive(PositionLane.lanes)
      const lying = new ColdHoldingsCache(state, Number.POSITIVE_INFINITY)
      const near = new ColdHoldingsCache(state, 1)
      const few = new ColdHoldingsCache(state, 1, 12)
      for (const event of dormantMarket(random, EVENTS)) {
        engine.accept(event)
        if (random.chance(0.2)) restSome(engine, random, 0.5)
        if (random.chance(0.3)) archive.take(state.dormant.tape, state.dormant.tape.count)
        if (state.wallets.count === 0) continue
        const wallet = random.integer(0, state.wallets.count - 1)
        for (const holdings of [near, few]) {
          holdings.traded(wallet, 1)
          const budget = budgetOf(random.integer(1, 3))
          if (within(budget, () => holdings.load(budget)) === UNFINISHED) goes += 1
        }
        if (random.chance(0.8)) continue
        const expected = visited(lying, wallet)
        expect(visited(few, wallet), `seed ${seed}`).toEqual(expected)
        expect(visited(near, wallet), `seed ${seed}`).toEqual(expected)
        readInTurns((budget) => near.load(budget))
        const before = archive.reads
        for (let row = 0; row < state.wallets.count; row += 1) kept += visited(near, row).length
        // Those of wallets that did not trade since their tokens came to rest are read.
        reads += archive.reads - before
      }
    }),
    { numRuns: byLength(2, 10) },
  )
  expect(kept).toBeGreaterThan(byLength(200, 1_000))
  expect(goes).toBeGreaterThan(byLength(100, 500))
  expect(reads).toBeLessThan(kept)
})

/** By mint: a wallet that holds all of them buys it, then others do. */
const HELD = Array.from({ length: MINTS }, (_, mint) => {
  const at = { slot: 1_000 + mint * SLOTS_A_SWAP, mint: `mint ${mint}` }
  const others = Array.from({ length: OTHERS }, (_, other) =>
    swap({ ...at, txIndex: other + 1, signature: `${mint} ${other}`, signer: `other ${other}` }),
  )
  return [swap({ ...at, txIndex: 0, signature: `${mint}`, signer: 'trader' }), ...others]
})

/** An engine in which all that it holds rests on the disk, but the last two. */
function trader() {
  const engine = new Engine({ ...DORMANT_OPTIONS, rules: { proTrades: MINTS, proMints: MINTS } })
  for (const [mint, swaps] of HELD.entries()) {
    for (const one of swaps) engine.accept(one)
    if (mint > 1) engine.coldStore.evict([mint - 2])
  }
  const archive = new MemoryArchive(PositionLane.lanes)
  archive.take(engine.state.dormant.tape, engine.state.dormant.tape.count)
  return { engine, archive }
}

const TURNING = swap({
  ...{
    slot: 1_000 + MINTS * SLOTS_A_SWAP,
    mint: 'another',
    signer: 'trader',
    signature: 'turning',
  },
  pro: true,
})

test('a wallet that turns pro reads nothing off the disk for what was brought near, and turns all the same', () => {
  const [lying, near] = [trader(), trader()]
  expect(near.engine.state.dormant.tape.firstInMemory).toBeGreaterThan(MINTS * 10)
  const { turns } = readInTurns((budget) => near.engine.coldHoldings.load(budget))
  expect(turns).toBeGreaterThan(MINTS)
  const before = [lying, near].map(({ archive }) => archive.reads)
  for (const { engine } of [lying, near]) engine.accept(TURNING)
  const reads = [lying, near].map(({ archive }, i) => archive.reads - (before[i] ?? 0))
  expect(reads[0]).toBeGreaterThan(MINTS / 2)
  expect(reads[1]).toBe(0)
  expect(
    firstUnlike(everyRead(near.engine, [TURNING]), everyRead(lying.engine, [TURNING])),
  ).toBeNull()
  expect(stateDigest(near.engine.parts)).toBe(stateDigest(lying.engine.parts))
})

test('a wallet that trades comes near also when all room is taken: what was used longest ago goes', () => {
  const { engine, archive } = trader()
  const holdings = new ColdHoldingsCache(engine.state, 1, 2 * MINTS)
  const readsOf = (wallet: number) => {
    const before = archive.reads
    expect(visited(holdings, wallet)).toHaveLength(MINTS - 2)
    return archive.reads - before
  }
  for (const wallet of [0, 1, 2]) {
    holdings.traded(wallet, MINTS)
    holdings.load(Budget.unlimited)
  }
  expect([readsOf(2), readsOf(1)]).toEqual([0, 0])
  expect(readsOf(0)).toBeGreaterThan(MINTS / 2)
  expect([readsOf(1), readsOf(0)]).toEqual([0, 0])
  expect(readsOf(2)).toBeGreaterThan(MINTS / 2)
  expect(holdings.bytes).toBeLessThanOrEqual(2 * 2 * MINTS * 16)
})

test('what is kept of two wallets that hold as much takes twice the memory of one', () => {
  const holdings = new ColdHoldingsCache(trader().engine.state, 1)
  visited(holdings, 0)
  const { bytes } = holdings
  expect(bytes).toBeGreaterThanOrEqual((MINTS - 2) * 16)
  visited(holdings, 1)
  expect(holdings.bytes).toBe(2 * bytes)
})

test('a wallet of more than is kept has no other go', () => {
  const { engine, archive } = trader()
  const holdings = new ColdHoldingsCache(engine.state, 1, MINTS - 1)
  holdings.traded(0, MINTS)
  holdings.load(Budget.unlimited)
  expect(holdings.bytes).toBe(0)
  const before = archive.reads
  expect(visited(holdings, 0)).toHaveLength(MINTS - 2)
  expect(archive.reads - before).toBeGreaterThan(MINTS / 2)
})

test.each([0, 100])(
  'a record of another run, behind which are %d, is told each time that it is needed, and never passed over',
  (behind) => {
    const { engine, archive } = trader()
    const { dormant, tokens } = engine.state
    // Of each mint a run of all its traders, the wallet as the last of them.
    const record = behind * (OTHERS + 1) + OTHERS
    const wallet = dormant.lane(record, PositionLane.wallet)
    dormant.tape.archive = {
      block: (block) => {
        const lanes = archive.block(block)
        const place = record - block * TAPE_BLOCK_RECORDS
        if (place >= 0 && place < TAPE_BLOCK_RECORDS)
          lanes.u32[place * PositionLane.lanes + PositionLane.token] = tokens.count
        return lanes
      },
    }
    for (let times = 0; times < 3; times += 1) {
      engine.coldHoldings.load(Budget.unlimited)
      expect(() => visited(engine.coldHoldings, wallet)).toThrow(`Record ${record} of the dormant`)
    }
  },
)
