import type { TablesQuery } from './queries.ts'

/** Which way a token or a price goes. */
export type Crossing = 'up' | 'down' | 'either'

/** What a rule looks for (docs/alerts.md). */
export type AlertCondition =
  | {
      readonly kind: 'filter'
      readonly change: 'enter' | 'leave' | 'either'
      readonly filter: TablesQuery
    }
  | {
      readonly kind: 'price' | 'market_cap'
      /** US dollars. */
      readonly value: number
      readonly direction: Crossing
      /** Null: every mint. */
      readonly mint: string | null
    }
  | { readonly kind: 'wallet'; readonly wallets: readonly string[] }
  | { readonly kind: 'migration'; readonly mint: string | null }
  | { readonly kind: 'launch'; readonly creators: readonly string[] }

/** Where what a rule finds is delivered. */
export interface AlertTarget {
  /** To followers of the live channel `alerts`. */
  readonly live: boolean
  readonly webhook: {
    readonly url: string
    /** Signs each delivery; it is never shown again. */
    readonly secret: string
  } | null
}

export interface AlertRule {
  readonly id: string
  readonly name: string
  readonly when: AlertCondition
  readonly to: AlertTarget
  readonly enabled: boolean
  /** The rule as it came, without what is secret: for lists. */
  readonly shown: Readonly<Record<string, unknown>>
}

/** What a rule found, by the event that it was found at. */
export interface FoundAlert {
  readonly rule: string
  /** Position in the stream of events, as in `X-Mintfeed-Seq`. */
  readonly seq: number
  /** Number among those of the rule at this seq, from 0. */
  readonly part: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly event: AlertEvent
  /** JSON text. */
  readonly data: string
}

/** What is stored of them, oldest first. */
export interface StoredAlerts {
  /** Number of the oldest of all that are kept; 0: none is. */
  readonly first: number
  /** Numbers, from 1 on, and bodies as JSON text. */
  readonly alerts: readonly { readonly n: number; readonly body: string }[]
}

export const ALERT_EVENTS = [
  'filter_entered',
  'filter_left',
  'price_crossed',
  'market_cap_crossed',
  'wallet_traded',
  'token_migrated',
  'token_launched',
  'test',
] as const
export type AlertEvent = (typeof ALERT_EVENTS)[number]
