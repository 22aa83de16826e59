import type { OrderKey } from './token-births.ts'

/**
 * Place of an event in the order ring, with what events of its transaction that know no index are
 * told by: a hash of its signature (0 and 0 where the place is not the event's own).
 */
export interface RingKey extends OrderKey {
  signatureHigh: number
  signatureLow: number
}

/** Before all events; without a signature, so that no other event takes its index for its own. */
export const NOWHERE: Readonly<RingKey> = {
  slot: -1,
  txIndex: 0,
  ordinal: 0,
  isSlotKnown: false,
  signatureHigh: 0,
  signatureLow: 0,
  arrival: 0,
}
