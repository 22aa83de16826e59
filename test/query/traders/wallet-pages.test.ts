import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { TRADER_ORDERS, type TraderQuery } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { readInTurns } from '../../budgets.ts'
import { price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { DORMANT_OPTIONS, restSome } from '../../properties/dormant-market.ts'

/** More than what is read in one turn. */
const TOKENS = 1_500
const SEED = 11
const ORDER_KEYS = {
  ...{ pnl: 'pnl', holding_amount: 'holding_amount', bought_tokens: 'bought_tokens' },
  ...{ sold_tokens: 'sold_tokens', last_active_ts: 'last_active_ts' },
} as const

/** A wallet with many tokens, of which many are alike in what they are ordered by. */
class BusyWallet {
  readonly engine = new Engine(DORMANT_OPTIONS)
  readonly random = new Random(SEED)
  #slot = 1_000
  #tokens = 0

  constructor() {
    this.engine.accept(price(100))
    for (let i = 0; i < TOKENS; i++) this.buyAnother()
    for (let i = 0; i < TOKENS; i += 3) this.trade(i, 'sell')
  }

  buyAnother(): void {
    this.trade(this.#tokens++, 'buy')
  }

  trade(token: number, direction: 'buy' | 'sell'): void {
    this.#slot += 1
    const quoteRaw = BigInt(this.random.integer(1, 4)) * 500_000_000n
    const timestamp = START_SECOND + Math.floor(this.#slot / 3)
    const at = { slot: this.#slot, txIndex: 0, timestamp }
    this.engine.accept(swap({ ...at, signer: 'busy', mint: `mint ${token}`, direction, quoteRaw }))
  }

  rest(): void {
    restSome(this.engine, this.random, 0.2)
  }

  queries(): EngineQueries {
    return new EngineQueries(this.engine, () => {})
  }
}

type Item = Readonly<Record<string, string | number>>

function itemsOf(answer: string): readonly Item[] {
  const { items, total } = JSON.parse(answer)
  expect(total).toBeGreaterThanOrEqual(items.length)
  return items
}

/** Mints of a page, by sorting all items as the contract says. */
function sortedMints(all: readonly Item[], { orderBy, direction, page, limit }: TraderQuery) {
  const sign = direction === 'asc' ? 1 : -1
  const numberOf = (item: Item) => {
    const value = item[ORDER_KEYS[orderBy]]
    return (typeof value === 'string' ? Date.parse(value) : Number(value)) * sign
  }
  const inOrder = all.toSorted(
    (a, b) => numberOf(a) - numberOf(b) || (String(a.mint) < String(b.mint) ? -1 : 1),
  )
  return inOrder.slice((page - 1) * limit, page * limit).map(({ mint }) => mint)
}

test('a page of a wallet with thousands of tokens is in the order that sorting all of them gives', () => {
  const wallet = new BusyWallet()
  const queries = wallet.queries()
  const whole = { orderBy: 'pnl', direction: 'desc', page: 1, limit: TOKENS } as const
  const all = itemsOf(queries.walletTokens('busy', whole))
  expect(all).toHaveLength(TOKENS)
  for (const orderBy of TRADER_ORDERS)
    for (const direction of ['asc', 'desc'] as const)
      for (const page of [1, 2, 29, 30, 31]) {
        const query = { orderBy, direction, page, limit: 51 }
        const mints = itemsOf(queries.walletTokens('busy', query)).map(({ mint }) => mint)
        expect(mints, `${orderBy} ${direction}, page ${page}`).toEqual(sortedMints(all, query))
      }
})

test('a wallet with thousands of tokens is read in turns, and its page is of the last one', () => {
  const wallet = new BusyWallet()
  const queries = wallet.queries()
  const changes = [
    () => wallet.buyAnother(),
    () => wallet.trade(wallet.random.integer(0, TOKENS - 1), 'buy'),
    () => wallet.trade(3 * wallet.random.integer(0, TOKENS / 3 - 1), 'sell'),
    () => wallet.engine.accept(price(wallet.random.integer(50, 200))),
    () => wallet.rest(),
  ]
  for (const [round, orderBy] of [...TRADER_ORDERS, ...TRADER_ORDERS].entries()) {
    const query = { orderBy, direction: 'desc', page: 1, limit: 60 } as const
    const { answer, turns } = readInTurns(
      (budget) => queries.walletTokens('busy', query, budget),
      (turn) => turn < 12 && changes[(turn + round) % changes.length]?.(),
    )
    if (round === 0) expect(turns).toBeGreaterThan(TOKENS / 300)
    expect(answer, `seed ${SEED}, ${orderBy}`).toBe(wallet.queries().walletTokens('busy', query))
    for (const change of changes) change()
  }
})

test('what was read of a wallet is read again only where its tokens changed', () => {
  const wallet = new BusyWallet()
  const queries = wallet.queries()
  const query = { orderBy: 'pnl', direction: 'desc', page: 1, limit: 60 } as const
  const turnsOf = () => readInTurns((budget) => queries.walletTokens('busy', query, budget)).turns
  expect(turnsOf()).toBeGreaterThan(TOKENS / 300)
  expect(turnsOf()).toBe(1)
  for (let i = 0; i < 100; i++) wallet.trade(i, 'buy')
  wallet.buyAnother()
  expect(turnsOf()).toBe(1)
})
