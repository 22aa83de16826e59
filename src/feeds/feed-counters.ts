/** What a feed has read and what it had to leave out; plain numbers, for metrics. */
export interface FeedCounters {
  lines: number
  badLines: number
  /** Lines that are valid and carry nothing: acknowledgements, empty answers. */
  ignoredLines: number
  /** Reads that failed (torn archive, disk); the feed ends there. */
  readErrors: number
  /** Events handed to the sink. */
  events: number
  failedTransactions: number
  /** Event bytes of the two programs with a discriminator that is in no layout. */
  unknownEvents: number
  /** Events with bytes after their last known field. */
  unknownTails: number
  /** Events that end before the fields the engine needs, or whose values it cannot hold. */
  unusableEvents: number
  /** AMM swaps left out because the mint of their pool is not known. */
  unknownPools: number
  /** AMM swaps left out because their pool is not the one a migration makes. */
  foreignPools: number
  /** Transactions whose log the validator cut. */
  truncatedLogs: number
  /** Recorded frames of PumpPortal that are about another coin than they say: its quote's mint, or another curve. */
  bogusFrames: number
  /** Of these, those with the curve of another mint. */
  wrongCurveFrames: number
  /** Recorded frames of PumpPortal that are of another platform, or of no known form. */
  unreadFrames: number
  /** Of these, those of no known form. */
  unusableFrames: number
  /** Events that are told though their amounts do not go with their reserves: what would be below 0 is 0. */
  contradictoryEvents: number
  /** Decimals of a quote coin that no amount can have; taken as unknown. */
  badDecimals: number
  /** Owners' balances of a transaction past the limit, left out. */
  leftOutBalances: number
  /** Swaps whose `user` signed the transaction. */
  signersSigned: number
  /** Swaps whose `user` did not sign, and its balance of the mint moved. */
  signersMoved: number
  /** Swaps whose `user` did neither, of the one owner whose balance moved by the amount. */
  signersByAmount: number
  /** Swaps where nobody's balance did, or several': the fee payer's. */
  signersPaid: number
  /** Swaps of which nothing but the event is known (logs alone): its `user`. */
  signersUntold: number
}

export function newFeedCounters(): FeedCounters {
  return {
    lines: 0,
    badLines: 0,
    ignoredLines: 0,
    readErrors: 0,
    events: 0,
    failedTransactions: 0,
    unknownEvents: 0,
    unknownTails: 0,
    unusableEvents: 0,
    unknownPools: 0,
    foreignPools: 0,
    truncatedLogs: 0,
    bogusFrames: 0,
    wrongCurveFrames: 0,
    unreadFrames: 0,
    unusableFrames: 0,
    contradictoryEvents: 0,
    badDecimals: 0,
    leftOutBalances: 0,
    signersSigned: 0,
    signersMoved: 0,
    signersByAmount: 0,
    signersPaid: 0,
    signersUntold: 0,
  }
}
