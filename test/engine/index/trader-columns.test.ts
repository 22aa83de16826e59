import { expect, test, vi } from 'vitest'
import { UNFINISHED, within } from '../../../src/base/budget.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { TraderColumns, type TraderPart } from '../../../src/engine/index/trader-columns.ts'
import { DORMANT_TRADERS_MAX, TokenLane } from '../../../src/engine/state/layout.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { TRADER_ORDERS, type TraderQuery } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { NO_TIME, readInTurns } from '../../budgets.ts'
import { created, migrated, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { engineOf } from '../../store/restoring.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_123)
const MINT = 'mint'
const WALLETS = DORMANT_TRADERS_MAX + 600
const ROUNDS = 4
/** More than the log of changes keeps: what was read is read again. */
const LONG_ROUND = 9_000
/** In each of a few rounds; in all more than there is room for when a list is read first. */
const NEW_A_ROUND = 1_500
const ROUNDS_OF_NEW = 3
const PAGE = { page: 1, limit: 50 }

/** Two engines that fold the same; of one the lists are read in columns, in pieces, of the other trader by trader. */
class Twins {
  readonly engines: readonly Engine[] = [engineOf('event', 1 << 16), engineOf('event', 1 << 16)]
  readonly answers = this.engines.map((engine) => new EngineQueries(engine, () => {}))
  readonly reads = this.engines.map((engine) => new EngineQueries(engine, () => {}))
  #swaps = 0
  #slot = 1_000

  constructor() {
    vi.spyOn(this.engines[1].traders, 'of').mockReturnValue(null)
  }

  accept(event: FeedEvent): void {
    for (const engine of this.engines) engine.accept(event)
  }

  swap(random: Random, wallet: number, mint = MINT): void {
    if (random.chance(0.1)) this.#slot += 1
    const at = random.chance(0.01) ? this.#slot - random.integer(1, 4) : this.#slot
    const timestamp = START_SECOND + Math.floor(at / 2.5)
    const [signer, signature] = [`wallet ${wallet}`, `swap ${this.#swaps++}`]
    const direction = random.chance(0.7) ? 'buy' : 'sell'
    // Few amounts, so that many traders are equal.
    const baseRaw = BigInt(random.integer(1, 3)) * 10n ** 9n
    const quoteRaw = BigInt(random.integer(1, 10 ** 9))
    const virtualQuoteRaw = 30_000_000_000n + BigInt(random.integer(0, 1_000_000))
    const [slot, txIndex] = [at, random.integer(1, 50)]
    const place = { slot, txIndex, timestamp, mint, signer, signature }
    this.accept(swap({ ...place, direction, baseRaw, quoteRaw, virtualQuoteRaw }))
  }
}

test(`lists of many traders that are read in pieces, while they trade, are those of one go (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const twins = new Twins()
  twins.accept(price(150))
  for (let wallet = 0; wallet < WALLETS; wallet++) twins.swap(random, wallet)
  let wallets = WALLETS
  const someone = () => (random.chance(0.2) ? wallets++ : random.integer(0, wallets - 1))
  for (let round = 0; round < ROUNDS; round++) {
    if (round === 1) twins.accept(migrated({ mint: MINT, poolAmm: 'wallet 9' }))
    if (round === 2) twins.accept(created({ mint: MINT, decimals: 9, creator: 'wallet 5' }))
    if (round === 3)
      for (let i = 0; i < LONG_ROUND; i++) twins.swap(random, random.integer(0, 99), 'another')
    if (round === 3) twins.swap(random, 7)
    const between = () => twins.swap(random, someone())
    const [answers, expected] = twins.answers
    for (const orderBy of TRADER_ORDERS) {
      const query: TraderQuery = { orderBy, direction: 'desc', page: 1, limit: 50 }
      const { turns } = readInTurns((budget) => answers.tokenTraders(MINT, query, budget), between)
      // No turn looks at more than 256 of them, nor at any that was read and has not changed.
      if (round === 0 || round === 3) expect(turns).toBeGreaterThan(WALLETS / 256)
      else if (round !== 2) expect(turns).toBe(1)
      for (const direction of ['asc', 'desc'] as const)
        for (const page of direction === 'asc' ? [1, 9_999] : [100])
          expect(answers.tokenTraders(MINT, { ...query, direction, page })).toBe(
            expected.tokenTraders(MINT, { ...query, direction, page }),
          )
    }
    const [reads, expectedReads] = twins.reads
    const held = readInTurns((budget) => reads.holders(MINT, PAGE, budget), between)
    for (const page of [1, 40])
      expect(reads.holders(MINT, { page, limit: 50 })).toBe(
        expectedReads.holders(MINT, { page, limit: 50 }),
      )
    const bought = readInTurns((budget) => reads.firstBuyers(MINT, PAGE, budget), between)
    if (round === 0) expect(Math.min(held.turns, bought.turns)).toBeGreaterThan(WALLETS / 256)
    const { total } = JSON.parse(expectedReads.firstBuyers(MINT, { page: 1, limit: 1 }))
    // Those that came while the others were read are on the last pages.
    const last = Math.ceil(total / 50)
    for (const page of [1, last - 3, last - 2, last - 1, last])
      expect(reads.firstBuyers(MINT, { page, limit: 50 })).toBe(
        expectedReads.firstBuyers(MINT, { page, limit: 50 }),
      )
    for (let i = 0; i < 200; i++) between()
  }
})

test(`a list goes on when more traders came since it was read than it had room for (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const twins = new Twins()
  twins.accept(price(150))
  let wallets = 0
  for (; wallets < WALLETS; wallets++) twins.swap(random, wallets)
  const [answers, expected] = twins.answers
  const query: TraderQuery = { orderBy: 'bought_tokens', direction: 'asc', page: 1, limit: 200 }
  readInTurns((budget) => answers.tokenTraders(MINT, query, budget))
  for (let round = 0; round < ROUNDS_OF_NEW; round++) {
    for (let i = 0; i < NEW_A_ROUND; i++) twins.swap(random, wallets++)
    for (let page = 1; page <= wallets / query.limit + 1; page += 7)
      expect(answers.tokenTraders(MINT, { ...query, page }), `page ${page}`).toBe(
        expected.tokenTraders(MINT, { ...query, page }),
      )
  }
})

test('columns are read part by part, and those that were read at once', () => {
  const engine = engineOf('event', 1 << 16)
  for (let wallet = 0; wallet <= DORMANT_TRADERS_MAX; wallet++)
    engine.accept(swap({ slot: 1_000, signer: `wallet ${wallet}`, signature: `${wallet}` }))
  const columns = new TraderColumns(engine.state)
  const token = engine.state.book.findToken(MINT)
  readInTurns((budget) => columns.of(token, ['bought'], budget))
  const has = (part: TraderPart) =>
    within(NO_TIME, (budget) => columns.of(token, [part], budget)) !== UNFINISHED
  // Begun, and not all read.
  expect([has('bought'), has('balance'), has('bought')]).toEqual([true, false, true])
})

test('of a mint with as many traders that an older version has put to rest there are no columns', () => {
  const engine = engineOf('event', 1 << 16)
  for (let wallet = 0; wallet < DORMANT_TRADERS_MAX; wallet++)
    engine.accept(swap({ slot: 1_000, signer: `wallet ${wallet}`, signature: `${wallet}` }))
  for (const slot of [1_100, 1_200]) engine.accept(swap({ slot, mint: 'later' }))
  const { book, dormant, tokens } = engine.state
  const token = book.findToken(MINT)
  engine.coldStore.evict([token])
  expect(dormant.positions).toBe(DORMANT_TRADERS_MAX)
  // None with so many is put to rest any more.
  tokens.u32[0][token * TokenLane.lanes + TokenLane.traders] += 1
  const columns = new TraderColumns(engine.state)
  expect(columns.of(token, ['bought'], NO_TIME)).toBe(null)
})

test('mints whose traders have no room beside each other are read all the same', () => {
  const engine = engineOf('event', 1 << 16)
  const random = new Random(SEED)
  const mints = ['A', 'B']
  let swaps = 0
  for (let wallet = 0; wallet <= DORMANT_TRADERS_MAX; wallet++)
    for (const mint of mints) {
      const signature = `${swaps++}`
      const baseRaw = BigInt(random.integer(1, 10 ** 9))
      engine.accept(swap({ slot: 1_000, mint, signer: `wallet ${wallet}`, signature, baseRaw }))
    }
  const columns = new TraderColumns(engine.state, 1)
  const tokens = mints.map((mint) => engine.state.book.findToken(mint))
  const parts = ['bought'] as const
  const read = (i: number) => within(NO_TIME, (budget) => columns.of(tokens[i], parts, budget))
  const found: [unknown, unknown] = [UNFINISHED, UNFINISHED]
  let turns = 0
  for (; found.includes(UNFINISHED); turns++)
    for (const i of [0, 1] as const) if (found[i] === UNFINISHED) found[i] = read(i)
  // The first has what it looked for; the second, which it has pushed out, is read trader by trader.
  expect(found).toEqual([expect.objectContaining({ count: DORMANT_TRADERS_MAX + 1 }), null])
  expect(turns).toBeLessThan((4 * DORMANT_TRADERS_MAX) / 256)
  // Whoever asks alone has it.
  const { answer } = readInTurns((budget) => columns.of(tokens[1], parts, budget))
  expect(answer?.count).toBe(DORMANT_TRADERS_MAX + 1)
  expect(read(0)).toBe(UNFINISHED)
  columns.drop()
  expect(columns.bytes).toBe(0)
})
