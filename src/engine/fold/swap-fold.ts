import { olderLink } from '../../base/errors.ts'
import { WINDOW_SECONDS } from '../../base/trade-window.ts'
import { copyU64, isZeroAt, numberAt, readU64 } from '../../base/u64.ts'
import { Quote } from '../../events/platform.ts'
import {
  ARRIVAL_BITS,
  beginFold,
  coinMicroUsd,
  Flag,
  INPUT_FLAGS,
  lamportsPerUnitOf,
  SwapFloatLane,
  SwapLane,
  volumeMicroUsdOf,
} from '../../events/swap-record.ts'
import { Candles } from '../history/candles.ts'
import { TradeWindows } from '../history/trade-windows.ts'
import type { TopHolders } from '../index/top-holders.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { boundedPart, type MemoryPart, type StatePart, sizesOf } from '../memory/state-part.ts'
import { bytesOf } from '../memory/views.ts'
import type { EventPosition } from '../order/event-position.ts'
import { isSameSignature } from '../state/address-book.ts'
import { isNeverHolder, SwapContext } from '../state/lanes.ts'
import {
  LifecycleLane,
  PASSED_SHIFT,
  PositionFlag,
  PositionLane,
  PositionRowLane,
  TokenFlag,
  TokenLane,
  WalletFlag,
  WalletLane,
  WindowLane,
} from '../state/layout.ts'
import { lamportsOf, lamportsOfAmount, microUsdOf, priceSwap } from '../state/money.ts'
import type { State } from '../state/state.ts'
import { ColdHoldingsCache } from './cold-store.ts'
import { InventoryClamp } from './inventory-clamp.ts'
import { foldPosition, Holders, leaveUntold, Routes } from './position-fold.ts'
import type { TokenLifecycle } from './token-lifecycle.ts'
import { Bundles, judgeWallet, shownFlags } from './wallet-classes.ts'

/** Most swaps of a position whose coin only passed through that its flags can count. */
const PASSED_MAX = 2 ** 22 - 1

/** Seconds of the rolling window (contract section 2). */
const WIDTH_SECONDS = WINDOW_SECONDS[WINDOW_SECONDS.length - 1]
/** Seconds of the ring of chains: a day, and the time that a swap may be ahead of the clock. */
export const RING_SECONDS = 1 << 17
const RING_MASK = RING_SECONDS - 1
/** A swap further ahead of the clock than this never enters the window. */
const AHEAD_SECONDS_MAX = RING_SECONDS - WIDTH_SECONDS - 1

/** Folds one swap into its token, wallet and position, bars and window: all that a trade changes. */
export class SwapFold {
  readonly swap = new SwapContext()
  readonly holders: Holders
  readonly bundles: Bundles
  readonly candles: Candles
  readonly coldHoldings: ColdHoldingsCache
  /** Did the last swap name a pool that had traded the mint as a wallet? */
  hasExcluded = false
  readonly #state: State
  readonly #window: RollingWindow
  readonly #births: TokenLifecycle
  readonly clamp: InventoryClamp
  readonly #routes: Routes
  readonly #quoteRaw = () => readU64(this.swap.r, this.swap.rAt + SwapLane.quoteLo)

  constructor(state: State, window: RollingWindow, births: TokenLifecycle, top: TopHolders) {
    this.#state = state
    this.#window = window
    this.#births = births
    this.holders = new Holders(state, top)
    this.bundles = new Bundles(state, this.holders)
    this.coldHoldings = new ColdHoldingsCache(state)
    this.clamp = new InventoryClamp(state)
    this.#routes = new Routes(state)
    // The last of all: in the undo logs of former snapshots the ids of the others stand.
    this.candles = new Candles(state)
  }

  get parts(): readonly StatePart[] {
    return [...this.clamp.parts, this.#routes.part]
  }

  /** Rows about the transaction folded last. */
  get memory(): MemoryPart {
    return boundedPart('last_transaction', ...this.clamp.sized, this.#routes.sales)
  }

  /**
   * Folds record `index` of the tape, whose input lanes are filled and whose rows exist; true when it was
   * the first event of its mint, or graduated it.
   */
  fold(index: number, key: EventPosition): boolean {
    const { swap } = this
    const state = this.#state
    swap.takeRecord(state, index)
    swap.givenSolPriceUsd = swap.rf[swap.rAtF + SwapFloatLane.givenSolPriceUsd]
    beginFold(swap.r, swap.rAt)
    swap.flags &= INPUT_FLAGS | ARRIVAL_BITS
    state.saveToken(swap.token)
    state.undo.save(state.walletsUndo, swap.wallet)
    const isNew = this.#births.beforeSwap(swap, key)
    this.hasExcluded = this.#births.hasNewPool && this.holders.excludePools(swap.token, [])
    if (this.hasExcluded) this.bundles.forget(swap.token)
    swap.takeToken(state)
    this.#births.takeQuote(swap)
    swap.takeWallet(state)
    const isFirstOfTransaction = this.#isFirstOfTransaction()
    if (isFirstOfTransaction) this.clamp.beginTransaction()
    this.#foldMoney()
    this.#routes.take(swap)
    this.#takePosition()
    const judged = judgeWallet(swap, this.holders, state.rules)
    this.holders.takeOut(swap.position)
    this.#foldReserves()
    this.#foldPrice()
    if (swap.isPassed) leaveUntold(swap)
    else this.#foldTrader(isFirstOfTransaction)
    this.#foldWallet()
    this.holders.putBack(swap.position)
    const mayShare = this.#mayShareTransaction(key)
    this.#link(key)
    if (!swap.isPassed) this.bundles.judge(swap, mayShare)
    this.#finish(judged, isFirstOfTransaction)
    this.#window.add(index, swap.timestamp)
    this.candles.fold(swap)
    return isNew || this.#births.hasGraduated
  }

  /** The trader's balance, PnL and fees. */
  #foldTrader(isFirstOfTransaction: boolean): void {
    const { swap } = this
    this.clamp.begin(swap, isFirstOfTransaction)
    foldPosition(swap)
    this.clamp.apply(swap)
    this.#foldFees(isFirstOfTransaction)
    this.#state.positions.write(swap.position, swap.amounts)
    this.#routes.noteSale(swap)
  }

  #isFirstOfTransaction(): boolean {
    const { swap } = this
    if (swap.index === 0) return true
    const before = swap.index - 1
    const { tape } = this.#state
    return !isSameSignature(tape.u32Of(before), tape.at(before), swap.r, swap.rAt)
  }

  #takePosition(): void {
    const { swap } = this
    const state = this.#state
    let position = state.findPosition(swap.token, swap.wallet)
    if (position < 0) position = state.addPosition(swap.token, swap.wallet)
    state.changePosition(position)
    swap.takePosition(state, position)
    if (!swap.isFirst || swap.isPassed) return
    const { p, pAt, t, tAt, l, lAt } = swap
    t[tAt + TokenLane.traders] += 1
    l[lAt + WalletLane.mints] += 1
    if (swap.b[swap.bAt + LifecycleLane.creatorPlus1] === swap.wallet + 1) {
      p[pAt + PositionRowLane.flags] |= PositionFlag.creator
      t[tAt + TokenLane.creatorPositionPlus1] = position + 1
    }
    if (isNeverHolder(this.#state, swap.token, swap.wallet))
      p[pAt + PositionRowLane.flags] |= PositionFlag.excluded
  }

  #foldReserves(): void {
    const { swap } = this
    const { r, rAt, t, tAt, flags } = swap
    if (flags & Flag.priceStays) {
      copyU64(r, rAt + SwapLane.virtualBaseLo, t, tAt + TokenLane.virtualBaseLo)
      copyU64(r, rAt + SwapLane.virtualQuoteLo, t, tAt + TokenLane.virtualQuoteLo)
    } else {
      copyU64(t, tAt + TokenLane.virtualBaseLo, r, rAt + SwapLane.virtualBaseLo)
      copyU64(t, tAt + TokenLane.virtualQuoteLo, r, rAt + SwapLane.virtualQuoteLo)
    }
    if (!swap.isAmm) {
      copyU64(t, tAt + TokenLane.realBaseLo, r, rAt + SwapLane.realBaseLo)
      if (isZeroAt(r, rAt + SwapLane.realBaseLo)) t[tAt + TokenLane.flags] |= TokenFlag.complete
    }
    if (flags & Flag.supplyGiven) {
      copyU64(t, tAt + TokenLane.supplyLo, r, rAt + SwapLane.supplyLo)
      t[tAt + TokenLane.flags] |= TokenFlag.supplySeen
      return
    }
    copyU64(r, rAt + SwapLane.supplyLo, t, tAt + TokenLane.supplyLo)
    const known = TokenFlag.supplySeen | TokenFlag.creationKnown
    if ((t[tAt + TokenLane.flags] & known) === 0) swap.flags |= Flag.supplyUnseen
  }

  #foldMoney(): void {
    const { swap } = this
    const given = swap.givenSolPriceUsd
    const { r, rf, rAt, rAtF } = swap
    const globals = this.#state.globals.f64[0]
    if (swap.flags & Flag.ownSolPrice) {
      this.#state.undo.save(this.#state.globalsUndo, 0)
      globals[0] = given
    }
    const solPriceUsd = given > 0 ? given : globals[0]
    const quoteNumber = numberAt(r, rAt + SwapLane.quoteLo)
    swap.solPriceUsd = solPriceUsd
    // + 0: no price at all is 0 and never -0, which is other bytes.
    rf[rAtF + SwapFloatLane.solPriceUsd] = (given > 0 ? given : -solPriceUsd) + 0
    if (swap.quote >= Quote.other) {
      this.#foldCoinMoney(quoteNumber)
      return
    }
    swap.microUsd = microUsdOf(quoteNumber, this.#quoteRaw, swap.quote, solPriceUsd)
    swap.lamports = swap.quote === Quote.sol ? quoteNumber : lamportsOf(swap.microUsd, solPriceUsd)
    rf[rAtF + SwapFloatLane.volumeMicroUsd] = swap.microUsd
  }

  /** Of a swap quoted in a coin: at what the coin is worth in this place of the order. */
  #foldCoinMoney(amount: number): void {
    const { swap } = this
    const { rf, rAtF, quote, solPriceUsd } = swap
    const lamportsPerUnit = this.#state.quotes.lamportsPerUnit(quote, solPriceUsd)
    swap.microUsd = coinMicroUsd(amount, lamportsPerUnit, solPriceUsd)
    swap.lamports = lamportsOfAmount(amount, quote, lamportsPerUnit, solPriceUsd)
    rf[rAtF + SwapFloatLane.volumeMicroUsd] = -lamportsPerUnit + 0
  }

  /** After the reserves: a swap that keeps the price has the reserves of before. */
  #foldPrice(): void {
    const { swap } = this
    const swapPrice = priceSwap(swap.r, swap.rf, swap.rAt, swap.quote, swap.decimals)
    swap.priceUsd = swapPrice.usd
    swap.priceSol = swapPrice.sol
  }

  #foldFees(isFirstOfTransaction: boolean): void {
    const { swap } = this
    const { r, rAt } = swap
    let fees = numberAt(r, rAt + SwapLane.platformFeeLo) + numberAt(r, rAt + SwapLane.creatorFeeLo)
    fees += numberAt(r, rAt + SwapLane.cashbackLo)
    if (swap.isAmm) fees += numberAt(r, rAt + SwapLane.lpFeeLo)
    // SOL needs no conversion: a call would put its double on the heap.
    if (swap.quote !== Quote.sol) {
      const lamportsPerUnit = lamportsPerUnitOf(swap.rf, swap.rAtF)
      fees = lamportsOfAmount(fees, swap.quote, lamportsPerUnit, swap.solPriceUsd)
    }
    fees += swap.feesBefore
    if (isFirstOfTransaction) fees += numberAt(r, rAt + SwapLane.chainFeeLo)
    swap.amounts.f64[PositionLane.feesF] += fees
  }

  #foldWallet(): void {
    const { swap } = this
    const { l, lf, lAt, lAtF } = swap
    if ((l[lAt + WalletLane.flags] & WalletFlag.traded) === 0) {
      l[lAt + WalletLane.flags] |= WalletFlag.traded
      l[lAt + WalletLane.firstSwapAt] = swap.timestamp
    }
    l[lAt + WalletLane.trades] += 1
    if (swap.flags & Flag.proGiven) {
      const feedPro = swap.flags & Flag.proValue ? WalletFlag.feedPro : 0
      l[lAt + WalletLane.flags] =
        (l[lAt + WalletLane.flags] & ~WalletFlag.feedPro) | WalletFlag.feedJudged | feedPro
    }
    const isProNow =
      l[lAt + WalletLane.flags] & WalletFlag.feedJudged
        ? (l[lAt + WalletLane.flags] & WalletFlag.feedPro) !== 0
        : l[lAt + WalletLane.trades] >= this.#state.rules.proTrades &&
          l[lAt + WalletLane.mints] >= this.#state.rules.proMints &&
          lf[lAtF + WalletLane.realizedMicroUsdF] > 0
    if (isProNow !== ((l[lAt + WalletLane.flags] & WalletFlag.pro) !== 0))
      this.holders.turnPro(swap, this.coldHoldings)
    if (l[lAt + WalletLane.dormantPlus1] !== 0)
      this.coldHoldings.traded(swap.wallet, l[lAt + WalletLane.mints])
  }

  /** Decided by a lane of the token's row, so that the record before is read only when it matters. */
  #mayShareTransaction({ signatureLow }: EventPosition): boolean {
    const last = this.swap.t[this.swap.tAt + TokenLane.lastSignature]
    return last === 0 || signatureLow === 0 || last === signatureLow >>> 0
  }

  #link({ signatureLow }: EventPosition): void {
    this.swap.t[this.swap.tAt + TokenLane.lastSignature] = signatureLow
    const { r, rAt, t, tf, tAt, tAtF, p, pAt, index } = this.swap
    r[rAt + SwapLane.previousInMint] = t[tAt + TokenLane.lastSwapPlus1]
    r[rAt + SwapLane.previousInPosition] = p[pAt + PositionRowLane.lastSwapPlus1]
    t[tAt + TokenLane.lastSwapPlus1] = index + 1
    if (this.swap.isPassed) countPassed(p, pAt)
    p[pAt + PositionRowLane.lastSwapPlus1] = index + 1
    t[tAt + TokenLane.swaps] += 1
    tf[tAtF + TokenLane.volumeMicroUsdF] += this.swap.microUsd
  }

  #finish(judged: number, isFirstOfTransaction: boolean): void {
    const { swap } = this
    const { r, rAt, t, tAt, p, pAt } = swap
    let shown = judged | shownFlags(p[pAt + PositionRowLane.flags])
    if (isFirstOfTransaction) shown |= Flag.firstOfTransaction
    const complete = TokenFlag.complete | TokenFlag.graduated
    if (swap.isAmm || t[tAt + TokenLane.flags] & complete) shown |= Flag.complete
    r[rAt + SwapLane.flags] = swap.flags | shown
  }
}

/** Counts a swap of the position whose coin only passed through; its amounts count nothing. */
function countPassed(p: Uint32Array, pAt: number): void {
  if (p[pAt + PositionRowLane.flags] >>> PASSED_SHIFT < PASSED_MAX)
    p[pAt + PositionRowLane.flags] += 2 ** PASSED_SHIFT
}

/**
 * The exact 24 h window of every mint: swaps with now − 24 h < timestamp ≤ now. Each second has a chain
 * of swaps through the tape; as the clock moves, chains enter and leave whole. So the sums of a mint without
 * trades empty by themselves, whatever the order of timestamps.
 */
export class RollingWindow {
  /** The narrower windows too, with traders and prices. */
  readonly trades: TradeWindows
  readonly #state: State
  /** Tape index + 1 of the newest swap of each second. */
  readonly #heads = new Uint32Array(RING_SECONDS)

  readonly part: StatePart = {
    name: 'seconds',
    facts: () => [],
    views: () => [bytesOf(this.#heads)],
    open: (facts) => {
      sizesOf('seconds', facts, [])
      return [bytesOf(this.#heads)]
    },
    settle() {},
  }

  constructor(state: State) {
    this.#state = state
    this.trades = new TradeWindows(state, {
      swaps: () => this.#swaps(),
      aheadSecondsMax: AHEAD_SECONDS_MAX,
    })
  }

  get bytes(): number {
    return this.#heads.byteLength
  }

  *#swaps(): Generator<number> {
    const { now } = this.#state
    for (let second = now - WIDTH_SECONDS + 1; second <= now + AHEAD_SECONDS_MAX; second++)
      for (let next = this.#heads[second & RING_MASK]; next !== 0; next = this.#nextOf(next - 1))
        yield next - 1
  }

  /** Links a folded swap and counts it if its second is inside. */
  add(index: number, timestamp: number): void {
    this.trades.add(index, timestamp)
    const now = this.#state.now
    if (timestamp <= now - WIDTH_SECONDS || timestamp > now + AHEAD_SECONDS_MAX) return
    const { tape } = this.#state
    tape.u32Of(index)[tape.at(index) + SwapLane.nextInSecond] = this.#heads[timestamp & RING_MASK]
    this.#heads[timestamp & RING_MASK] = index + 1
    if (timestamp <= now) this.#count(index, 1)
  }

  /** Takes out the newest swap of its second: an undo goes from the newest swap back. */
  remove(index: number, timestamp: number): void {
    this.trades.remove(index, timestamp)
    if (this.#heads[timestamp & RING_MASK] !== index + 1) return
    this.#heads[timestamp & RING_MASK] = this.#nextOf(index)
    if (timestamp <= this.#state.now) this.#count(index, -1)
  }

  /** Moves the clock to `now` (unix seconds, never back). */
  advance(now: number): void {
    const before = this.#state.now
    if (now <= before) return
    this.#state.now = now
    this.#grow(before)
    const firstOut = before - WIDTH_SECONDS + 1
    const lastOut = Math.min(now - WIDTH_SECONDS, before)
    for (let second = firstOut; second <= lastOut; second++) this.#leave(second)
    const lastIn = Math.min(now, before + AHEAD_SECONDS_MAX)
    for (let second = before + 1; second <= lastIn; second++) this.#enter(second)
    this.trades.advanced()
  }

  /** The swaps that the clock had reached grow older: out of the narrowest window first. */
  #grow(before: number): void {
    for (let window = 0; window < WINDOW_SECONDS.length; window++) {
      const seconds = WINDOW_SECONDS[window]
      const lastOut = Math.min(this.#state.now - seconds, before)
      for (let second = before - seconds + 1; second <= lastOut; second++)
        if (this.#heads[second & RING_MASK] !== 0)
          this.trades.leave(this.#heads[second & RING_MASK] - 1, window)
    }
  }

  #leave(second: number): void {
    this.#countChain(second, -1)
    this.#heads[second & RING_MASK] = 0
  }

  /** A second that lay ahead: counts its chain, or drops it when the clock jumped over a day. */
  #enter(second: number): void {
    if (second > this.#state.now - WIDTH_SECONDS) this.#countChain(second, 1)
    else this.#heads[second & RING_MASK] = 0
  }

  #countChain(second: number, sign: number): void {
    let next = this.#heads[second & RING_MASK]
    for (; next !== 0; next = this.#nextOf(next - 1)) {
      if (sign > 0) this.trades.enter(next - 1)
      this.#count(next - 1, sign)
    }
  }

  #nextOf(index: number): number {
    return olderLink(this.#state.tape.nextInSecond(index), index, 'swaps of a second')
  }

  #count(index: number, sign: number): void {
    const { tape } = this.#state
    const r = tape.u32Of(index)
    const at = tape.at(index)
    const rf = tape.f64Of(index)
    const lane = rf[(at >>> 1) + SwapFloatLane.volumeMicroUsd]
    // The lane has it, except for quotes in a coin: a call would put its double on the heap.
    const volumeMicroUsd = lane >= 0 ? lane : volumeMicroUsdOf(r, rf, at)
    const token = r[at + SwapLane.token]
    this.#state.changes.note(token)
    const { windows } = this.#state
    const row = windows.take(token)
    const w = windows.rows.u32[row >>> ROW_SHIFT]
    const wf = windows.rows.f64[row >>> ROW_SHIFT]
    const wAt = (row & ROW_MASK) * WindowLane.lanes
    const isSell = r[at + SwapLane.flags] & Flag.sell
    const count = wAt + (isSell ? WindowLane.sells : WindowLane.buys)
    const sum = (wAt >>> 1) + (isSell ? WindowLane.sellMicroUsdF : WindowLane.buyMicroUsdF)
    w[count] += sign
    // Beyond 2^53 micro-USD a sum is rounded, but an empty window has exactly none.
    wf[sum] = w[count] === 0 ? 0 : wf[sum] + sign * volumeMicroUsd
    if (w[wAt + WindowLane.buys] + w[wAt + WindowLane.sells] === 0) windows.giveBack(token)
  }
}
