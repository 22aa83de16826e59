import { expect, test, vi } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { PositionReader } from '../../../src/engine/read/position-reader.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { readInTurns } from '../../budgets.ts'
import { balance, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'

const DAY = 86_400
const TOKENS = 2_000

let slot = 1_000

/** A trade of a wallet, each in a slot of its own, so that the ones before can change no more soon. */
function trade(engine: Engine, signer: string, mint: string, over: Parameters<typeof swap>[0]) {
  slot += 1
  engine.accept(swap({ slot, txIndex: 0, signer, mint, ...over }))
}

function begun(): { engine: Engine; queries: EngineQueries } {
  const tapeChunkRecords = TAPE_BLOCK_RECORDS
  const engine = new Engine({ clock: 'event', identities: 1 << 14, tapeChunkRecords })
  engine.accept(price(100))
  return { engine, queries: new EngineQueries(engine, () => {}) }
}

/** Half of its tokens are sold two days after they were bought. */
function busy(engine: Engine): void {
  for (let i = 0; i < TOKENS; i++)
    trade(engine, 'busy', `mint ${i}`, { timestamp: START_SECOND + i })
  for (let i = 0; i < TOKENS; i += 2)
    trade(engine, 'busy', `mint ${i}`, {
      ...{ timestamp: START_SECOND + 2 * DAY + i, direction: 'sell' },
      quoteRaw: 1_500_000_000n,
    })
}

test('a wallet of thousands of tokens is summed in turns, and the same as in one', () => {
  const { engine, queries } = begun()
  busy(engine)
  const inOne = new EngineQueries(engine, () => {}).wallet('busy')
  const { answer, turns } = readInTurns((budget) => queries.wallet('busy', budget))
  expect(answer).toBe(inOne)
  expect(turns).toBeGreaterThan(TOKENS / 300)
  expect(JSON.parse(answer).windows).toMatchObject({
    '1d': { trades: TOKENS / 2, realized_pnl_usd: (TOKENS / 2) * 50, wins: TOKENS / 2, losses: 0 },
    '7d': { trades: (TOKENS / 2) * 3, tokens: TOKENS, median_hold_seconds: 2 * DAY },
  })
})

test('what was summed stays good while others trade, and is begun anew once the wallet does', () => {
  const { engine } = begun()
  busy(engine)
  const turnsWith = (between: (turn: number) => void) => {
    const queries = new EngineQueries(engine, () => {})
    return readInTurns((budget) => queries.wallet('busy', budget), between)
  }
  let others = 0
  const undisturbed = turnsWith(() => trade(engine, `other ${others++}`, 'mint 0', {})).turns
  const { answer, turns } = turnsWith((turn) => {
    // Its newest token is summed first.
    if (turn % 2 === 0 && turn < 40) trade(engine, 'busy', `mint ${TOKENS - 1}`, {})
  })
  // It is begun a few times, and then made in one go.
  expect(turns).toBeLessThan(4 * undisturbed)
  expect(answer).toBe(new EngineQueries(engine, () => {}).wallet('busy'))
})

test('open positions are valued in turns, as of the last one, and the windows of many tokens too', () => {
  const { engine, queries } = begun()
  busy(engine)
  queries.walletsTop({ window: '1d', by: 'trades', limit: 1 })
  const values = vi.spyOn(PositionReader.prototype, 'costUsd', 'get')
  let most = 0
  // A window a turn, and a piece of the open half. The first pieces come to another price, SOL too.
  const { answer, turns } = readInTurns(
    (budget) => {
      values.mockClear()
      const text = queries.wallet('busy', budget)
      most = Math.max(most, values.mock.calls.length)
      return text
    },
    (turn) => {
      most = Math.max(most, values.mock.calls.length)
      if (turn > 2)
        trade(engine, 'other', 'mint 1999', { virtualQuoteRaw: 30_000_000_000_000_000n })
      if (turn === 2) engine.accept(price(150))
    },
  )
  values.mockRestore()
  expect(most).toBeLessThan(TOKENS / 4)
  expect(turns).toBeGreaterThan(3)
  expect(answer).toBe(new EngineQueries(engine, () => {}).wallet('busy'))
  expect(JSON.parse(answer).best).toMatchObject({ mint: 'mint 1999', is_open: true })
})

test('positions of several days are folded again from the disk, in turns that each read something', () => {
  const archive = new MemoryArchive()
  const { engine, queries } = begun()
  for (let i = 0; i < 6_000; i++)
    trade(engine, i % 3 === 0 ? 'slow' : `other ${i}`, `mint ${i % 30}`, {
      timestamp: START_SECOND + i * 60,
      direction: i % 9 === 0 ? 'sell' : 'buy',
      quoteRaw: BigInt(1_000_000_000 + i),
    })
  const inMemory = new EngineQueries(engine, () => {}).wallet('slow')
  const { days } = JSON.parse(inMemory)
  const traded = days.filter(({ trades }: { trades: number }) => trades > 0)
  expect(traded.length).toBeGreaterThan(4)
  archive.take(engine.state.tape, engine.settledSwaps)
  expect(engine.state.tape.firstInMemory).toBeGreaterThan(0)
  const { answer, turns } = readInTurns((budget) => queries.wallet('slow', budget))
  expect(answer).toBe(inMemory)
  expect(turns).toBeGreaterThan(100)
})

test('a ranking is made in turns, kept up with trades, and follows the day', () => {
  const { engine, queries } = begun()
  for (let i = 0; i < 500; i++) {
    trade(engine, `wallet ${i}`, 'mint', { timestamp: START_SECOND + i })
    trade(engine, `wallet ${i}`, 'mint', {
      ...{ timestamp: START_SECOND + i + 500, direction: 'sell' },
      quoteRaw: BigInt(10 ** 9 + i * 10 ** 6),
    })
  }
  const query = { window: '1d', by: 'realized_pnl', limit: 2 } as const
  const top = () =>
    JSON.parse(queries.walletsTop(query)).items.map((item: { wallet: string; value: number }) => [
      item.wallet,
      item.value,
    ])
  const { turns } = readInTurns((budget) => queries.walletsTop(query, budget))
  expect(turns).toBeGreaterThan(5)
  expect(top()).toEqual([
    ['wallet 499', 49.9],
    ['wallet 498', 49.8],
  ])
  trade(engine, 'wallet 7', 'mint', { timestamp: START_SECOND + 2_000, quoteRaw: 5n })
  trade(engine, 'wallet 7', 'mint', {
    ...{ timestamp: START_SECOND + 2_001, direction: 'sell', quoteRaw: 3_000_000_000n },
  })
  expect(top()[0]).toEqual(['wallet 7', expect.closeTo(300.7, 4)])
  // More changes than the log holds, with no question in between.
  for (let i = 0; i < 9_000; i++)
    trade(engine, `crowd ${i}`, 'mint', { timestamp: START_SECOND + 3_000 })
  trade(engine, 'wallet 8', 'mint', { timestamp: START_SECOND + 4_000, quoteRaw: 5n })
  trade(engine, 'wallet 8', 'mint', {
    ...{ timestamp: START_SECOND + 4_001, direction: 'sell', quoteRaw: 4_000_000_000n },
  })
  expect(top()[0]).toEqual(['wallet 8', expect.closeTo(400.8, 4)])
  trade(engine, 'early', 'mint', { timestamp: START_SECOND + DAY })
  expect(JSON.parse(queries.walletsTop(query)).items).toMatchObject([
    { wallet: 'early', value: 0, trades: 1 },
  ])
  expect(JSON.parse(queries.walletsTop({ ...query, window: '7d' })).items[0]).toMatchObject({
    ...{ wallet: 'wallet 8', value: expect.closeTo(400.8, 4) },
  })
  trade(engine, 'late', 'mint', { timestamp: START_SECOND + 30 * DAY })
  expect(JSON.parse(queries.walletsTop({ ...query, window: '30d' })).items).toHaveLength(2)
  expect(JSON.parse(queries.walletsTop({ ...query, window: 'all' })).items[0]).toMatchObject({
    ...{ wallet: 'wallet 8' },
  })
})

test('a ranking takes in what came without a trade, and more than the log of changes holds', () => {
  const { engine, queries } = begun()
  trade(engine, 'half', 'mint', { timestamp: START_SECOND })
  trade(engine, 'half', 'mint', {
    ...{ timestamp: START_SECOND + 1, direction: 'sell', baseRaw: 50_000_000n },
  })
  const winsOfHalf = () =>
    JSON.parse(queries.walletsTop({ window: '1d', by: 'trades', limit: 1 })).items[0].wins
  expect(winsOfHalf()).toBe(0)
  // What is left goes without a sale: the token is sold off, with a gain.
  slot += 1
  engine.accept(balance({ slot, wallet: 'half', balanceRaw: 0n }))
  for (let i = 0; i < 9_000; i++)
    engine.accept(balance({ slot: slot + 1, txIndex: i, wallet: `crowd ${i}`, signature: `b${i}` }))
  expect(engine.state.positions.count).toBe(9_001)
  expect(winsOfHalf()).toBe(1)
})
