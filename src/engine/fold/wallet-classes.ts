import type { Thresholds } from '../../base/thresholds.ts'
import { isZeroAt } from '../../base/u64.ts'
import { Flag, SwapLane } from '../../events/swap-record.ts'
import type { Hand } from '../state/hand.ts'
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
export function isFresh(hand: Hand, rules: Thresholds): boolean {
  if (hand.flags & Flag.freshGiven) return (hand.flags & Flag.freshValue) !== 0
  const { l, lAt } = hand
  const hasTraded = (l[lAt + WalletLane.flags] & WalletFlag.traded) !== 0
  const ageSeconds = hasTraded ? hand.timestamp - l[lAt + WalletLane.firstSwapAt] : 0
  return ageSeconds < rules.freshSeconds && l[lAt + WalletLane.trades] < rules.freshTrades
}

/** Pro at this trade: the feed's word with the swap, else the judgement before it. */
export function isPro(hand: Hand): boolean {
  if (hand.flags & Flag.proGiven) return (hand.flags & Flag.proValue) !== 0
  return (hand.l[hand.lAt + WalletLane.flags] & WalletFlag.pro) !== 0
}

/** Held the token before its first recorded swap, or the feed says so; never the creator. */
export function isInsider(hand: Hand): boolean {
  if (hand.flags & Flag.insiderGiven && hand.flags & Flag.insiderValue) return true
  // Of a mint whose history is not whole a balance says nothing.
  if (!hand.isFirst || (hand.t[hand.tAt + TokenLane.flags] & TokenFlag.creationKnown) === 0)
    return false
  if (!hand.isBuy) return true
  return (
    (hand.flags & Flag.balanceBeforeGiven) !== 0 &&
    !isZeroAt(hand.r, hand.rAt + SwapLane.balanceBeforeLo)
  )
}

/** First buy at most 3 slots after the creation (2 s where a slot is unknown). */
export function isSniperBuy(hand: Hand, rules: Thresholds): boolean {
  if (!hand.isBuy || hand.p[hand.pAt + PositionLane.buys] !== 0) return false
  return isWithinSnipe(hand, rules, hand.slot, hand.flags, hand.timestamp)
}

/** Does a buy at this slot and time fall into the launch of the token in hand? */
export function isWithinSnipe(
  hand: Hand,
  rules: Thresholds,
  slot: number,
  flags: number,
  timestamp: number,
): boolean {
  const tokenFlags = hand.t[hand.tAt + TokenLane.flags]
  if ((tokenFlags & TokenFlag.creationKnown) === 0) return false
  if (tokenFlags & TokenFlag.slotKnown && (flags & Flag.noSlot) === 0)
    return slot - hand.bf[(hand.bAt >>> 1) + LifecycleLane.createdSlotF] <= rules.sniperSlots
  return timestamp - hand.b[hand.bAt + LifecycleLane.createdAt] <= rules.sniperSeconds
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
