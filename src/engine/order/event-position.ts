/** Place of an event in the total order (contract section 2). */
export interface OrderKey {
  slot: number
  txIndex: number
  ordinal: number
  /** False when the event has no slot of its own and took the newest one's. */
  isSlotKnown: boolean
  /** A number that grows with arrival. */
  arrival: number
}

/**
 * Place of an event in the order ring, with what events of its transaction that know no index are
 * told by: a hash of its signature (0 and 0 where the place is not the event's own).
 */
export interface EventPosition extends OrderKey {
  signatureHigh: number
  signatureLow: number
}

/** Before all events; without a signature, so that no other event takes its index for its own. */
export const NOWHERE: Readonly<EventPosition> = {
  slot: -1,
  txIndex: 0,
  ordinal: 0,
  isSlotKnown: false,
  signatureHigh: 0,
  signatureLow: 0,
  arrival: 0,
}
