import { LRUCache } from 'lru-cache'
import { barTime, type Width } from '../../base/bar-time.ts'
import type { Budget } from '../../base/budget.ts'
import { addToSum, copyU64, isZeroAt, sumAt, takeFromSum } from '../../base/u64.ts'
import type { Engine } from '../../engine/engine.ts'
import { linkOf } from '../../engine/history/swap-chains.ts'
import { widened } from '../../engine/memory/views.ts'
import { type ChainCopy, CopiedChains } from '../../engine/state/dormant.ts'
import { isNeverHolder, positionLane } from '../../engine/state/lanes.ts'
import {
  DORMANT_TRADERS_MAX,
  LifecycleLane,
  MetadataLane,
  PositionFlag,
  PositionLane,
  TokenLane,
  WalletFlag,
  WalletLane,
} from '../../engine/state/layout.ts'
import { percentOf } from '../../engine/state/money.ts'
import type { State } from '../../engine/state/state.ts'
import { Hop, hopOf, SwapLane, walletOf } from '../../events/swap-record.ts'
import { BARS_MAX } from '../../protocol/queries.ts'
import { jsonNumber } from '../../protocol/wire.ts'

/** A mint with more trades has no such answer: 16 bytes each. */
export const HISTORY_TRADES_MAX = 1 << 20
const MINTS_MAX = 1 << 10
/** Trades folded between two looks at the budget. */
const TRADES_A_LOOK = 2_048
/** Answers that are being made. */
const READINGS_MAX = 16
/** One that was begun so often, because the mint is traded, goes on from there with what no late event reaches. */
const BEGUN_MAX = 4

/** u32 lanes of a copied trade. */
const Lane = { timestamp: 0, wallet: 1, balanceLo: 2, lanes: 4 } as const

/** The shares of an answer, in its order; a wallet may be of several. */
const CLASSES = ['creator', 'snipers', 'insiders', 'bundlers', 'fresh', 'pros'] as const
const FLAGS = [
  ...[PositionFlag.creator, PositionFlag.sniper, PositionFlag.insider],
  ...[PositionFlag.bundle, PositionFlag.fresh],
]
/** The bit of pro traders, behind those of the flags. */
const PRO = 1 << FLAGS.length

/** u32 lanes of a trader: its balance, and a bit a class, as it is now. */
const Trader = { balanceLo: 0, classes: 2, lanes: 3 } as const
const FIRST_TRADERS = 1_024
/** In place of classes: the wallet never is a holder. */
const NEVER = 2 ** 31

/** The holders at the end of each bar with trades. */
interface Point {
  readonly time: number
  readonly holders: number
  /** Raw sums of balances by class. */
  readonly sums: readonly number[]
}

/** An answer as far as it was made. */
interface Reading {
  readonly changes: number
  readonly begun: number
  /** Trades that are folded. */
  folded: number
  latest: number
  holders: number
  /** Two f64 lanes a class. */
  readonly sums: Float64Array
  /** By wallet row: the place of a trader in `lanes`. */
  readonly traders: Map<number, number>
  lanes: Uint32Array
  readonly points: Point[]
}

/**
 * Holders of a mint over time, by its trades alone: the balance that each swap shows for its trader. Classes are those
 * that the wallets have now. The trades of a mint are copied in pieces, once, as far as no late event reaches.
 */
export class HolderHistory {
  readonly #engine: Engine
  readonly #copies: CopiedChains
  /** By token and resolution. */
  readonly #readings = new LRUCache<string, Reading>({ max: READINGS_MAX })

  constructor(engine: Engine) {
    this.#engine = engine
    this.#copies = new CopiedChains(
      Lane.lanes / 2,
      { records: HISTORY_TRADES_MAX, chains: MINTS_MAX },
      (index, copy) => this.#copy(index, copy),
    )
  }

  get bytes(): number {
    return this.#copies.bytes
  }

  /**
   * The answer, its newest points; null: the mint has too many trades.
   * @throws OutOfTime before all of its trades are folded
   */
  json(token: number, resolution: string, width: Width, budget: Budget): string | null {
    const { state } = this.#engine
    if (state.tokens.get(token, TokenLane.swaps) > HISTORY_TRADES_MAX) return null
    const copies = this.#tradesOf(token, budget)
    const key = `${token} ${resolution}`
    const reading = this.#readingOf(key, token)
    this.#fold(reading, token, copies, width, budget)
    this.#readings.delete(key)
    const points = [...reading.points, this.#pointOf(reading, width)].slice(-BARS_MAX)
    return pointsJson(
      points.filter(({ time }) => time >= 0),
      supplyOf(state, token),
    )
  }

  #tradesOf(token: number, budget: Budget): readonly ChainCopy[] {
    const { settledSwaps, state } = this.#engine
    const newestPlus1 = state.tokens.get(token, TokenLane.lastSwapPlus1)
    return this.#copies.whole(token, newestPlus1, settledSwaps, budget)
  }

  /** Adds the swap at a tape index, unless its coin only passed through; returns the one before it of its mint, + 1. */
  #copy(index: number, copy: ChainCopy): number {
    const { state } = this.#engine
    const before = linkOf(state, index, SwapLane.previousInMint)
    const [r, at] = [state.tape.u32Of(index), state.tape.at(index)]
    if (hopOf(r, at) === Hop.passed) return before
    const to = copy.add() * 2
    copy.u32[to + Lane.timestamp] = r[at + SwapLane.timestamp]
    copy.u32[to + Lane.wallet] = walletOf(r, at)
    copyU64(copy.u32, to + Lane.balanceLo, r, at + SwapLane.balanceAfterLo)
    return before
  }

  #readingOf(key: string, token: number): Reading {
    const { state } = this.#engine
    const known = this.#readings.get(key)
    const changes = state.changes.of(token)
    if (known !== undefined && (known.changes === changes || goesOn(known))) return known
    const reading = {
      ...{ changes, begun: (known?.begun ?? 0) + 1 },
      ...{ folded: 0, latest: -1, holders: 0 },
      sums: new Float64Array(2 * CLASSES.length),
      ...{ traders: new Map(), lanes: new Uint32Array(Trader.lanes * FIRST_TRADERS), points: [] },
    }
    this.#addFew(reading, token)
    this.#readings.set(key, reading)
    return reading
  }

  /** Of a mint with so many traders that it never goes dormant each is added at its first trade: turns are too short for all. */
  #addFew(reading: Reading, token: number): void {
    const { positions, state } = this.#engine
    // Old data folders may have evicted one all the same.
    const isAwake = state.tokens.get(token, TokenLane.dormantPlus1) === 0
    if (isAwake && state.metadata.get(token, MetadataLane.positions) > DORMANT_TRADERS_MAX) return
    for (const position of positions.ofToken(token)) {
      const wallet = positionLane(state, position, PositionLane.wallet)
      addTrader(reading, wallet, this.#classesAt(token, wallet, position))
    }
  }

  #classesAt(token: number, wallet: number, position: number): number {
    const { state } = this.#engine
    if (isNeverHolder(state, token, wallet)) return NEVER
    const creatorPlus1 = state.births.get(token, LifecycleLane.creatorPlus1)
    const flags = positionLane(state, position, PositionLane.flags)
    const isPro = (state.wallets.get(wallet, WalletLane.flags) & WalletFlag.pro) !== 0
    let bits = isPro ? PRO : 0
    for (let place = 0; place < FLAGS.length; place++) {
      const flag = FLAGS[place]
      if (flags & flag && (flag !== PositionFlag.creator || creatorPlus1 === wallet + 1))
        bits |= 1 << place
    }
    return bits
  }

  /** Place of a trader's lanes. */
  #traderAt(reading: Reading, token: number, wallet: number): number {
    const known = reading.traders.get(wallet)
    if (known !== undefined) return known
    const position = this.#engine.state.findPosition(token, wallet)
    return addTrader(reading, wallet, position < 0 ? 0 : this.#classesAt(token, wallet, position))
  }

  #fold(
    reading: Reading,
    token: number,
    copies: readonly ChainCopy[],
    width: Width,
    budget: Budget,
  ): void {
    // The last copy is of trades that a late event may come before.
    const settled = copies.length > 1 ? copies[0].count : 0
    let before = 0
    for (const copy of copies) {
      while (reading.folded < before + copy.count) {
        this.#foldTrade(reading, token, copy.u32, (reading.folded - before) * Lane.lanes, width)
        reading.folded += 1
        const mayEnd = reading.folded <= settled || !goesOn(reading)
        if (reading.folded % TRADES_A_LOOK === 0 && mayEnd) budget.throwIfSpent()
      }
      before += copy.count
    }
  }

  #foldTrade(reading: Reading, token: number, u32: Uint32Array, at: number, width: Width): void {
    // A time that steps back counts for the latest one before it.
    const latest = Math.max(reading.latest, u32[at + Lane.timestamp])
    if (reading.latest >= 0 && barTime(width, latest) !== barTime(width, reading.latest))
      addPoint(reading, this.#pointOf(reading, width))
    reading.latest = latest
    const trader = this.#traderAt(reading, token, u32[at + Lane.wallet])
    const { lanes, sums } = reading
    const classes = lanes[trader + Trader.classes]
    if (classes === NEVER) return
    reading.holders -= Number(!isZeroAt(lanes, trader))
    changeSums(sums, classes, lanes, trader, takeFromSum)
    copyU64(lanes, trader, u32, at + Lane.balanceLo)
    changeSums(sums, classes, lanes, trader, addToSum)
    reading.holders += Number(!isZeroAt(lanes, trader))
  }

  #pointOf({ latest, holders, sums }: Reading, width: Width): Point {
    const time = latest < 0 ? -1 : barTime(width, latest)
    return { time, holders, sums: CLASSES.map((_, place) => sumAt(sums, 2 * place)) }
  }
}

/** Is it kept though the token changed? Classes are then those that the wallets had when they were come upon. */
function goesOn({ begun }: Reading): boolean {
  return begun > BEGUN_MAX
}

/** A mint may have a bar for each of its trades: those that no answer has go. */
function addPoint({ points }: Reading, point: Point): void {
  if (points.push(point) === 2 * BARS_MAX) points.splice(0, BARS_MAX)
}

/** Returns the place of its lanes. */
function addTrader(reading: Reading, wallet: number, classes: number): number {
  const at = reading.traders.size * Trader.lanes
  if (at === reading.lanes.length) reading.lanes = widened(new Uint32Array(at * 2), reading.lanes)
  reading.lanes[at + Trader.classes] = classes
  reading.traders.set(wallet, at)
  return at
}

function changeSums(
  sums: Float64Array,
  classes: number,
  lanes: Uint32Array,
  at: number,
  change: typeof addToSum,
): void {
  for (let place = 0; classes >>> place !== 0; place++)
    if (classes & (1 << place)) change(sums, 2 * place, lanes[at], lanes[at + 1])
}

function supplyOf({ tokens }: State, token: number): number {
  return tokens.get(token, TokenLane.supplyLo) + tokens.get(token, TokenLane.supplyLo + 1) * 2 ** 32
}

/** Columns, as charts have them. */
function pointsJson(points: readonly Point[], supplyRaw: number): string {
  const column = (read: (point: Point) => number) => points.map((point) => jsonNumber(read(point)))
  const shares = CLASSES.map(
    (name, place) =>
      `"${name}_pct":[${column(({ sums }) => percentOf(sums[place], supplyRaw)).join(',')}]`,
  )
  return (
    `{"t":[${column(({ time }) => time).join(',')}]` +
    `,"holders":[${column(({ holders }) => holders).join(',')}],${shares.join(',')}}`
  )
}
