/** The service under attack. */
export interface Victim {
  readonly port: number
  /** Tokens that are traded. */
  readonly mints: readonly string[]
}

/** One way to hurt a service that anybody may reach. */
export interface Attack {
  readonly name: string
  /** How much of it: small for tests, full for `make attacks`. */
  readonly sizes: { readonly small: number; readonly full: number }
  /** What a size counts. */
  readonly unit: string
  /** Attacks until the time is over (`isOver`), then takes everything back. */
  run(victim: Victim, size: number, isOver: () => boolean): Promise<void>
}

export function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}
