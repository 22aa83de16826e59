/** The thresholds of contract section 2; every one can be configured. */
export interface Thresholds {
  /** Sold percent of the curve from which a token is completing. */
  readonly completingPercent: number
  /** First buy at most this many slots after the creation's slot: a sniper. */
  readonly sniperSlots: number
  /** The same in seconds where a slot is unknown. */
  readonly sniperSeconds: number
  /** Slots after the creation's in which buying together makes a bundle. */
  readonly bundleSlots: number
  /** What each signer of such a bundle buys for at least, in lamports. */
  readonly bundleLamports: number
  /** A wallet is fresh this long after its first swap anywhere, in seconds … */
  readonly freshSeconds: number
  /** … and while it has fewer earlier trades than this. */
  readonly freshTrades: number
  /** A pro trader has this many trades … */
  readonly proTrades: number
  /** … in this many mints, and made money. */
  readonly proMints: number
  /** A creator that holds no more whole tokens than this has sold all. */
  readonly soldAllWhole: number
  /** Suffix of the platform's mints. */
  readonly mintSuffix: string
}

/** The contract's own. */
export const THRESHOLDS: Thresholds = {
  completingPercent: 40,
  sniperSlots: 3,
  sniperSeconds: 2,
  bundleSlots: 1,
  bundleLamports: 50_000_000,
  freshSeconds: 86_400,
  freshTrades: 10,
  proTrades: 100,
  proMints: 20,
  soldAllWhole: 1e-6,
  mintSuffix: 'pump',
}

/** The rules whose values differ from those of `than`. */
export function differingRules(
  rules: Thresholds,
  than: Thresholds = THRESHOLDS,
): Partial<Thresholds> {
  const known: Readonly<Record<string, unknown>> = { ...than }
  return Object.fromEntries(Object.entries(rules).filter(([name, value]) => value !== known[name]))
}

/**
 * The range of prices of SOL, in USD. Below a micro-USD, the unit of money, every amount would be worth 0. At the
 * upper end the dollars of the largest amounts (2^64 lamports, coins quoted in coins) stay far below what a double
 * holds: infinite sums become NaN, for good.
 */
export const SOL_PRICE_USD = {
  min: 0.000_001,
  max: 1_000_000,
  range: '0.000001 to 1000000',
} as const

/** False for NaN too. */
export function isSolPrice(usd: number): boolean {
  return usd >= SOL_PRICE_USD.min && usd <= SOL_PRICE_USD.max
}

/** Settings that decide how events are folded; a journal stores them beside the events. */
export interface EngineSettings {
  /** `event`: now is the newest event time; `wall`: the owner moves it with `advance`. */
  readonly clock: 'event' | 'wall'
  /** Slots a swap may be late. */
  readonly lateSlots: number
  /** Thresholds that differ from the contract's; left out if none does. */
  readonly rules?: Partial<Thresholds>
  /**
   * Events ahead of the wall clock are taken too, since who put them in order has refused those that lie too far ahead;
   * left out if they are not.
   */
  readonly takesAhead?: boolean
}
