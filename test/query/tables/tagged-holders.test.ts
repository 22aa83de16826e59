import { expect, test, vi } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import { WalletLabels } from '../../../src/protocol/wallet-labels.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { readInTurns } from '../../budgets.ts'
import { byLength } from '../../lengths.ts'
import { balance, created, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_129)
const TOKENS = 12
const WALLETS = 20
const EVENTS = byLength(1_500, 8_000)

const walletOf = (place: number) => `wallet ${place}`
const labelsOf = (
  wallets: readonly string[],
  tag: string,
): [string, { name: string; tag: string }][] =>
  wallets.map((wallet) => [wallet, { name: wallet, tag }])

function newEngine(): Engine {
  const engine = new Engine({
    ...{ clock: 'event', identities: 1 << 14, tapeChunkRecords: TAPE_BLOCK_RECORDS },
  })
  for (let token = 0; token < TOKENS; token++)
    engine.accept(created({ slot: token + 1, mint: `mint ${token}`, signature: `c${token}` }))
  return engine
}

const found = (json: string): readonly string[] =>
  JSON.parse(json).new.map(({ mint }: { mint: string }) => mint)

const query = (tag: string, min: number) => ({
  ...{ type: 'new' as const, filters: { new: { heldBy: { tag, min } } }, limit: 200 },
})

test(`tokens are found by how many wallets of a tag hold them, as trades, transfers, rest and labels change (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const engine = newEngine()
  const labels = new WalletLabels()
  const queries = new EngineQueries(engine, () => {}, labels)
  const held = new Map<string, bigint>()
  let tagged: readonly string[] = []
  let slot = 100
  let several = 0
  for (let i = 0; i < EVENTS; i++) {
    slot += random.integer(0, 2)
    const [mint, wallet] = [
      `mint ${random.integer(0, TOKENS - 1)}`,
      walletOf(random.integer(0, WALLETS - 1)),
    ]
    const key = `${mint}/${wallet}`
    const now = held.get(key) ?? 0n
    const place = { slot, txIndex: i, mint }
    if (random.chance(0.15)) {
      const balanceRaw = random.chance(0.5) ? 0n : 7n
      // An empty balance of a wallet that has no position makes none.
      engine.accept(balance({ ...place, wallet, balanceRaw }))
      held.set(key, balanceRaw)
    } else {
      const direction = now > 0n && random.chance(0.6) ? 'sell' : 'buy'
      const baseRaw = direction === 'sell' && random.chance(0.7) ? now : 100n
      engine.accept(swap({ ...place, signer: wallet, direction, baseRaw, signature: `s${i}` }))
      const left = direction === 'buy' ? now + baseRaw : now - baseRaw
      held.set(key, left < 0n ? 0n : left)
    }
    if (random.chance(0.05)) {
      const { tokens } = engine.state
      engine.coldStore.evict(Array.from({ length: tokens.count }, (_, token) => token))
    }
    if (i === 0 || random.chance(0.02)) {
      tagged = Array.from({ length: WALLETS + 3 }, (_, one) => walletOf(one)).filter(() =>
        random.chance(0.4),
      )
      const others = [walletOf(0), walletOf(1)].filter((one) => !tagged.includes(one))
      labels.replace(new Map([...labelsOf(tagged, 'kol'), ...labelsOf(others, 'other')]))
    }
    if (!random.chance(0.1)) continue
    const min = random.integer(1, 4)
    const expected = Array.from({ length: TOKENS }, (_, token) => `mint ${token}`).filter(
      (one) => tagged.filter((by) => (held.get(`${one}/${by}`) ?? 0n) > 0n).length >= min,
    )
    const { answer } = readInTurns((budget) => queries.tableAnswer(query('kol', min), budget))
    expect([...found(answer.bytes.toString())].sort(), `event ${i}`).toEqual(expected.sort())
    if (min > 1 && expected.length > 0) several += 1
  }
  expect(several).toBeGreaterThan(20)
  expect(found(queries.tables(query('nobody has it', 1)))).toEqual([])
})

test('wallets of a tag are read in turns', () => {
  const engine = newEngine()
  const labels = new WalletLabels()
  const wallets = Array.from({ length: 400 }, (_, place) => walletOf(place))
  labels.replace(new Map(labelsOf(wallets, 'kol')))
  for (const [place, signer] of wallets.entries())
    engine.accept(swap({ slot: 100 + place, signer, mint: `mint ${place % 3}` }))
  const queries = new EngineQueries(engine, () => {}, labels)
  const { answer, turns } = readInTurns((budget) => queries.tableAnswer(query('kol', 134), budget))
  expect(found(answer.bytes.toString())).toEqual(['mint 0'])
  expect(turns).toBeGreaterThan(20)
})

test('who sold is no holder, though the row of its position is another one by now', () => {
  const engine = newEngine()
  const labels = new WalletLabels()
  labels.replace(new Map(labelsOf(['ann'], 'kol')))
  const queries = new EngineQueries(engine, () => {}, labels)
  const ofKol = () => found(queries.tables(query('kol', 1)))
  engine.accept(swap({ slot: 100, signer: 'ann', mint: 'mint 0' }))
  expect(ofKol()).toEqual(['mint 0'])
  engine.accept(swap({ slot: 101, signer: 'ann', mint: 'mint 0', direction: 'sell' }))
  for (let i = 0; i < 40; i++)
    engine.accept(swap({ slot: 102 + i, signer: 'bob', mint: 'mint 1', signature: `bob ${i}` }))
  const { state } = engine
  engine.coldStore.evict([state.book.findToken('mint 0')])
  expect(state.positions.free).toBe(1)
  engine.accept(swap({ slot: 150, signer: 'cat', mint: 'mint 2' }))
  expect(state.positions.free).toBe(0)
  expect(ofKol()).toEqual([])
})

test('addresses of a tag that never traded are not looked for at each use, and are found once they trade', () => {
  const engine = newEngine()
  const labels = new WalletLabels()
  const wallets = Array.from({ length: 300 }, (_, place) => walletOf(place))
  labels.replace(new Map(labelsOf(wallets, 'kol')))
  const queries = new EngineQueries(engine, () => {}, labels)
  const ofKol = () => [...found(queries.tables(query('kol', 1)))].sort()
  expect(ofKol()).toEqual([])
  engine.accept(swap({ slot: 99, signer: 'stranger', mint: 'mint 3', signature: 'quiet' }))
  const quiet = engine.state.book.findToken('mint 3')
  const lookups = vi.spyOn(engine.state.book, 'findWallet')
  for (let i = 0; i < 50; i++) {
    engine.accept(swap({ slot: 100 + i, signer: `stranger ${i}`, mint: 'mint 0' }))
    expect(ofKol()).toEqual([])
    // Positions that are moved are read anew, and nothing else.
    engine.coldStore.evict([quiet])
  }
  expect(engine.state.dormant.tokens).toBe(1)
  expect(lookups).not.toHaveBeenCalled()
  engine.accept(swap({ slot: 200, signer: walletOf(7), mint: 'mint 1' }))
  expect(ofKol()).toEqual(['mint 1'])
  // More new wallets than addresses.
  for (let i = 0; i < 400; i++)
    engine.accept(swap({ slot: 201, txIndex: i, signer: `later ${i}`, mint: 'mint 0' }))
  engine.accept(swap({ slot: 202, signer: walletOf(8), mint: 'mint 2' }))
  expect(ofKol()).toEqual(['mint 1', 'mint 2'])
})

test('tags that nobody has push out none that somebody has, and are not looked for label by label', () => {
  const engine = newEngine()
  const labels = new WalletLabels()
  let walks = 0
  class Walked extends Map<string, { name: string; tag: string }> {
    override [Symbol.iterator]() {
      walks += 1
      return super[Symbol.iterator]()
    }
  }
  labels.replace(new Walked([...labelsOf(['ann'], 'kol'), ...labelsOf(['bob'], '')]))
  const queries = new EngineQueries(engine, () => {}, labels)
  for (const signer of ['ann', 'bob'])
    engine.accept(swap({ slot: 100, signer, mint: 'mint 0', signature: signer }))
  expect(found(queries.tables(query('kol', 1)))).toEqual(['mint 0'])
  const reads = vi.spyOn(engine.positions, 'ofWallet')
  for (let i = 0; i < 40; i++) expect(found(queries.tables(query(`made up ${i}`, 1)))).toEqual([])
  expect(found(queries.tables(query('kol', 1)))).toEqual(['mint 0'])
  expect([reads.mock.calls.length, walks]).toEqual([0, 1])
  expect(queries.walletTags()).toBe('{"items":[{"tag":"kol","wallets":1}]}')
})

test('positions of a tag are read once, though tokens go dormant and wake, and many trades come unasked', () => {
  const engine = newEngine()
  const labels = new WalletLabels()
  labels.replace(new Map(labelsOf(['ann', 'bob', 'cat'], 'kol')))
  const queries = new EngineQueries(engine, () => {}, labels)
  const ofKol = () => [...found(queries.tables(query('kol', 1)))].sort()
  const trade = (slot: number, signer: string, mint: string, isSale = false) =>
    engine.accept(swap({ slot, signer, mint, direction: isSale ? 'sell' : 'buy' }))
  trade(100, 'ann', 'mint 0')
  trade(100, 'bob', 'mint 1')
  expect(ofKol()).toEqual(['mint 0', 'mint 1'])
  const reads = vi.spyOn(engine.positions, 'ofWallet')
  trade(101, 'bob', 'mint 1', true)
  for (let i = 0; i < 100; i++) trade(102 + i, 'stranger', 'mint 2')
  const all = Array.from({ length: engine.state.tokens.count }, (_, token) => token)
  engine.coldStore.evict(all)
  expect(engine.state.dormant.tokens).toBe(2)
  expect(ofKol()).toEqual(['mint 0'])
  // It wakes, and its holders sell and buy.
  trade(300, 'ann', 'mint 0', true)
  trade(301, 'bob', 'mint 0')
  expect(ofKol()).toEqual(['mint 0'])
  trade(302, 'bob', 'mint 0', true)
  // More than the log of changes holds.
  for (let i = 0; i < 9_000; i++) trade(303, `crowd ${i}`, 'mint 2')
  expect(ofKol()).toEqual([])
  expect(reads).not.toHaveBeenCalled()
  // Of a wallet that is new, its own alone.
  trade(304, 'cat', 'mint 3')
  expect(ofKol()).toEqual(['mint 3'])
  expect(reads).toHaveBeenCalledTimes(1)
})
