import { expect, onTestFinished, test, vi } from 'vitest'
import { MOMENT_EVENTS } from '../../src/engine/event-acceptor.ts'
import type { AlertRule, FoundAlert } from '../../src/protocol/alerts.ts'
import { AlertWatch } from '../../src/query/alerts/alert-watch.ts'
import { TokenRules, WIDE_SECONDS } from '../../src/query/alerts/token-rules.ts'
import { TokenSet, WORD_BITS } from '../../src/query/alerts/token-set.ts'
import { ValueLevels } from '../../src/query/alerts/value-levels.ts'
import { MarketCapColumn, SolBearing } from '../../src/query/tables/market-cap-column.ts'
import { byLength } from '../lengths.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { engineOf, restored } from '../store/restoring.ts'

const at = (second: number) => ({ slot: 200 + second, timestamp: START_SECOND + second })

test('a second begins once, with the first event of it, and not while a gap is filled', () => {
  const engine = engineOf('event')
  const told: (readonly [seq: number, second: number])[] = []
  engine.facts.on('moment', (second) => told.push([engine.seq, second - START_SECOND]))
  const gap = { type: 'gap', timestamp: START_SECOND + 3, fromSlot: 201, toSlot: 201 } as const
  engine.events([
    price(150),
    created({ ...at(1), mint: 'a' }),
    swap({ ...at(1), mint: 'a' }),
    swap({ ...at(2), mint: 'a' }),
    // Late: of a second that has begun.
    swap({ ...at(1), mint: 'a' }),
    { ...gap, state: 'open' },
    swap({ ...at(3), mint: 'a' }),
    { ...gap, state: 'filling' },
    swap({ ...at(1), mint: 'a', slot: 201 }),
    { ...gap, state: 'filled' },
    swap({ ...at(3), mint: 'a' }),
  ])
  expect(told.map(([, second]) => second)).toEqual([1, 2, 3])
  expect(told[0]).toEqual([2, 1])
})

test('tokens that one second finds for a rule have a number each, in the order of their mints', () => {
  const engine = engineOf('event')
  const found: FoundAlert[] = []
  const watch = new AlertWatch(engine, (one) => found.push(one))
  const rule: AlertRule = {
    ...{ id: 'r', name: 'r', to: { live: true, webhook: null }, enabled: true, shown: {} },
    when: {
      ...{ kind: 'filter', change: 'enter' },
      filter: { type: 'new', filters: { new: { txsBuys: { min: 1 } } }, limit: 50 },
    },
  }
  watch.begin(engine, { seq: 0, roundSeq: 0, second: 0 })
  watch.add(rule, null)
  const mints = ['b', 'c', 'a']
  engine.events([
    ...mints.map((mint, txIndex) => created({ ...at(1), mint, txIndex, signature: mint })),
    ...mints.map((mint) => swap({ ...at(1), mint })),
    swap({ ...at(2), mint: 'a' }),
    swap({ ...at(3), mint: 'a' }),
  ])
  expect(found.map(({ seq, part, event }) => [seq, part, event])).toEqual([
    ...[0, 1, 2].map((part) => [7, part, 'filter_entered']),
  ])
  expect(found.map(({ data }) => JSON.parse(data).mint)).toEqual(['a', 'b', 'c'])
})

test('a set of tokens is what was put in, page by page', () => {
  const random = new Random(49)
  for (let round = 0; round < byLength(20, 200); round++) {
    const set = new TokenSet()
    const everywhere = new TokenSet()
    for (let token = 0; token <= 20_000; token += WORD_BITS)
      everywhere.setWord(token / WORD_BITS, -1)
    const other = new TokenSet()
    const [wanted, others] = [new Set<number>(), new Set<number>()]
    for (let i = 0; i < 60; i++) {
      const token = random.integer(0, 20_000)
      const isIn = random.chance(0.7)
      set.set(token, isIn)
      if (isIn) wanted.add(token)
      else wanted.delete(token)
      if (random.chance(0.5)) {
        other.set(token, true)
        others.add(token)
      }
    }
    const loaded = new TokenSet()
    for (const [page, bits] of set.takeChanged()) loaded.load(page, bits)
    for (const token of [[...wanted][0] ?? 0, 20_000, 20_001]) {
      const isIn = random.chance(0.5)
      set.flip(token, isIn)
      if (isIn) wanted.add(token)
      else wanted.delete(token)
    }
    loaded.flipAgain(set.takeFlips() ?? [])
    expect(set.takeFlips()).toEqual([])
    // They are in the pages too, of both.
    expect([...loaded.takeChanged()]).toEqual([...set.takeChanged()])
    const all = [...new Set([...wanted, ...others])].sort((a, b) => a - b)
    expect(all.filter((token) => loaded.has(token))).toEqual(
      all.filter((token) => wanted.has(token)),
    )
    expect(set.differences(other, everywhere.used)).toEqual(
      all.filter((token) => wanted.has(token) !== others.has(token)),
    )
    const some = all.filter(() => random.chance(0.5))
    const among = new TokenSet()
    for (const token of some) among.set(token, true)
    expect(set.differences(other, among.used)).toEqual(
      some.filter((token) => wanted.has(token) !== others.has(token)),
    )
    expect([...set.takeChanged()]).toEqual([])
  }
})

test('a set with too many changes tells them by its pages alone', () => {
  const set = new TokenSet()
  for (let token = 0; token < 5_000; token++) set.flip(token, true)
  expect([set.takeFlips(), set.takeFlips()]).toEqual([null, null])
  expect([...set.takeChanged()].map(([page]) => page)).toEqual([0, 1])
  expect(set.takeFlips()).toEqual([])
})

/** A rule on the market caps of all tokens; each is told at once. */
const capsAt = (value: number): AlertRule => ({
  ...{ id: `caps ${value}`, name: 'caps', to: { live: true, webhook: null }, enabled: true },
  ...{ shown: {}, when: { kind: 'market_cap', value, direction: 'either', mint: null } },
})

/** A watch with rules on an engine with many tokens, and how many tokens each moment compares. */
function largeMarket(tokens: number, rules: readonly AlertRule[]) {
  const engine = engineOf('event')
  const creation = (i: number) =>
    created({ ...at(1), mint: `mint ${i}`, txIndex: i, signature: `creation ${i}` })
  engine.events([price(150), ...Array.from({ length: tokens }, (_, i) => creation(i))])
  const found: FoundAlert[] = []
  const watch = new AlertWatch(engine, (one) => found.push(one))
  const { seq, newestEventSeconds: second } = engine
  watch.begin(engine, { seq, roundSeq: seq, second })
  for (const rule of rules) watch.add(rule, null)
  const looks: { readonly seq: number; readonly tokens: number }[] = []
  const { look } = TokenRules.prototype
  const spy = vi.spyOn(TokenRules.prototype, 'look').mockImplementation(function (
    this: TokenRules,
    ...args
  ) {
    const moment = look.apply(this, args)
    looks.push({ seq: engine.seq, tokens: moment.wide().tokens.length })
    return moment
  })
  onTestFinished(() => spy.mockRestore())
  return { engine, watch, found, looks }
}

test('no moment looks at more tokens than changed and a tenth of all, and each is looked at within ten seconds', () => {
  const tokens = 3_000
  const { engine, found, looks } = largeMarket(tokens, [capsAt(5_000), capsAt(6_000)])
  // A price of SOL moves all market caps across both values, without an event of a token.
  engine.events([price(300)])
  const told: number[] = []
  for (let second = 2; second < 2 + WIDE_SECONDS; second++) {
    const before = found.length
    engine.events([swap({ ...at(second), mint: 'mint 7' })])
    told.push(found.length - before)
  }
  const mints = found.map(({ rule, data }) => `${rule} ${JSON.parse(data).mint}`)
  expect(new Set(mints).size).toBe(mints.length)
  expect(mints.length).toBe(2 * tokens)
  expect(looks.length).toBe(WIDE_SECONDS)
  const share = Math.ceil(tokens / WORD_BITS / WIDE_SECONDS) * WORD_BITS
  for (const look of looks) expect(look.tokens).toBeLessThanOrEqual(share + 1)
  for (const count of told) expect(count).toBeLessThanOrEqual(2 * (share + 1))
})

test('a second with many events has a moment for each 1,024 of them, at the same seqs after a start', () => {
  const tokens = 10
  const { engine, watch, found, looks } = largeMarket(tokens, [capsAt(4_510)])
  const swaps = Array.from({ length: 3 * MOMENT_EVENTS }, (_, i) =>
    swap({
      ...{ ...at(2), mint: `mint ${i % tokens}`, txIndex: i, signature: `swap ${i}` },
      virtualQuoteRaw: BigInt(i % 7 < 3 ? 31_000_000_000 : 29_000_000_000),
    }),
  )
  const half = Math.floor(1.5 * MOMENT_EVENTS)
  engine.events(swaps.slice(0, half))
  const [position, before] = [watch.position, found.length]
  const [[, stored = null] = []] = [...watch.takeChanged(() => true)]
  const again = restored(engine, engineOf('event'))
  engine.events(swaps.slice(half))
  const seqs = looks.map(({ seq }) => seq)
  expect(seqs).toEqual([2 + tokens, ...[1, 2, 3].map((n) => n * MOMENT_EVENTS)])
  const foundAgain: FoundAlert[] = []
  const next = new AlertWatch(again, (one) => foundAgain.push(one))
  next.begin(again, position)
  next.add(capsAt(4_510), stored, 0)
  again.events(swaps.slice(half))
  expect(foundAgain).toEqual(found.slice(before))
  expect(foundAgain.length).toBeGreaterThan(0)
})

test('a pause looks at the tokens that changed, not at all', () => {
  const { engine, watch, looks } = largeMarket(3_000, [capsAt(5_000)])
  engine.events([swap({ ...at(1), mint: 'mint 7', txIndex: 5_000 })])
  watch.quiet()
  expect(looks.map(({ tokens }) => tokens)).toEqual([1])
})

test('levels name every token that a rule has to be told of', () => {
  const seed = Number(process.env.LEVELS_SEED ?? 49)
  const random = new Random(seed)
  for (let round = 0; round < byLength(20, 200); round++) {
    const values = Array.from({ length: random.integer(1, 5) }, () => random.integer(0, 9))
    const levels = new ValueLevels(values)
    const usd = Array.from({ length: 3_000 }, () => random.integer(0, 10))
    const has = new Map<string, boolean>()
    const missed: string[] = []
    for (let look = 0; look < 4; look++) {
      const looked = usd.flatMap((_, token) => (random.chance(0.3) ? [token] : []))
      const quantities = Float64Array.from(looked, (token) => usd[token] ?? 0)
      const crossing = levels.crossed(
        { tokens: Uint32Array.from(looked), usd: quantities },
        { solPriceUsd: 1, solBearing: () => SolBearing.unknown },
      )
      const tokens = Array.from(crossing.tokens)
      const crossed = new Set(tokens)
      expect(tokens.map((token) => quantities[looked.indexOf(token)])).toEqual(crossing.usd)
      for (const token of looked)
        for (const value of values) {
          const key = `${value} ${token}`
          const isIn = (usd[token] ?? 0) >= value
          if (has.get(key) !== isIn && !crossed.has(token)) missed.push(key)
          has.set(key, isIn)
        }
      for (const token of looked) if (random.chance(0.5)) usd[token] = random.integer(0, 10)
    }
    expect(missed, `LEVELS_SEED=${seed}`).toEqual([])
  }
})

/** Prices of whole tokens in SOL, in dollars or in a coin, and what they are worth as SOL moves. */
function randomPrices(random: Random, tokens: number) {
  // Whole numbers, so that a worth is a value of a rule now and then to its last bit.
  const newPrice = () => (random.chance(0.1) ? 0 : random.integer(1, 12))
  const bearings: number[] = Array.from({ length: tokens }, () => {
    if (random.chance(0.005)) return SolBearing.unknown
    return random.chance(0.2) ? SolBearing.none : SolBearing.proportional
  })
  const prices = bearings.map(newPrice)
  const usdOf = (token: number, solPriceUsd: number) => {
    const price = prices[token] ?? 0
    if (bearings[token] === SolBearing.none) return price
    // A coin goes its own way.
    if (bearings[token] === SolBearing.unknown) return (price * 1_000) / solPriceUsd
    return price * solPriceUsd
  }
  const change = (token: number) => {
    prices[token] = newPrice()
  }
  const solBearing = (token: number, usd: number) =>
    usd === 0 ? SolBearing.none : (bearings[token] ?? SolBearing.unknown)
  return { usdOf, change, solBearing }
}

test('words that are passed over have no token that SOL took across a value', () => {
  const seed = Number(process.env.LEVELS_SEED ?? 50)
  const random = new Random(seed)
  const tokens = 20 * WORD_BITS
  let passedOver = 0
  const faults: string[] = []
  for (let round = 0; round < byLength(30, 300); round++) {
    const values = Array.from({ length: random.integer(1, 3) }, () => random.integer(1, 500))
    const levels = new ValueLevels(values)
    const levelOf = (usd: number) => values.filter((value) => usd >= value).length
    const market = randomPrices(random, tokens)
    const known = new Map<number, number>()
    let solPriceUsd = random.integer(20, 60)
    for (let look = 0; look < 30; look++) {
      solPriceUsd = Math.max(1, solPriceUsd + random.integer(-1, 1) / random.pick([1, 16, 64]))
      const changed = new Set(Array.from({ length: 5 }, () => random.integer(0, tokens - 1)))
      for (const token of changed) market.change(token)
      const given = new Set(changed)
      for (let word = 0; word < tokens / WORD_BITS; word++) {
        if (random.chance(0.5)) continue
        if (!levels.mayCross(word, solPriceUsd)) {
          passedOver += 1
          const tokensOfWord = Array.from({ length: WORD_BITS }, (_, i) => word * WORD_BITS + i)
          const missed = tokensOfWord.filter(
            (token) =>
              !changed.has(token) && known.get(token) !== levelOf(market.usdOf(token, solPriceUsd)),
          )
          faults.push(...missed.map((token) => `${token} of round ${round} is passed over`))
          continue
        }
        levels.begin(word)
        for (let token = word * WORD_BITS; token < (word + 1) * WORD_BITS; token++) given.add(token)
      }
      const looked = Uint32Array.from(given).sort()
      const usd = Float64Array.from(looked, (token) => market.usdOf(token, solPriceUsd))
      const crossed = new Set(
        Array.from(levels.crossed({ tokens: looked, usd }, { ...market, solPriceUsd }).tokens),
      )
      for (const [i, token] of looked.entries()) {
        const level = levelOf(usd[i] ?? 0)
        if (known.get(token) !== level && !crossed.has(token)) faults.push(`${token} is not told`)
        known.set(token, level)
      }
    }
  }
  expect(faults, `LEVELS_SEED=${seed}`).toEqual([])
  expect(passedOver).toBeGreaterThan(1_000)
})

test('as long as SOL stays where no token crosses a value, only tokens that changed are read', () => {
  const tokens = 3_000
  const { engine, found } = largeMarket(tokens, [capsAt(5_000), capsAt(6_000)])
  let read = 0
  const { usdOfAll } = MarketCapColumn.prototype
  const spy = vi.spyOn(MarketCapColumn.prototype, 'usdOfAll').mockImplementation(function (
    this: MarketCapColumn,
    all,
  ) {
    read += all.length
    return usdOfAll.call(this, all)
  })
  onTestFinished(() => spy.mockRestore())
  const readIn = (from: number, solPriceUsd: number) => {
    read = 0
    engine.events([price(solPriceUsd)])
    for (let second = from; second < from + WIDE_SECONDS; second++)
      engine.events([swap({ ...at(second), mint: 'mint 7', signature: `${second}` })])
    return read
  }
  expect(readIn(2, 150)).toBeGreaterThanOrEqual(tokens)
  expect(readIn(20, 151)).toBeLessThanOrEqual(2 * WIDE_SECONDS + WORD_BITS)
  expect(found).toEqual([])
  expect(readIn(40, 300)).toBeGreaterThanOrEqual(tokens)
  expect(found.length).toBe(2 * tokens)
})
