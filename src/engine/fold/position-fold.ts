import { stepped } from '../../base/errors.ts'
import { addU64, copyU64, isLess, isZeroAt, numberAt, subtractU64 } from '../../base/u64.ts'
import {
  Flag,
  Hop,
  hopOf,
  markPassed,
  SwapFloatLane,
  SwapLane,
  volumeMicroUsdOf,
  walletOf,
} from '../../events/swap-record.ts'
import type { TopHolders } from '../index/top-holders.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import { isSameSignature } from '../state/address-book.ts'
import {
  isHolderRow,
  isNeverHolder,
  poolAddressesOf,
  positionLane,
  type SwapContext,
} from '../state/lanes.ts'
import {
  HolderClass,
  PositionFlag,
  PositionLane,
  PositionRowLane,
  ProfileLane,
  WalletFlag,
  WalletLane,
} from '../state/layout.ts'
import { feesOfSwap, lamportsOfSwap, quoteCounted } from '../state/money.ts'
import { PositionRecord, realize, shareOf } from '../state/position-rows.ts'
import type { State } from '../state/state.ts'
import type { ColdHoldingsCache } from './cold-store.ts'

/** Swaps of one transaction that are searched for the hop before; a route has a few. */
const LOOK_BACK_MAX = 64

/** A sale that began a route: its tape index + 1, its position, the part of it that was tracked. */
const SALE = { indexPlus1: 0, position: 1, shareF: 1 } as const
const SALE_LANES = 4
/** Sales remembered, each at the place of its tape index: a transaction has room for far fewer swaps. */
const SALES = 64

/** Classes of holders by the flag of their positions. */
const CLASSES = [
  [PositionFlag.sniper, HolderClass.sniper],
  [PositionFlag.bundle, HolderClass.bundle],
  [PositionFlag.insider, HolderClass.insider],
  [PositionFlag.fresh, HolderClass.fresh],
] as const

/** Scratch u64 amounts: what was sold within the inventory, and beyond it. */
const quantity = new Uint32Array(2)
const excess = new Uint32Array(2)

/**
 * What the swap does to the trader's position: balance, amounts, weighted-average cost, realised PnL in
 * both series (contract section 5). Costs are integers; a part of a cost is rounded to the nearest.
 */
export function foldPosition(swap: SwapContext): void {
  const { p, pAt, r, rAt } = swap
  foldBalance(swap)
  if (swap.isBuy) foldBuy(swap)
  else foldSell(swap)
  if (!isZeroAt(p, pAt + PositionRowLane.balanceLo) || !isZeroAt(r, rAt + SwapLane.balanceBeforeLo))
    p[pAt + PositionRowLane.flags] |= PositionFlag.held
}

/** Writes the balance after the swap into record and position: as given, else by the position's own count. */
function foldBalance(swap: SwapContext): void {
  const { p, pAt, r, rAt, flags } = swap
  const before = rAt + SwapLane.balanceBeforeLo
  const after = rAt + SwapLane.balanceAfterLo
  if ((flags & Flag.balanceBeforeGiven) === 0)
    copyU64(r, before, p, pAt + PositionRowLane.balanceLo)
  if ((flags & Flag.balanceAfterGiven) === 0) {
    copyU64(r, after, r, before)
    if (swap.isBuy) addU64(r, after, r, rAt + SwapLane.baseLo)
    else subtractU64(r, after, r, rAt + SwapLane.baseLo)
  }
  copyU64(p, pAt + PositionRowLane.balanceLo, r, after)
}

function foldBuy(swap: SwapContext): void {
  const { p, pAt, r, rAt, timestamp } = swap
  const { u32, f64 } = swap.amounts
  addU64(p, pAt + PositionRowLane.boughtLo, r, rAt + SwapLane.baseLo)
  addU64(u32, PositionLane.inventoryLo, r, rAt + SwapLane.baseLo)
  f64[PositionLane.boughtUsdF] += swap.paidMicroUsd
  f64[PositionLane.boughtSolF] += swap.paidLamports
  f64[PositionLane.costUsdF] += swap.paidMicroUsd
  f64[PositionLane.costSolF] += swap.paidLamports
  if (p[pAt + PositionRowLane.buys] === 0) p[pAt + PositionRowLane.firstBuyAt] = timestamp
  p[pAt + PositionRowLane.buys] += 1
  p[pAt + PositionRowLane.lastBuyAt] = timestamp
}

function foldSell(swap: SwapContext): void {
  const { r, rAt, timestamp } = swap
  const { u32, f64 } = swap.amounts
  const soldAt = rAt + SwapLane.baseLo
  const { inventoryLo } = PositionLane
  const isBeyond = isLess(u32, inventoryLo, r, soldAt)
  copyU64(quantity, 0, isBeyond ? u32 : r, isBeyond ? inventoryLo : soldAt)
  const tracked = numberAt(quantity, 0)
  const sold = numberAt(r, soldAt)
  const inventory = numberAt(u32, inventoryLo)
  const ofInventory = tracked === inventory ? 1 : tracked / inventory
  const ofSold = isBeyond ? tracked / sold : 1
  swap.soldShare = ofSold
  const usd = realize(f64, PositionLane.costUsdF, swap.paidMicroUsd, ofInventory, ofSold)
  f64[PositionLane.realizedUsdF] += usd
  swap.lf[swap.lAtF + WalletLane.realizedMicroUsdF] += usd
  const sol = realize(f64, PositionLane.costSolF, swap.paidLamports, ofInventory, ofSold)
  f64[PositionLane.realizedSolF] += sol
  f64[PositionLane.soldUsdF] += swap.paidMicroUsd
  f64[PositionLane.soldSolF] += swap.paidLamports
  addU64(u32, PositionLane.soldLo, r, soldAt)
  if (isBeyond) {
    copyU64(excess, 0, r, soldAt)
    subtractU64(excess, 0, quantity, 0)
    addU64(u32, PositionLane.untrackedLo, excess, 0)
  }
  subtractU64(u32, inventoryLo, quantity, 0)
  if (u32[PositionLane.sells] === 0) u32[PositionLane.firstSellAt] = timestamp
  u32[PositionLane.sells] += 1
  u32[PositionLane.lastSellAt] = timestamp
}

/** Nobody's balance of a coin that passes through is counted: one that the feed left out is 0. */
export function leaveUntold({ r, rAt, flags }: SwapContext): void {
  if ((flags & Flag.balanceBeforeGiven) === 0)
    r.fill(0, rAt + SwapLane.balanceBeforeLo, rAt + SwapLane.balanceBeforeLo + 2)
  if ((flags & Flag.balanceAfterGiven) === 0)
    r.fill(0, rAt + SwapLane.balanceAfterLo, rAt + SwapLane.balanceAfterLo + 2)
}

/**
 * Swaps that are hops of one route (contract section 2): the coin between two hops is traded, but nobody
 * holds it, and whoever trades the last coin pays, or gets, what the hop of SOL or dollars does.
 */
export class Routes {
  readonly #state: State
  readonly sales = new Rows(SALE_LANES)
  readonly #undo: number
  readonly #amounts = new PositionRecord()
  readonly part = this.sales.part('route sales', SALES)

  constructor(state: State) {
    this.#state = state
    this.#undo = state.undo.register(this.sales)
    for (let i = 0; i < SALES; i++) this.sales.add()
  }

  /** Decides whether the coin of the folded swap, whose money is known, passes through, and sets what the trader paid. */
  take(swap: SwapContext): void {
    swap.isPassed = false
    swap.paidMicroUsd = swap.microUsd
    swap.paidLamports = swap.lamports
    swap.feesBefore = 0
    const hop = hopOf(swap.r, swap.rAt)
    if (hop !== Hop.none) this.#takeHop(swap, hop)
  }

  #takeHop(swap: SwapContext, hop: number): void {
    if (hop === Hop.first) swap.isPassed = swap.isBuy
    else if (swap.isBuy) this.#payBefore(swap)
    else this.#endSale(swap)
    if (swap.isPassed) markPassed(swap.r, swap.rAt)
  }

  /** The sale has been folded: a later hop of its route may bring its proceeds. */
  noteSale(swap: SwapContext): void {
    if (swap.isBuy || hopOf(swap.r, swap.rAt) !== Hop.first) return
    const row = swap.index % SALES
    this.#state.undo.save(this.#undo, row)
    this.sales.u32[0][row * SALE_LANES + SALE.indexPlus1] = swap.index + 1
    this.sales.u32[0][row * SALE_LANES + SALE.position] = swap.position
    this.sales.f64[0][((row * SALE_LANES) >>> 1) + SALE.shareF] = swap.soldShare
  }

  /** A buy with a coin that was bought right before: it costs what that one did. */
  #payBefore(swap: SwapContext): void {
    const coin = this.#state.quotes.tokenOf(swap.quote)
    const before = this.#hopBefore(
      swap,
      (r, at) => hopOf(r, at) === Hop.passed && r[at + SwapLane.token] === coin,
    )
    if (before < 0) return
    const { tape } = this.#state
    const [r, rf, at] = [tape.u32Of(before), tape.f64Of(before), tape.at(before)]
    if (r[at + SwapLane.flags] & Flag.sell) return
    const quote = quoteCounted(r, rf, at, this.#quoteOf(coin))
    swap.paidMicroUsd = volumeMicroUsdOf(r, rf, at)
    swap.paidLamports = lamportsOfSwap(r, rf, at, quote)
    swap.feesBefore = feesOfSwap(r, rf, at, quote)
    if (r[at + SwapLane.flags] & Flag.firstOfTransaction)
      swap.feesBefore += numberAt(r, at + SwapLane.chainFeeLo)
  }

  /** A sale of the coin that the sale right before brought: the proceeds of this one are those of that one. */
  #endSale(swap: SwapContext): void {
    const before = this.#hopBefore(swap, (r, at, index) => {
      const coin = this.#state.quotes.tokenOf(this.#quoteOf(r[at + SwapLane.token]))
      return hopOf(r, at) === Hop.first && coin === swap.token && this.#isOpen(index, at)
    })
    if (before < 0) return
    swap.isPassed = true
    const state = this.#state
    const row = before % SALES
    state.undo.save(this.#undo, row)
    this.sales.u32[0][row * SALE_LANES + SALE.indexPlus1] = 0
    const { tape, positions } = state
    const [r, rf, at] = [tape.u32Of(before), tape.f64Of(before), tape.at(before)]
    const quote = this.#quoteOf(r[at + SwapLane.token])
    const position = this.sales.u32[0][row * SALE_LANES + SALE.position]
    const share = this.sales.f64[0][((row * SALE_LANES) >>> 1) + SALE.shareF]
    state.changePosition(position)
    state.changes.note(r[at + SwapLane.token])
    const { f64 } = this.#amounts
    positions.read(position, this.#amounts)
    const usd = volumeMicroUsdOf(r, rf, at)
    const realized = shareOf(swap.microUsd, share) - shareOf(usd, share)
    f64[PositionLane.soldUsdF] += swap.microUsd - usd
    f64[PositionLane.realizedUsdF] += realized
    swap.lf[swap.lAtF + WalletLane.realizedMicroUsdF] += realized
    const lamports = lamportsOfSwap(r, rf, at, quote)
    f64[PositionLane.soldSolF] += swap.lamports - lamports
    f64[PositionLane.realizedSolF] += shareOf(swap.lamports, share) - shareOf(lamports, share)
    f64[PositionLane.feesF] += feesOfSwap(swap.r, swap.rf, swap.rAt, swap.quote)
    positions.write(position, this.#amounts)
  }

  /** Tape index of the newest hop of the same route before the folded swap for which `is` is true; -1: none. */
  #hopBefore(
    swap: SwapContext,
    is: (r: Uint32Array, at: number, index: number) => boolean,
  ): number {
    const { tape } = this.#state
    const oldest = Math.max(0, swap.index - LOOK_BACK_MAX)
    for (let index = swap.index - 1; index >= oldest; index--) {
      const [r, at] = [tape.u32Of(index), tape.at(index)]
      if (!isSameSignature(r, at, swap.r, swap.rAt)) return -1
      if (walletOf(r, at) === swap.wallet && is(r, at, index)) return index
    }
    return -1
  }

  /** Does the sale at a tape index, whose record lies at lane `at`, still wait for its proceeds? */
  #isOpen(index: number, at: number): boolean {
    if (this.sales.u32[0][(index % SALES) * SALE_LANES + SALE.indexPlus1] !== index + 1)
      return false
    // At the sale its mint may have passed for one that is quoted in SOL or dollars.
    return this.#state.tape.f64Of(index)[(at >>> 1) + SwapFloatLane.volumeMicroUsd] <= 0
  }

  #quoteOf(token: number): number {
    return this.#state.profiles.get(token, ProfileLane.quote)
  }
}

/**
 * Holder distribution of a mint: sums and counts over wallets with a balance, by class. A position
 * is taken out before something about it changes and put back after, so that one rule covers
 * balances, flags, pro judgements and exclusions alike.
 */
export class Holders {
  readonly #state: State
  readonly #top: TopHolders

  constructor(state: State, top: TopHolders) {
    this.#state = state
    this.#top = top
  }

  /** Takes the position's balance out of its mint's sums. */
  takeOut(position: number): void {
    const p = this.#state.positions.u32[position >>> ROW_SHIFT]
    const pAt = (position & ROW_MASK) * PositionRowLane.lanes
    if (isHolderRow(p, pAt)) this.#count(p, pAt, -1)
  }

  /** Puts the position's balance into its mint's sums, as it and its wallet now are. */
  putBack(position: number): void {
    const p = this.#state.positions.u32[position >>> ROW_SHIFT]
    const pAt = (position & ROW_MASK) * PositionRowLane.lanes
    const token = p[pAt + PositionRowLane.token]
    this.#state.changes.note(token)
    const isHolder = isHolderRow(p, pAt)
    if (isHolder) this.#count(p, pAt, 1)
    this.#top.changed(token, position, isHolder ? numberAt(p, pAt + PositionRowLane.balanceLo) : 0)
  }

  /** Counts a holder (`sign` 1), or one no longer (-1), in all and in the classes that it is of. */
  #count(p: Uint32Array, pAt: number, sign: number): void {
    const { crowds, wallets } = this.#state
    const token = p[pAt + PositionRowLane.token]
    const lo = p[pAt + PositionRowLane.balanceLo]
    const hi = p[pAt + PositionRowLane.balanceLo + 1]
    const flags = p[pAt + PositionRowLane.flags]
    crowds.count(token, HolderClass.any, lo, hi, sign)
    for (let i = 0; i < CLASSES.length; i++)
      if (flags & CLASSES[i][0]) crowds.count(token, CLASSES[i][1], lo, hi, sign)
    if (wallets.get(p[pAt + PositionRowLane.wallet], WalletLane.flags) & WalletFlag.pro)
      crowds.count(token, HolderClass.pro, lo, hi, sign)
  }

  /**
   * The wallet of the folded swap becomes a pro or is one no longer: every mint that it holds counts it
   * anew. Its position in the swap's own mint is counted by `putBack`.
   */
  turnPro(swap: SwapContext, coldHoldings: ColdHoldingsCache): void {
    const { l, lAt } = swap
    l[lAt + WalletLane.flags] ^= WalletFlag.pro
    const isPro = (l[lAt + WalletLane.flags] & WalletFlag.pro) !== 0
    const state = this.#state
    const { positions } = state
    let steps = 0
    let next = l[lAt + WalletLane.positionsPlus1]
    for (; next !== 0; next = state.nextInWallet(next - 1)) {
      steps = stepped(steps, positions.count, 'positions of a wallet')
      const position = next - 1
      if (position === swap.position) continue
      const p = positions.u32[position >>> ROW_SHIFT]
      const pAt = (position & ROW_MASK) * PositionRowLane.lanes
      const token = p[pAt + PositionRowLane.token]
      if (token !== swap.token) state.saveToken(token)
      // A position without a balance that counts changes no sum.
      if (!isHolderRow(p, pAt)) continue
      const balanceAt = pAt + PositionRowLane.balanceLo
      this.#countPro(token, p[balanceAt], p[balanceAt + 1], isPro ? 1 : -1)
    }
    if (l[lAt + WalletLane.dormantPlus1] === 0) return
    // Dormant positions stay on the disk: only the row of their mint changes.
    coldHoldings.visit(swap.wallet, (token, balanceLo, balanceHi) => {
      state.saveToken(token)
      this.#countPro(token, balanceLo, balanceHi, isPro ? 1 : -1)
    })
  }

  #countPro(token: number, balanceLo: number, balanceHi: number, sign: number): void {
    this.#state.crowds.count(token, HolderClass.pro, balanceLo, balanceHi, sign)
    this.#state.changes.note(token)
  }

  /**
   * The curve or pool of the mint changed: an address among the `former` and the new ones that traded
   * no longer counts as a holder, or does so again. True when that changed a position.
   */
  excludePools(token: number, former: readonly number[]): boolean {
    const state = this.#state
    let hasChanged = false
    for (const addressPlus1 of [...former, ...poolAddressesOf(state, token)]) {
      const wallet = addressPlus1 === 0 ? -1 : state.book.walletOf(addressPlus1 - 1)
      const position = wallet < 0 ? -1 : state.findPosition(token, wallet)
      if (position < 0) continue
      const flag = PositionFlag.excluded
      const isExcluded = isNeverHolder(state, token, wallet)
      if (this.hasFlag(position, flag) === isExcluded) continue
      this.setFlags(position, isExcluded ? 0 : flag, isExcluded ? flag : 0)
      hasChanged = true
    }
    return hasChanged
  }

  /** Has the position any of these flags? */
  hasFlag(position: number, flags: number): boolean {
    return (positionLane(this.#state, position, PositionLane.flags) & flags) !== 0
  }

  /** Changes the flags of a position outside the fold of its own swap. */
  setFlags(position: number, clear: number, set: number): void {
    this.#state.changePosition(position)
    this.takeOut(position)
    const p = this.#state.positions.u32[position >>> ROW_SHIFT]
    const at = (position & ROW_MASK) * PositionRowLane.lanes + PositionRowLane.flags
    p[at] = (p[at] & ~clear) | set
    this.putBack(position)
  }
}
