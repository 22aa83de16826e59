import { LRUCache } from 'lru-cache'
import { paceOf } from './gateways.ts'

/** Hosts whose pace is remembered; one that comes back after that begins anew. */
const HOSTS_MAX = 4_096
/** Requests to one host at the same time. */
export const RUNNING_MAX = 4
/** Failures in a row after which a host is left alone for a while. */
export const FAILURES_MAX = 5
const PAUSE_MS = 60_000

interface Host {
  running: number
  tokens: number
  filledMs: number
  failures: number
  pausedUntilMs: number
}

/** How fast each host is asked: a few at once, a rate of its own, and a pause when it fails or asks for one. */
export class HostPace {
  readonly #hosts = new LRUCache<string, Host>({ max: HOSTS_MAX })

  isFree(name: string, nowMs: number): boolean {
    const host = this.#hosts.get(name)
    if (host === undefined) return true
    fill(name, host, nowMs)
    return host.running < RUNNING_MAX && host.tokens >= 1 && nowMs >= host.pausedUntilMs
  }

  /** Whether it is left alone for a while. */
  isPaused(name: string, nowMs: number): boolean {
    return (this.#hosts.peek(name)?.pausedUntilMs ?? 0) > nowMs
  }

  begin(name: string, nowMs: number): void {
    const known = this.#hosts.get(name)
    const host = known ?? {
      running: 0,
      tokens: paceOf(name).burst,
      filledMs: nowMs,
      failures: 0,
      pausedUntilMs: 0,
    }
    fill(name, host, nowMs)
    host.running += 1
    host.tokens -= 1
    if (known === undefined) this.#hosts.set(name, host)
  }

  /** @param retryAfterMs the wait the host asked for */
  end(name: string, hasFailed: boolean, nowMs: number, retryAfterMs = 0): void {
    const host = this.#hosts.get(name)
    if (host === undefined) return
    host.running -= 1
    host.failures = hasFailed ? host.failures + 1 : 0
    const pauseMs = Math.max(retryAfterMs, host.failures >= FAILURES_MAX ? PAUSE_MS : 0)
    host.pausedUntilMs = Math.max(host.pausedUntilMs, pauseMs === 0 ? 0 : nowMs + pauseMs)
  }
}

function fill(name: string, host: Host, nowMs: number): void {
  const { perSecond, burst } = paceOf(name)
  host.tokens = Math.min(burst, host.tokens + ((nowMs - host.filledMs) * perSecond) / 1_000)
  host.filledMs = nowMs
}
