import { LRUCache } from 'lru-cache'
import { olderLink, stepped } from '../../base/errors.ts'
import type { Thresholds } from '../../base/thresholds.ts'
import { isZeroAt } from '../../base/u64.ts'
import { Flag, Hop, hopOf, SwapFloatLane, SwapLane, walletOf } from '../../events/swap-record.ts'
import { swapsOldestFirst } from '../history/swap-chains.ts'
import { isSameSignature } from '../state/address-book.ts'
import { positionLane, SwapContext } from '../state/lanes.ts'
import {
  LifecycleLane,
  PositionFlag,
  PositionLane,
  PositionRowLane,
  TokenFlag,
  TokenLane,
  WalletFlag,
  WalletLane,
} from '../state/layout.ts'
import { lamportsOfSwap } from '../state/money.ts'
import type { State } from '../state/state.ts'
import type { Holders } from './position-fold.ts'

/** Swaps of a transaction that one judgement reads; it holds far fewer of one mint. */
const LOOK_BACK_MAX = 4_096
/** Launched mints whose groups are in memory; a further one's is read off the tape again. */
const GROUPS_MAX = 64

const JUDGED = PositionFlag.sniper | PositionFlag.bundle | PositionFlag.insider

/**
 * Sets the classes that depend on the wallet as it was before this swap: fresh, insider, sniper. Returns
 * the flags that the swap shows for them and for a pro.
 */
export function judgeWallet(swap: SwapContext, holders: Holders, rules: Thresholds): number {
  const { p, pAt } = swap
  let flags = 0
  let shown = 0
  if (isFresh(swap, rules)) {
    flags |= PositionFlag.fresh
    shown |= Flag.freshWallet
  }
  if (isPro(swap)) shown |= Flag.proTrader
  if (swap.isPassed) return shown
  if ((p[pAt + PositionRowLane.flags] & PositionFlag.creator) === 0) {
    if (isInsider(swap)) flags |= PositionFlag.insider
    if (isSniperBuy(swap, rules)) flags |= PositionFlag.sniper
  }
  if ((p[pAt + PositionRowLane.flags] & flags) !== flags) {
    holders.takeOut(swap.position)
    p[pAt + PositionRowLane.flags] |= flags
    holders.putBack(swap.position)
  }
  return shown
}

/**
 * Fresh at this trade: as the feed says, else first swap anywhere less than 24 h ago and fewer than
 * ten earlier trades. Reads the wallet as it was before the swap.
 */
function isFresh(swap: SwapContext, rules: Thresholds): boolean {
  if (swap.flags & Flag.freshGiven) return (swap.flags & Flag.freshValue) !== 0
  const { l, lAt } = swap
  const hasTraded = (l[lAt + WalletLane.flags] & WalletFlag.traded) !== 0
  const ageSeconds = hasTraded ? swap.timestamp - l[lAt + WalletLane.firstSwapAt] : 0
  return ageSeconds < rules.freshSeconds && l[lAt + WalletLane.trades] < rules.freshTrades
}

/** Pro at this trade: as the feed says with the swap, else as judged before it. */
function isPro(swap: SwapContext): boolean {
  if (swap.flags & Flag.proGiven) return (swap.flags & Flag.proValue) !== 0
  return (swap.l[swap.lAt + WalletLane.flags] & WalletFlag.pro) !== 0
}

/** Held the token before its first recorded swap, or the feed says so; never the creator. */
function isInsider(swap: SwapContext): boolean {
  if (swap.flags & Flag.insiderGiven && swap.flags & Flag.insiderValue) return true
  // Without the mint's whole history a balance says nothing.
  if (!swap.isFirst || (swap.t[swap.tAt + TokenLane.flags] & TokenFlag.creationKnown) === 0)
    return false
  if (!swap.isBuy) return true
  return (
    (swap.flags & Flag.balanceBeforeGiven) !== 0 &&
    !isZeroAt(swap.r, swap.rAt + SwapLane.balanceBeforeLo)
  )
}

/** First buy at most 3 slots after the creation (2 s where a slot is unknown). */
function isSniperBuy(swap: SwapContext, rules: Thresholds): boolean {
  if (!swap.isBuy || swap.p[swap.pAt + PositionRowLane.buys] !== 0) return false
  return isWithinSnipe(swap, rules, swap.slot, swap.flags, swap.timestamp)
}

/** Does a buy at this slot and time fall into the launch of its token? */
function isWithinSnipe(
  swap: SwapContext,
  rules: Thresholds,
  slot: number,
  flags: number,
  timestamp: number,
): boolean {
  const tokenFlags = swap.t[swap.tAt + TokenLane.flags]
  if ((tokenFlags & TokenFlag.creationKnown) === 0) return false
  if (tokenFlags & TokenFlag.slotKnown && (flags & Flag.noSlot) === 0)
    return slot - swap.bf[(swap.bAt >>> 1) + LifecycleLane.createdSlotF] <= rules.sniperSlots
  return timestamp - swap.b[swap.bAt + LifecycleLane.createdAt] <= rules.sniperSeconds
}

/** The flags of a position that its swap shows. */
export function shownFlags(positionFlags: number): number {
  let shown = 0
  if (positionFlags & PositionFlag.sniper) shown |= Flag.sniperWallet
  if (positionFlags & PositionFlag.bundle) shown |= Flag.bundleWallet
  if (positionFlags & PositionFlag.insider) shown |= Flag.insiderWallet
  if (positionFlags & PositionFlag.creator) shown |= Flag.creatorWallet
  return shown
}

/**
 * Bundlers: two or more signers buying a mint in one launch slot for 0.05 SOL each, or in one
 * transaction at any age (contract section 2). The group is read off the mint's chain in the tape.
 */
export class Bundles {
  readonly #state: State
  readonly #holders: Holders
  /**
   * By mint: its launch slot's group, so that a swap is added to it and does not read all before it, which
   * would be n² / 2 reads for n swaps. Groups are no state: each can be read off the chain of its mint's
   * swaps, and has to be after one of these, or who is a holder, changed (`forget`).
   */
  readonly #groups = new LRUCache<number, LaunchGroup>({ max: GROUPS_MAX })
  /** Tape indices of swaps that are not in their group yet, newest first. */
  readonly #fresh: number[] = []
  /** Signers of the judged transaction. */
  readonly #signers = new Set<number>()

  constructor(state: State, holders: Holders) {
    this.#state = state
    this.#holders = holders
  }

  /**
   * Judges a buy whose record is already in its mint's chain; `mayShare` is false when the mint's swap
   * before it is known to be of another transaction.
   */
  judge(swap: SwapContext, mayShare = true): void {
    if (!swap.isBuy) return
    if (this.#isLaunchSlot(swap)) this.#judgeGroup(swap.token, this.#groupOf(swap))
    if (mayShare && this.#sharesTransaction(swap)) {
      this.#collectSigners(swap)
      this.#judgeSigners(swap.token)
    }
  }

  /** Swaps of the mint were taken back, or one of its wallets started or stopped to count as a holder. */
  forget(token: number): void {
    this.#groups.delete(token)
  }

  /** The state, or its rules, are replaced. */
  drop(): void {
    this.#groups.clear()
  }

  /** Is the mint's swap before this one of the same transaction? */
  #sharesTransaction(swap: SwapContext): boolean {
    const before = swap.r[swap.rAt + SwapLane.previousInMint] - 1
    if (before < 0) return false
    const { tape } = this.#state
    return isSameSignature(tape.u32Of(before), tape.at(before), swap.r, swap.rAt)
  }

  #isLaunchSlot(swap: SwapContext): boolean {
    const wanted = TokenFlag.creationKnown | TokenFlag.slotKnown
    if ((swap.t[swap.tAt + TokenLane.flags] & wanted) !== wanted || swap.flags & Flag.noSlot)
      return false
    return (
      swap.slot <=
      swap.bf[(swap.bAt >>> 1) + LifecycleLane.createdSlotF] + this.#state.rules.bundleSlots
    )
  }

  /** The group of the slot, up to the folded swap. */
  #groupOf(swap: SwapContext): LaunchGroup {
    const { tape } = this.#state
    const { token, slot } = swap
    const last = this.#groups.get(token)
    const known = last?.slot === slot ? last : undefined
    const knownPlus1 = known === undefined ? 0 : known.lastIndex + 1
    this.#fresh.length = 0
    let next = swap.index + 1
    while (next !== 0 && next !== knownPlus1) {
      const index = next - 1
      const r = tape.u32Of(index)
      const at = tape.at(index)
      if (tape.f64Of(index)[(at >>> 1) + SwapFloatLane.slot] !== slot) break
      const isBuy = (r[at + SwapLane.flags] & (Flag.sell | Flag.noSlot)) === 0
      if (isBuy && hopOf(r, at) !== Hop.passed) this.#fresh.push(index)
      next = olderLink(r[at + SwapLane.previousInMint], index, 'swaps of a mint')
    }
    const continues = known !== undefined && next === knownPlus1
    const group = continues ? known : this.#begin(token, slot)
    for (let i = this.#fresh.length - 1; i >= 0; i--) this.#add(swap, group, this.#fresh[i])
    group.lastIndex = swap.index
    return group
  }

  /** An empty group in place of the mint's last one. */
  #begin(token: number, slot: number): LaunchGroup {
    const group = { slot, lastIndex: -1, bought: new Map(), reached: [], judged: 0 }
    this.#groups.set(token, group)
    return group
  }

  #add({ token, quote }: SwapContext, group: LaunchGroup, index: number): void {
    const { tape, rules } = this.#state
    const [r, rf, at] = [tape.u32Of(index), tape.f64Of(index), tape.at(index)]
    const wallet = walletOf(r, at)
    const before = group.bought.get(wallet)
    const lamports = (before ?? 0) + lamportsOfSwap(r, rf, at, quote)
    group.bought.set(wallet, lamports)
    if (before !== undefined && before >= rules.bundleLamports) return
    if (lamports >= rules.bundleLamports && this.#holderOf(token, wallet) >= 0)
      group.reached.push(wallet)
  }

  #judgeGroup(token: number, group: LaunchGroup): void {
    const { reached } = group
    if (reached.length < 2) return
    // The newest buyer is first: the undo log, and so the snapshot, has them in this order.
    for (let i = reached.length - 1; i >= group.judged; i--)
      this.#flag(this.#state.findPosition(token, reached[i]))
    group.judged = reached.length
  }

  #collectSigners(swap: SwapContext): void {
    this.#signers.clear()
    const { tape } = this.#state
    let next = swap.index + 1
    for (let looked = 0; next !== 0 && looked < LOOK_BACK_MAX; looked++) {
      const index = next - 1
      const r = tape.u32Of(index)
      const at = tape.at(index)
      if (!isSameSignature(r, at, swap.r, swap.rAt)) return
      const isBuy = (r[at + SwapLane.flags] & Flag.sell) === 0
      if (isBuy && hopOf(r, at) !== Hop.passed) this.#signers.add(walletOf(r, at))
      next = r[at + SwapLane.previousInMint]
    }
  }

  #judgeSigners(token: number): void {
    if (this.#signers.size < 2) return
    const group: number[] = []
    for (const wallet of this.#signers) {
      const position = this.#holderOf(token, wallet)
      if (position >= 0) group.push(position)
    }
    if (group.length < 2) return
    for (const position of group) this.#flag(position)
  }

  /** The wallet's position; −1 when it has none that counts as a holder's. */
  #holderOf(token: number, wallet: number): number {
    const position = this.#state.findPosition(token, wallet)
    if (position < 0 || this.#holders.hasFlag(position, PositionFlag.excluded)) return -1
    return position
  }

  #flag(position: number): void {
    if (this.#holders.hasFlag(position, PositionFlag.creator | PositionFlag.bundle)) return
    this.#holders.setFlags(position, 0, PositionFlag.bundle)
  }
}

/** Buyers of a mint in one slot, up to one of its swaps: at most as many as a slot of the chain has room for. */
interface LaunchGroup {
  readonly slot: number
  /** The newest swap that is in it. */
  lastIndex: number
  /** Wallet → lamports bought. */
  readonly bought: Map<number, number>
  /** Wallets that bought for enough and count as holders, in the order in which they reached that. */
  readonly reached: number[]
  /** So many of `reached` were judged bundlers. */
  judged: number
}

/**
 * What a `token_created` (or a curve or pool address) changes about earlier swaps of its mint: the
 * creator, the holders, snipers, insiders and bundlers (contract section 2, "unknown mint").
 */
export class LateCreation {
  readonly #state: State
  readonly #holders: Holders
  readonly #bundles: Bundles
  readonly #swap = new SwapContext()

  constructor(state: State, holders: Holders, bundles: Bundles) {
    this.#state = state
    this.#holders = holders
    this.#bundles = bundles
  }

  /** Judges the swaps that were folded before the creation; `former` as in `markCreator`. */
  rejudge(token: number, former: number): void {
    const swap = this.#contextOf(token)
    this.markCreator(token, former)
    const swaps = this.#tradesOf(token)
    this.#judgeSnipers(swap, swaps)
    this.#judgeInsiders(swap, swaps)
    this.#judgeBundles(swap, swaps)
  }

  /** A wallet started or stopped to count as a holder: bundlers are judged anew. */
  rejudgeBundles(token: number): void {
    this.#judgeBundles(this.#contextOf(token), this.#tradesOf(token))
  }

  #contextOf(token: number): SwapContext {
    this.#swap.token = token
    this.#swap.takeToken(this.#state)
    return this.#swap
  }

  #judgeBundles(swap: SwapContext, swaps: readonly number[]): void {
    this.#bundles.forget(swap.token)
    let next = swap.t[swap.tAt + TokenLane.positionsPlus1]
    for (let steps = 0; next !== 0; ) {
      steps = this.#stepped(steps)
      if (this.#holders.hasFlag(next - 1, PositionFlag.bundle))
        this.#holders.setFlags(next - 1, PositionFlag.bundle, 0)
      next = positionLane(this.#state, next - 1, PositionLane.nextInMintPlus1)
    }
    for (const index of swaps) {
      swap.takeRecord(this.#state, index)
      this.#bundles.judge(swap)
    }
  }

  /** Marks the creator's position; `former` is the wallet that was taken for the creator until now, -1 for none. */
  markCreator(token: number, former: number): void {
    const { b, bAt, t, tAt } = this.#contextOf(token)
    const positionOf = (wallet: number) =>
      wallet < 0 ? -1 : this.#state.findPosition(token, wallet)
    const unmarked = positionOf(former)
    if (unmarked >= 0) this.#holders.setFlags(unmarked, PositionFlag.creator, 0)
    const position = positionOf(b[bAt + LifecycleLane.creatorPlus1] - 1)
    t[tAt + TokenLane.creatorPositionPlus1] = position + 1
    if (position >= 0) this.#holders.setFlags(position, JUDGED, PositionFlag.creator)
  }

  /** Swaps of the token, oldest first, without those whose coin only passed through on a route. */
  #tradesOf(token: number): readonly number[] {
    const { tape } = this.#state
    return swapsOldestFirst(this.#state, token).filter(
      (index) => hopOf(tape.u32Of(index), tape.at(index)) !== Hop.passed,
    )
  }

  /** Since the history now starts with a creation, a balance before the first swap shows an insider. */
  #judgeInsiders(swap: SwapContext, swaps: readonly number[]): void {
    const traded = new Set<number>()
    const { tape } = this.#state
    for (const index of swaps) {
      const [r, at] = [tape.u32Of(index), tape.at(index)]
      const wallet = walletOf(r, at)
      const flags = r[at + SwapLane.flags]
      // Who was taken for the creator until now was not flagged.
      if (flags & Flag.insiderGiven && flags & Flag.insiderValue)
        this.#flagInsider(this.#state.findPosition(swap.token, wallet))
      if (traded.has(wallet)) continue
      traded.add(wallet)
      const isSell = (flags & Flag.sell) !== 0
      const isBalanceGiven = (flags & Flag.balanceBeforeGiven) !== 0
      if (isSell || (isBalanceGiven && !isZeroAt(r, at + SwapLane.balanceBeforeLo)))
        this.#flagInsider(this.#state.findPosition(swap.token, wallet))
    }
    let next = swap.t[swap.tAt + TokenLane.positionsPlus1]
    for (let steps = 0; next !== 0; ) {
      steps = this.#stepped(steps)
      if (this.#holders.hasFlag(next - 1, PositionFlag.handed)) this.#flagInsider(next - 1)
      next = positionLane(this.#state, next - 1, PositionLane.nextInMintPlus1)
    }
  }

  #stepped(steps: number): number {
    return stepped(steps, this.#state.positions.count, 'positions of a mint')
  }

  #flagInsider(position: number): void {
    if (position < 0) return
    const known = PositionFlag.creator | PositionFlag.insider
    if (this.#holders.hasFlag(position, known)) return
    this.#holders.setFlags(position, 0, PositionFlag.insider)
  }

  #judgeSnipers(swap: SwapContext, swaps: readonly number[]): void {
    const bought = new Set<number>()
    const { tape } = this.#state
    for (const index of swaps) {
      const r = tape.u32Of(index)
      const at = tape.at(index)
      const wallet = walletOf(r, at)
      const flags = r[at + SwapLane.flags]
      if (flags & Flag.sell || bought.has(wallet)) continue
      bought.add(wallet)
      const slot = tape.f64Of(index)[(at >>> 1) + SwapFloatLane.slot]
      if (!isWithinSnipe(swap, this.#state.rules, slot, flags, r[at + SwapLane.timestamp])) continue
      const position = this.#state.findPosition(swap.token, wallet)
      if (position >= 0 && !this.#holders.hasFlag(position, PositionFlag.creator))
        this.#holders.setFlags(position, 0, PositionFlag.sniper)
    }
  }
}
