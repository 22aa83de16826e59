import type { Thresholds } from '../../base/thresholds.ts'
import { isZeroAt } from '../../base/u64.ts'
import { Flag, SwapLane } from '../../events/swap-record.ts'
import type { SwapContext } from '../state/lanes.ts'
import {
  LifecycleLane,
  PositionFlag,
  PositionLane,
  TokenFlag,
  TokenLane,
  WalletFlag,
  WalletLane,
} from '../state/layout.ts'

/**
 * Fresh at this trade: the feed's word, else first swap anywhere less than 24 h ago and fewer than
 * ten earlier trades. Reads the wallet as it was before the swap.
 */
export function isFresh(swap: SwapContext, rules: Thresholds): boolean {
  if (swap.flags & Flag.freshGiven) return (swap.flags & Flag.freshValue) !== 0
  const { l, lAt } = swap
  const hasTraded = (l[lAt + WalletLane.flags] & WalletFlag.traded) !== 0
  const ageSeconds = hasTraded ? swap.timestamp - l[lAt + WalletLane.firstSwapAt] : 0
  return ageSeconds < rules.freshSeconds && l[lAt + WalletLane.trades] < rules.freshTrades
}

/** Pro at this trade: the feed's word with the swap, else the judgement before it. */
export function isPro(swap: SwapContext): boolean {
  if (swap.flags & Flag.proGiven) return (swap.flags & Flag.proValue) !== 0
  return (swap.l[swap.lAt + WalletLane.flags] & WalletFlag.pro) !== 0
}

/** Held the token before its first recorded swap, or the feed says so; never the creator. */
export function isInsider(swap: SwapContext): boolean {
  if (swap.flags & Flag.insiderGiven && swap.flags & Flag.insiderValue) return true
  // Of a mint whose history is not whole a balance says nothing.
  if (!swap.isFirst || (swap.t[swap.tAt + TokenLane.flags] & TokenFlag.creationKnown) === 0)
    return false
  if (!swap.isBuy) return true
  return (
    (swap.flags & Flag.balanceBeforeGiven) !== 0 &&
    !isZeroAt(swap.r, swap.rAt + SwapLane.balanceBeforeLo)
  )
}

/** First buy at most 3 slots after the creation (2 s where a slot is unknown). */
export function isSniperBuy(swap: SwapContext, rules: Thresholds): boolean {
  if (!swap.isBuy || swap.p[swap.pAt + PositionLane.buys] !== 0) return false
  return isWithinSnipe(swap, rules, swap.slot, swap.flags, swap.timestamp)
}

/** Does a buy at this slot and time fall into the launch of its token? */
export function isWithinSnipe(
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

/** The position's flags that show with a swap. */
export function shownFlags(positionFlags: number): number {
  let shown = 0
  if (positionFlags & PositionFlag.sniper) shown |= Flag.sniperWallet
  if (positionFlags & PositionFlag.bundle) shown |= Flag.bundleWallet
  if (positionFlags & PositionFlag.insider) shown |= Flag.insiderWallet
  if (positionFlags & PositionFlag.creator) shown |= Flag.creatorWallet
  return shown
}
