/** What happened to one source; plain numbers that only grow. */
interface SourceCounters {
  /** Connections begun. */
  attempts: number
  /** Connections that worked and ended, by the peer, by an error or by the watchdog. */
  losses: number
  /** Connections that never worked. */
  refusals: number
  /** Connections ended because nothing came for too long. */
  watchdog: number
  /** Transactions told, duplicates included. */
  transactions: number
  /** Slots told whole. */
  slots: number
  /** Events left out because a better source was connected. */
  standby: number
  /** What it said of slots that the chain cannot have reached, left out. */
  impossibleSlots: number
}

export function newSourceCounters(): SourceCounters {
  return {
    attempts: 0,
    losses: 0,
    refusals: 0,
    watchdog: 0,
    transactions: 0,
    slots: 0,
    standby: 0,
    impossibleSlots: 0,
  }
}

/** What happened to the slots of all sources together. */
export interface DeskCounters {
  /** Transactions that were told before, by any source. */
  duplicates: number
  /** Of these, those told under another slot than the one that counts. */
  wrongSlots: number
  /** Transactions told after one of their slot with a higher index. */
  reordered: number
  /** Transactions handed over after their slot. */
  late: number
  /** Slots handed over though no source said that they were whole. */
  partialSlots: number
  /** Slots let go while an older gap was open; they are back-filled. */
  heldDropped: number
  /** Holes between two slots that had to be back-filled. */
  gaps: number
  /** Slots asked for in back-fills. */
  gapSlots: number
  /** Slots of gaps that nobody could tell: events are missing. */
  slotsGivenUp: number
  /** Back-fills that failed and were tried again. */
  backfillErrors: number
}

export function newDeskCounters(): DeskCounters {
  return {
    duplicates: 0,
    wrongSlots: 0,
    reordered: 0,
    late: 0,
    partialSlots: 0,
    heldDropped: 0,
    gaps: 0,
    gapSlots: 0,
    slotsGivenUp: 0,
    backfillErrors: 0,
  }
}
