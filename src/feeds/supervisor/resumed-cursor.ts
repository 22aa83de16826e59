import { SUSPECT_SLOTS_MAX } from './suspects.ts'

/**
 * The slot behind which a restart goes on, of an engine that refuses what lies more than `lateSlots` before its
 * newest event; null: from now on. The newest slot may not have been written whole, transactions of older
 * ones may have come behind it, a subscription may have been dead for the 5 s in which that is noticed, and
 * a killed process forgot which slots it was asking for again. What comes again is dropped; what is new in
 * slots before these would be refused.
 */
export function resumedCursor(newestSlot: number, lateSlots: number): number | null {
  if (newestSlot <= 0) return null
  return Math.max(0, newestSlot - Math.min(SUSPECT_SLOTS_MAX, lateSlots + 1))
}
