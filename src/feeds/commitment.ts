/**
 * How sure the chain has to be of what is read: no block that had this word was ever taken back. Since the consensus of
 * October 2026 it is said to mean the same as "finalized", and the word is to go one day: it stands here only.
 */
export const COMMITMENT = 'confirmed'

/** The same in the words of Yellowstone. */
export const GEYSER_COMMITMENT = 'CONFIRMED'
