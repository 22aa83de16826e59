/**
 * feeds: each room below reads one source and hands `FeedEvent`s to an `EventSink`; here is what several of them need (timers,
 * waits, secrets, sockets, raw frames, counters). Feeds know neither engine nor store nor server.
 */

/** What a feed has read and what it had to leave out; plain numbers, for metrics. */
export function newFeedCounters() {
  return {
    lines: 0,
    badLines: 0,
    /** Lines that are valid and carry nothing: acknowledgements, empty answers. */
    ignoredLines: 0,
    /** Reads that failed (torn archive, disk); the feed ends there. */
    readErrors: 0,
    /** Events handed to the sink. */
    events: 0,
    failedTransactions: 0,
    /** Event bytes of the two programs with a discriminator that is in no layout. */
    unknownEvents: 0,
    /** Events with bytes after their last known field. */
    unknownTails: 0,
    /** Events that end before the fields the engine needs, or whose values it cannot hold. */
    unusableEvents: 0,
    /** AMM swaps left out because the mint of their pool is not known. */
    unknownPools: 0,
    /** AMM swaps left out because their pool is not the one a migration makes. */
    foreignPools: 0,
    /** Transactions whose log the validator cut. */
    truncatedLogs: 0,
    /** Recorded frames of PumpPortal that are about another coin than they say: its quote's mint, or another curve. */
    bogusFrames: 0,
    /** Of these, those with the curve of another mint. */
    wrongCurveFrames: 0,
    /** Recorded frames of PumpPortal that are of another platform, or of no known form. */
    unreadFrames: 0,
    /** Of these, those of no known form. */
    unusableFrames: 0,
    /** Events that are emitted though their amounts do not go with their reserves: what would be below 0 is 0. */
    contradictoryEvents: 0,
    /** Decimals of a quote coin that no amount can have; taken as unknown. */
    badDecimals: 0,
    /** Owners' balances of a transaction past the limit, left out. */
    leftOutBalances: 0,
    /** Swaps whose `user` signed the transaction. */
    signersSigned: 0,
    /** Swaps whose `user` did not sign, and its balance of the mint moved. */
    signersMoved: 0,
    /** Swaps whose `user` did neither, of the one owner whose balance moved by the amount. */
    signersByAmount: 0,
    /** Swaps where nobody's balance did, or several': the fee payer's. */
    signersPaid: 0,
    /** Swaps of which nothing but the event is known (logs alone): its `user`. */
    signersUntold: 0,
  }
}

export type FeedCounters = ReturnType<typeof newFeedCounters>
