import { LRUCache } from 'lru-cache'
import { barTime, type Width } from '../../base/bar-time.ts'
import type { Budget } from '../../base/budget.ts'
import { addToSum, copyU64, isZeroAt, sumAt, takeFromSum } from '../../base/u64.ts'
import type { Engine } from '../../engine/engine.ts'
import { linkOf } from '../../engine/history/swap-chains.ts'
import { type ChainCopy, CopiedChains } from '../../engine/state/dormant.ts'
import { isNeverHolder, positionLane } from '../../engine/state/lanes.ts'
import {
  LifecycleLane,
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
/** One that was begun so often, because the mint is traded, is made in one go. */
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
  readonly resolution: string
  readonly begun: number
  /** Trades that are folded. */
  folded: number
  latest: number
  holders: number
  /** Two f64 lanes a class. */
  readonly sums: Float64Array
  /** Balances by wallet row. */
  readonly balances: Map<number, Uint32Array>
  /** By wallet row: a bit a class, as it is now. */
  readonly classes: ReadonlyMap<number, number>
  readonly points: Point[]
}

/**
 * Holders of a mint over time, by its trades alone: the balance that each swap shows for its trader. Classes are those
 * that the wallets have now. The trades of a mint are copied in pieces, once, as far as no late event reaches.
 */
export class HolderHistory {
  readonly #engine: Engine
  readonly #copies: CopiedChains
  readonly #readings = new LRUCache<number, Reading>({ max: READINGS_MAX })

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
    const reading = this.#readingOf(token, resolution)
    this.#fold(reading, copies, width, budget)
    this.#readings.delete(token)
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

  #readingOf(token: number, resolution: string): Reading {
    const { state } = this.#engine
    const known = this.#readings.get(token)
    const changes = state.changes.of(token)
    if (known?.changes === changes && known.resolution === resolution) return known
    const reading = {
      ...{ changes, resolution, begun: (known?.begun ?? 0) + 1 },
      ...{ folded: 0, latest: -1, holders: 0 },
      sums: new Float64Array(2 * CLASSES.length),
      balances: new Map(),
      classes: this.#classesOf(token),
      points: [],
    }
    this.#readings.set(token, reading)
    return reading
  }

  #classesOf(token: number): ReadonlyMap<number, number> {
    const { positions, state } = this.#engine
    const creatorPlus1 = state.births.get(token, LifecycleLane.creatorPlus1)
    const classes = new Map<number, number>()
    for (const position of positions.ofToken(token)) {
      const wallet = positionLane(state, position, PositionLane.wallet)
      if (isNeverHolder(state, token, wallet)) classes.set(wallet, -1)
      else {
        const flags = positionLane(state, position, PositionLane.flags)
        const isPro = (state.wallets.get(wallet, WalletLane.flags) & WalletFlag.pro) !== 0
        let bits = isPro ? PRO : 0
        for (const [place, flag] of FLAGS.entries())
          if (flags & flag && (flag !== PositionFlag.creator || creatorPlus1 === wallet + 1))
            bits |= 1 << place
        classes.set(wallet, bits)
      }
    }
    return classes
  }

  #fold(reading: Reading, copies: readonly ChainCopy[], width: Width, budget: Budget): void {
    const isLast = reading.begun > BEGUN_MAX
    let before = 0
    for (const copy of copies) {
      while (reading.folded < before + copy.count) {
        this.#foldTrade(reading, copy.u32, (reading.folded - before) * Lane.lanes, width)
        reading.folded += 1
        if (reading.folded % TRADES_A_LOOK === 0 && !isLast) budget.throwIfSpent()
      }
      before += copy.count
    }
  }

  #foldTrade(reading: Reading, u32: Uint32Array, at: number, width: Width): void {
    // A time that steps back counts for the latest one before it.
    const latest = Math.max(reading.latest, u32[at + Lane.timestamp])
    if (reading.latest >= 0 && barTime(width, latest) !== barTime(width, reading.latest))
      reading.points.push(this.#pointOf(reading, width))
    reading.latest = latest
    const wallet = u32[at + Lane.wallet]
    const classes = reading.classes.get(wallet) ?? 0
    if (classes < 0) return
    let balance = reading.balances.get(wallet)
    if (balance === undefined) {
      balance = new Uint32Array(2)
      reading.balances.set(wallet, balance)
    }
    reading.holders -= Number(!isZeroAt(balance, 0))
    changeSums(reading.sums, classes, balance, takeFromSum)
    copyU64(balance, 0, u32, at + Lane.balanceLo)
    changeSums(reading.sums, classes, balance, addToSum)
    reading.holders += Number(!isZeroAt(balance, 0))
  }

  #pointOf({ latest, holders, sums }: Reading, width: Width): Point {
    const time = latest < 0 ? -1 : barTime(width, latest)
    return { time, holders, sums: CLASSES.map((_, place) => sumAt(sums, 2 * place)) }
  }
}

function changeSums(
  sums: Float64Array,
  classes: number,
  [lo, hi]: Uint32Array,
  change: typeof addToSum,
): void {
  for (let place = 0; place < CLASSES.length; place++)
    if (classes & (1 << place)) change(sums, 2 * place, lo, hi)
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
