/** What PumpPortal sent and what had to be left out; plain numbers that only grow. */
export function newPortalCounters() {
  return {
    frames: 0,
    creates: 0,
    trades: 0,
    /** Of these, trades of graduated coins that say neither pool nor reserves. */
    bareTrades: 0,
    migrations: 0,
    /** Creations and trades of another coin: with the mint of its quote, or with the curve of another mint. */
    bogusFrames: 0,
    /** Of these, those with the curve of another mint. */
    wrongCurves: 0,
    /** Frames of launch platforms that are not followed. */
    otherPlatforms: 0,
    /** Frames that are not what the service is known to send. */
    unusableFrames: 0,
    /** Keys that no frame was known to have, each counted once. */
    unknownKeys: 0,
    /** Frames that came before. */
    duplicateFrames: 0,
    /** Trades whose reserves follow on from the trade before. */
    continuousTrades: 0,
    /** Trades whose reserves do not: one before them is missing, or came in another order. */
    gaps: 0,
    /** Subscriptions that were refused, as for trades without a funded key. */
    refusedSubscriptions: 0,
    /** Messages above the limit; each ends its connection. */
    hugeFrames: 0,
    /** Connections ended because nothing but pings came for too long. */
    stalls: 0,
  }
}

export type PortalCounters = ReturnType<typeof newPortalCounters>

/** Percent of the trades that follow on from the one before; 100 while nothing speaks against it. */
export function continuityPercent({ continuousTrades, gaps }: PortalCounters): number {
  const judged = continuousTrades + gaps
  return judged === 0 ? 100 : (continuousTrades / judged) * 100
}
