import type { LiveTimes } from '../../http/options.ts'
import { KEEP_ALIVE_TICK_MS } from '../../load/limits.ts'
import type { LiveConnection } from './connection.ts'

/**
 * Pings every connection at its own time, so that thousands are not pinged in one loop turn, and
 * closes the silent ones (contract section 4). Time in which the whole program stood still, as on a paused
 * machine, does not count as silence: messages of that time are unread, and no ping was sent.
 * Returns the stop.
 */
export function keepAlive(
  connections: ReadonlySet<LiveConnection>,
  times: LiveTimes,
  actions: {
    ping(connection: LiveConnection): void
    closeSilent(connection: LiveConnection): void
  },
): () => void {
  const tickMs = Math.max(1, Math.min(KEEP_ALIVE_TICK_MS, times.pingMs / 4, times.silenceMs / 4))
  let lookedAtMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const lateMs = nowMs - lookedAtMs - tickMs
    const stoodMs = lateMs > tickMs ? lateMs : 0
    lookedAtMs = nowMs
    for (const connection of connections) {
      if (!connection.isSocket) continue
      connection.lastReceivedMs = Math.min(nowMs, connection.lastReceivedMs + stoodMs)
      if (nowMs - connection.lastReceivedMs >= times.silenceMs) actions.closeSilent(connection)
      else if (nowMs >= connection.nextPingMs) {
        connection.nextPingMs = nowMs + times.pingMs
        actions.ping(connection)
      }
    }
  }, tickMs)
  return () => clearInterval(timer)
}
