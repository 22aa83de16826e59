import type { AdjustableLimits } from '../../config/surface.ts'
import type { LiveSource, LiveStreams, Queries, TokenReads } from '../../protocol/queries.ts'
import type { RateLimit } from '../load/rate-limiter.ts'
import type { TlsFiles } from '../sockets/tls-files.ts'
import type { Dashboard } from './dashboard-files.ts'
import type { Readiness } from './readiness.ts'

/** A logger as pino has it. */
export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** The service's state as `/readyz` and `/metrics` show it beside the server's own figures. */
export interface ServerState {
  /** Null when ready, else one sentence that says why not and may be read by everybody. */
  notReady(): string | null
  /** What somebody should know of a service that may well be ready, in one sentence; null: nothing. */
  notice?(): string | null
  /** Flat figures for /readyz and /metrics; names as Prometheus has them, without the prefix. */
  figures(): Readonly<Record<string, number>>
  /** True until recovery is done: the API answers 503 with Retry-After meanwhile. */
  isStarting(): boolean
}

/** A text that never changes while the server runs, such as `/openapi.json`. */
export interface StaticDocument {
  readonly path: string
  readonly contentType: string
  readonly body: string
}

/** Times of the live feed; tests shorten them. */
export interface LiveTimes {
  readonly pingMs: number
  readonly silenceMs: number
}

/** Where the answers stand in the stream of events. */
export interface StreamPosition {
  /** Another one for every start that does not go on where the last one stopped. */
  epoch(): string
  /** Events taken so far. */
  seq(): number
}

/** Told of a step that the loop waits for: its name, and when it began (`performance.now`). */
export type OnStep = (name: string, startMs: number) => void

export interface ServerOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  readonly answers: Queries
  readonly live: LiveSource
  /** Numbers, replays and snapshots of what is live. */
  readonly streams: LiveStreams
  /** Reads beyond the specification's. */
  readonly reads: TokenReads
  readonly state: ServerState
  /** Told on every answer of the API once the state is there; absent: not told. */
  readonly position?: StreamPosition
  /** Now in unix milliseconds, for rate limits and the chart's cache. */
  readonly clock: () => number
  /** Null: no limit. */
  readonly rateLimit: RateLimit | null
  /** Addresses or CIDRs whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[]
  /** `*` or one origin. */
  readonly corsOrigin: string
  readonly log: Log
  /** Told of answers by their route, of messages and of rounds of the live feed. */
  readonly onStep?: OnStep
  /** Documents served beside the API, not rate limited. */
  readonly documents?: readonly StaticDocument[]
  /** The page at `/`; null: it is not built; absent: there is none. */
  readonly dashboard?: Dashboard | null
  readonly liveTimes?: LiveTimes
  /** Absent: plain HTTP. Checked already (`checkTlsFiles`). */
  readonly tls?: TlsFiles
  /** Compare every kept answer with one made anew, which must be equal: for tests. */
  readonly checksCache?: boolean
  /** Absent ones are at their defaults. */
  readonly limits?: Partial<AdjustableLimits>
}

/** A server that listens. */
export interface RunningServer {
  /** Base address of the API, `http://host:port`. */
  readonly url: string
  /** Address of the live feed, `ws://host:port/ws`. */
  readonly wsUrl: string
  readonly port: number
  /** The text of `/metrics`. */
  metrics(): Promise<string>
  /** The answer of `/readyz`. */
  readiness(): Readiness
  /** New connections get this certificate; those there are stay. Throws when TLS is not spoken. */
  changeTls(tls: TlsFiles): void
  /**
   * Stops listening, lets running requests finish up to a bound, closes live connections with
   * 1012 and every other socket. A second call waits for the first.
   */
  stop(): Promise<void>
}
