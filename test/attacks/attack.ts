/** The service under attack. */
export interface Victim {
  readonly port: number
  /** Tokens that are traded. */
  readonly mints: readonly string[]
}

/** A process that is attacked. */
export interface Besieged {
  readonly pid: number
  readonly victim: Victim
  /** Where its figures are read; null: it has none. */
  readonly metrics: string | null
  /** Log lines of defects so far. */
  defects(): readonly string[]
  /** How its log ends, where it has one. */
  lastLines?(): string
  /** Its exit code, once it has ended. */
  end(): Promise<number | null>
}

/** One way to hurt a service that anybody may reach. */
export interface Attack {
  readonly name: string
  /** How much of it: small for tests, full for `make attacks`. */
  readonly sizes: { readonly small: number; readonly full: number }
  /** What a size counts. */
  readonly unit: string
  /** It lives by connections alone: what it costs uWebSockets.js by itself is the least there is. */
  readonly hasFloor?: true
  /** Attacks until the time is over (`isOver`), then takes everything back. */
  run(victim: Victim, size: number, isOver: () => boolean): Promise<void>
}

/** What the client that behaves asks for, in turn. */
export const GOOD_PATHS = [
  '/api/v2/search/tokens/Unknown111111111111111111111111111111111pump/market-data',
  '/api/v2/search/tokens/Unknown111111111111111111111111111111111pump/swaps',
  '/healthz',
] as const
