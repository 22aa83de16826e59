/** What PumpPortal sent and what had to be left out; plain numbers that only grow. */
export interface PortalCounters {
  frames: number
  creates: number
  trades: number
  /** Of these, trades of graduated coins that say neither pool nor reserves. */
  bareTrades: number
  migrations: number
  /** Creations and trades of another coin: with the mint of its quote, or with the curve of another mint. */
  bogusFrames: number
  /** Of these, those with the curve of another mint. */
  wrongCurves: number
  /** Frames of launch platforms that are not followed. */
  otherPlatforms: number
  /** Frames that are not what the service is known to send. */
  unusableFrames: number
  /** Keys that no frame was known to have, each counted once. */
  unknownKeys: number
  /** Frames that came before. */
  duplicateFrames: number
  /** Trades whose reserves follow on from the trade before. */
  continuousTrades: number
  /** Trades whose reserves do not: one before them is missing, or came in another order. */
  gaps: number
  /** Subscriptions that were refused, as for trades without a funded key. */
  refusedSubscriptions: number
  /** Messages above the limit; each ends its connection. */
  hugeFrames: number
  /** Connections ended because nothing but pings came for too long. */
  stalls: number
}

export function newPortalCounters(): PortalCounters {
  return {
    frames: 0,
    creates: 0,
    trades: 0,
    bareTrades: 0,
    migrations: 0,
    bogusFrames: 0,
    wrongCurves: 0,
    otherPlatforms: 0,
    unusableFrames: 0,
    unknownKeys: 0,
    duplicateFrames: 0,
    continuousTrades: 0,
    gaps: 0,
    refusedSubscriptions: 0,
    hugeFrames: 0,
    stalls: 0,
  }
}

/** Percent of the trades that follow on from the one before; 100 while nothing speaks against it. */
export function continuityPercent({ continuousTrades, gaps }: PortalCounters): number {
  const judged = continuousTrades + gaps
  return judged === 0 ? 100 : (continuousTrades / judged) * 100
}
