import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ranked } from '../../../src/engine/memory/ranked.ts'
import { FollowedChains } from '../../../src/engine/state/position-lists.ts'
import { TRADER_ORDERS } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { engineOf } from '../../store/restoring.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122)

const value = fc.oneof(fc.constantFrom(0, -0, 1, -1, 2.5), fc.double({ noNaN: true }))
const thing = fc.record({ value, order: fc.integer({ min: 0, max: 3 }) })

test('the things of any ranks are those that sorting all of them gives', () => {
  fc.assert(
    fc.property(
      fc.array(thing, { maxLength: 400, size: 'max' }),
      fc.nat(450),
      fc.nat(80),
      (things, from, count) => {
        const all = things.map((_, i) => i)
        // Texts fall where places rise, and the second level goes before them.
        const text = (i: number) => `${things[i].order}${String(999 - i).padStart(3, '0')}`
        const levels = [(i: number) => things[i].value, (i: number) => things[i].order]
        const naive = all.toSorted((a, b) => {
          const difference = things[a].value - things[b].value
          if (difference !== 0 && !Number.isNaN(difference)) return difference
          return text(a) < text(b) ? -1 : 1
        })
        const found = ranked(all, { levels, text }, from, from + count)
        expect(found).toEqual(naive.slice(from, from + count))
      },
    ),
  )
})

/** A chain as the engine has them: each row names the next one; rows come first and leave anywhere. */
class Chain {
  readonly links = new Map<number, number>()
  rows: number[] = []
  #newest = 0

  prepend(count: number): void {
    for (let i = 0; i < count; i++) this.rows.unshift(this.#newest++)
    this.#link()
  }

  remove(from: number, count: number): void {
    this.rows.splice(from % Math.max(1, this.rows.length), count)
    this.#link()
  }

  /** As a roll-back does, after which rows may come again in another order. */
  comeAgain(count: number): void {
    const again = this.rows.splice(0, count)
    this.rows.unshift(...again)
    this.rows.splice(0, again.length, ...again.toReversed())
    this.#link()
  }

  #link(): void {
    this.links.clear()
    for (const [i, row] of this.rows.entries()) this.links.set(row, (this.rows[i + 1] ?? -1) + 1)
  }
}

const change = fc.oneof(
  fc.record({ what: fc.constant('prepend' as const), from: fc.constant(0), count: fc.nat(200) }),
  fc.record({ what: fc.constant('remove' as const), from: fc.nat(500), count: fc.nat(150) }),
  fc.record({ what: fc.constant('again' as const), from: fc.constant(0), count: fc.nat(20) }),
)

test('a chain that is remembered is the chain as it is, whatever came, left or came again', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const chain = new Chain()
      const followed = new FollowedChains(
        (row) => chain.links.get(row) ?? 0,
        () => chain.rows.length,
        1,
      )
      for (const { what, from, count } of changes) {
        if (what === 'prepend') chain.prepend(count)
        else if (what === 'remove') chain.remove(from, count)
        else chain.comeAgain(count)
        const first = (chain.rows[0] ?? -1) + 1
        expect([...followed.rows(1, first)]).toEqual(chain.rows)
        expect([...followed.rows(1, first)]).toEqual(chain.rows)
      }
    }),
  )
})

const MINT = 'mint 0'
const WALLETS = 600
const ROUNDS = 8
const SWAPS = 400
const LIMIT = 200

interface Listed {
  readonly wallet: string
  readonly buys: number
  readonly first_buy_ts: number | null
  readonly holding_amount: number
  readonly [field: string]: unknown
}

test(`pages of many traders hold each once, in order, after late swaps too (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const engine = engineOf('event', 1 << 14)
  const answers = new EngineQueries(engine, () => {})
  const reads = new EngineQueries(engine, () => {})
  const wallets = new Set<string>()
  engine.events([price(150)])
  let slot = 1_000
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < SWAPS; i++) {
      if (random.chance(0.5)) slot += 1
      const isLate = random.chance(0.1)
      const at = isLate ? slot - random.integer(1, 20) : slot
      const signer = `wallet ${random.integer(1, WALLETS)}`
      wallets.add(signer)
      engine.events([
        swap({
          slot: at,
          txIndex: random.integer(1, 50),
          ordinal: 0,
          timestamp: START_SECOND + Math.floor(at / 2.5),
          mint: MINT,
          signature: `swap ${round} ${i}`,
          signer,
          direction: random.chance(0.6) ? 'buy' : 'sell',
          // Few amounts, so that many traders are equal.
          baseRaw: BigInt(random.integer(1, 3)) * 10n ** 9n,
          quoteRaw: BigInt(random.integer(1, 10 ** 9)),
        }),
      ])
    }
    check(answers, reads, wallets)
  }
})

function check(answers: EngineQueries, reads: EngineQueries, wallets: ReadonlySet<string>) {
  const seen = new Map<string, Listed>()
  for (const orderBy of TRADER_ORDERS)
    for (const direction of ['asc', 'desc'] as const) {
      const listed = whole((page) =>
        answers.tokenTraders(MINT, { orderBy, direction, page, limit: LIMIT }),
      )
      expect(new Set(listed.map(({ wallet }) => wallet))).toEqual(wallets)
      expect(listed.length).toBe(wallets.size)
      const sign = direction === 'asc' ? 1 : -1
      expect(listed).toEqual(
        listed.toSorted((a, b) => {
          const difference = (Number(a[orderBy]) - Number(b[orderBy])) * sign
          return difference !== 0 ? difference : a.wallet < b.wallet ? -1 : 1
        }),
      )
      for (const one of listed) expect(one).toEqual(seen.get(one.wallet) ?? one)
      for (const one of listed) seen.set(one.wallet, one)
    }
  const all = [...seen.values()]
  const holders = whole((page) => reads.holders(MINT, { page, limit: LIMIT }))
  expect(holders).toEqual(
    all
      .filter(({ holding_amount }) => holding_amount > 0)
      .sort((a, b) => b.holding_amount - a.holding_amount || (a.wallet < b.wallet ? -1 : 1)),
  )
  const buyers = whole((page) => reads.firstBuyers(MINT, { page, limit: LIMIT }))
  expect(buyers.length).toBe(all.filter(({ buys }) => buys > 0).length)
  const times = buyers.map(({ first_buy_ts }) => Number(first_buy_ts))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
}

/** All items of a list, read page by page. */
function whole(read: (page: number) => string): Listed[] {
  const items: Listed[] = []
  for (let page = 1; ; page++) {
    const answer = JSON.parse(read(page)) as { total: number; items: Listed[] }
    items.push(...answer.items)
    if (answer.items.length < LIMIT) {
      expect(items.length).toBe(answer.total)
      return items
    }
  }
}
