import { KEEP_ALIVE_TICK_MS } from '../limits.ts'
import type { LiveTimes } from '../options.ts'
import type { LiveConnection } from './connection.ts'

export interface KeepAliveActions {
  ping(connection: LiveConnection): void
  closeSilent(connection: LiveConnection): void
}

/**
 * Pings every connection at its own time, so that thousands are not pinged in one loop turn, and
 * closes the silent ones (contract section 4). Returns the stop.
 */
export function keepAlive(
  connections: ReadonlySet<LiveConnection>,
  times: LiveTimes,
  actions: KeepAliveActions,
): () => void {
  const tickMs = Math.max(1, Math.min(KEEP_ALIVE_TICK_MS, times.pingMs / 4, times.silenceMs / 4))
  const timer = setInterval(() => {
    const nowMs = performance.now()
    for (const connection of connections) {
      if (!connection.isSocket) continue
      if (nowMs - connection.lastHeardMs >= times.silenceMs) actions.closeSilent(connection)
      else if (nowMs >= connection.nextPingMs) {
        connection.nextPingMs = nowMs + times.pingMs
        actions.ping(connection)
      }
    }
  }, tickMs)
  return () => clearInterval(timer)
}
