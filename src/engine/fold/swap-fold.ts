import { stepped } from '../../base/errors.ts'
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
} from '../../events/swap-record.ts'
import { Candles } from '../history/candles.ts'
import type { TopHolders } from '../index/top-holders.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { boundedPart, type MemoryPart, type StatePart } from '../memory/state-part.ts'
import type { EventPosition } from '../order/event-position.ts'
import { isSameSignature } from '../state/address-book.ts'
import { isHolderAt, isNeverHolder, SwapContext } from '../state/lanes.ts'
import {
  LifecycleLane,
  PASSED_SHIFT,
  PositionFlag,
  PositionLane,
  TokenFlag,
  TokenLane,
  WalletFlag,
  WalletLane,
} from '../state/layout.ts'
import { lamportsOf, lamportsOfAmount, microUsdOf, priceSwap } from '../state/money.ts'
import type { State } from '../state/state.ts'
import { Bundles } from './bundles.ts'
import { ColdHoldingsCache } from './cold-holdings-cache.ts'
import { Holders } from './holders.ts'
import { InventoryClamp } from './inventory-clamp.ts'
import { foldBalance, foldPosition, leaveUntold } from './position-fold.ts'
import type { RollingWindow } from './rolling-window.ts'
import { Routes } from './routes.ts'
import type { TokenLifecycle } from './token-lifecycle.ts'
import { isFresh, isInsider, isPro, isSniperBuy, shownFlags } from './wallet-classes.ts'

/** Most swaps of a position whose coin only passed through that its flags can count. */
const PASSED_MAX = 2 ** 22 - 1

/** Folds one swap into token, wallet and position; the whole of what a trade changes. */
export class SwapFold {
  readonly swap = new SwapContext()
  readonly holders: Holders
  readonly bundles: Bundles
  readonly candles: Candles
  readonly resting: ColdHoldingsCache
  /** Did the last fold name a pool that had traded the mint as a wallet? */
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
    this.candles = new Candles(state)
    this.resting = new ColdHoldingsCache(state)
    this.clamp = new InventoryClamp(state)
    this.#routes = new Routes(state)
  }

  get parts(): readonly StatePart[] {
    return [...this.clamp.parts, this.#routes.part]
  }

  /** What is remembered of the transaction folded last. */
  get memory(): MemoryPart {
    return boundedPart('last_transaction', ...this.clamp.sized, ...this.#routes.sized)
  }

  /** Was the mint ever traded? */
  hasSwaps(token: number): boolean {
    return this.#state.tokens.get(token, TokenLane.swaps) > 0
  }

  /** Did anybody ever trade the mint, or hold some of it? */
  hasPositions(token: number): boolean {
    return this.#state.tokens.get(token, TokenLane.positionsPlus1) !== 0
  }

  /**
   * Folds record `index` of the tape, whose input lanes are filled and whose rows exist; true when
   * it was the first that was heard of its mint, or graduated it.
   */
  fold(index: number, key: EventPosition): boolean {
    const { swap } = this
    const state = this.#state
    swap.takeRecord(state, index)
    swap.givenSolPriceUsd = swap.rf[swap.rAtF + SwapFloatLane.givenSolPriceUsd]
    beginFold(swap.r, swap.rAt)
    swap.flags &= INPUT_FLAGS | ARRIVAL_BITS
    state.undo.save(state.tokensUndo, swap.token)
    state.undo.save(state.walletsUndo, swap.wallet)
    const isNew = this.#births.beforeSwap(swap, key)
    this.hasExcluded = this.#births.hasNewPool && this.holders.excludeHouse(swap.token, [])
    if (this.hasExcluded) this.bundles.forget(swap.token)
    swap.takeToken(state)
    this.#births.takeQuote(swap)
    swap.takeWallet(state)
    const isFirstOfTransaction = this.#isFirstOfTransaction()
    if (isFirstOfTransaction) this.clamp.beginTransaction()
    this.#foldMoney()
    this.#routes.take(swap)
    this.#takePosition()
    const judged = this.#judge()
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

  /** What the trader holds and made of it. */
  #foldTrader(isFirstOfTransaction: boolean): void {
    const { swap } = this
    this.clamp.begin(swap, isFirstOfTransaction)
    foldBalance(swap)
    foldPosition(swap)
    this.clamp.apply(swap)
    this.#foldFees(isFirstOfTransaction)
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
      p[pAt + PositionLane.flags] |= PositionFlag.creator
      t[tAt + TokenLane.creatorPositionPlus1] = position + 1
    }
    if (isNeverHolder(this.#state, swap.token, swap.wallet))
      p[pAt + PositionLane.flags] |= PositionFlag.excluded
  }

  /** Judgements that look at the wallet before this swap; returns the flags the swap shows of them. */
  #judge(): number {
    const { swap } = this
    const { p, pAt } = swap
    let flags = 0
    let shown = 0
    if (isFresh(swap, this.#state.rules)) {
      flags |= PositionFlag.fresh
      shown |= Flag.freshWallet
    }
    if (isPro(swap)) shown |= Flag.proTrader
    if (swap.isPassed) return shown
    if ((p[pAt + PositionLane.flags] & PositionFlag.creator) === 0) {
      if (isInsider(swap)) flags |= PositionFlag.insider
      if (isSniperBuy(swap, this.#state.rules)) flags |= PositionFlag.sniper
    }
    if ((p[pAt + PositionLane.flags] & flags) !== flags) {
      this.holders.takeOut(swap.position)
      p[pAt + PositionLane.flags] |= flags
      this.holders.putBack(swap.position)
    }
    return shown
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

  /** Behind the reserves: a swap whose price stays has those that stood. */
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
    // In SOL nothing is to be converted: a call would put its double on the heap.
    if (swap.quote !== Quote.sol) {
      const lamportsPerUnit = lamportsPerUnitOf(swap.rf, swap.rAtF)
      fees = lamportsOfAmount(fees, swap.quote, lamportsPerUnit, swap.solPriceUsd)
    }
    fees += swap.feesBefore
    if (isFirstOfTransaction) fees += numberAt(r, rAt + SwapLane.chainFeeLo)
    swap.pf[swap.pAtF + PositionLane.feesF] += fees
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
      const said = swap.flags & Flag.proValue ? WalletFlag.feedPro : 0
      l[lAt + WalletLane.flags] =
        (l[lAt + WalletLane.flags] & ~WalletFlag.feedPro) | WalletFlag.feedJudged | said
    }
    const isProNow =
      l[lAt + WalletLane.flags] & WalletFlag.feedJudged
        ? (l[lAt + WalletLane.flags] & WalletFlag.feedPro) !== 0
        : l[lAt + WalletLane.trades] >= this.#state.rules.proTrades &&
          l[lAt + WalletLane.mints] >= this.#state.rules.proMints &&
          lf[lAtF + WalletLane.realizedMicroUsdF] > 0
    if (isProNow !== ((l[lAt + WalletLane.flags] & WalletFlag.pro) !== 0))
      this.#turnPro(swap.position)
    if (l[lAt + WalletLane.dormantPlus1] !== 0)
      this.resting.traded(swap.wallet, l[lAt + WalletLane.mints])
  }

  /** The judgement of the wallet turns: every mint it holds counts it anew. */
  #turnPro(except: number): void {
    const { l, lAt } = this.swap
    l[lAt + WalletLane.flags] ^= WalletFlag.pro
    const isPro = (l[lAt + WalletLane.flags] & WalletFlag.pro) !== 0
    const { positions, tokensUndo, undo } = this.#state
    const first = l[lAt + WalletLane.positionsPlus1]
    let steps = 0
    for (let next = first; next !== 0; next = this.#state.nextInWallet(next - 1)) {
      steps = stepped(steps, positions.count, 'positions of a wallet')
      const position = next - 1
      if (position === except) continue
      const p = positions.u32[position >>> ROW_SHIFT]
      const pAt = (position & ROW_MASK) * PositionLane.lanes
      const token = p[pAt + PositionLane.token]
      if (token !== this.swap.token) undo.save(tokensUndo, token)
      // Of those without a balance that counts nothing changes.
      if (!isHolderAt(p, pAt)) continue
      this.holders.turnPro(
        token,
        p[pAt + PositionLane.balanceLo],
        p[pAt + PositionLane.balanceLo + 1],
        isPro,
      )
    }
    if (l[lAt + WalletLane.dormantPlus1] !== 0) this.#turnDormant(isPro)
  }

  /** Dormant positions are counted where they are: nothing but their mint's row changes. */
  #turnDormant(isPro: boolean): void {
    this.resting.visit(this.swap.wallet, (token, balanceLo, balanceHi) => {
      this.#state.undo.save(this.#state.tokensUndo, token)
      this.holders.turnPro(token, balanceLo, balanceHi, isPro)
    })
  }

  /** Told by words of the token's row, so that the record before is read only when it matters. */
  #mayShareTransaction({ signatureLow }: EventPosition): boolean {
    const last = this.swap.t[this.swap.tAt + TokenLane.lastSignature]
    return last === 0 || signatureLow === 0 || last === signatureLow >>> 0
  }

  #link({ signatureLow }: EventPosition): void {
    this.swap.t[this.swap.tAt + TokenLane.lastSignature] = signatureLow
    const { r, rAt, t, tf, tAt, tAtF, p, pAt, index } = this.swap
    r[rAt + SwapLane.previousInMint] = t[tAt + TokenLane.lastSwapPlus1]
    r[rAt + SwapLane.previousInPosition] = p[pAt + PositionLane.lastSwapPlus1]
    t[tAt + TokenLane.lastSwapPlus1] = index + 1
    if (this.swap.isPassed) countPassed(p, pAt)
    p[pAt + PositionLane.lastSwapPlus1] = index + 1
    t[tAt + TokenLane.swaps] += 1
    tf[tAtF + TokenLane.volumeMicroUsdF] += this.swap.microUsd
  }

  #finish(judged: number, isFirstOfTransaction: boolean): void {
    const { swap } = this
    const { r, rAt, t, tAt, p, pAt } = swap
    let shown = judged | shownFlags(p[pAt + PositionLane.flags])
    if (isFirstOfTransaction) shown |= Flag.firstOfTransaction
    const complete = TokenFlag.complete | TokenFlag.graduated
    if (swap.isAmm || t[tAt + TokenLane.flags] & complete) shown |= Flag.complete
    r[rAt + SwapLane.flags] = swap.flags | shown
  }
}

/** One more swap of the position whose coin only passed through: none of its amounts. */
function countPassed(p: Uint32Array, pAt: number): void {
  if (p[pAt + PositionLane.flags] >>> PASSED_SHIFT < PASSED_MAX)
    p[pAt + PositionLane.flags] += 2 ** PASSED_SHIFT
}
