import type { SwapContent } from '../../../src/events/event.ts'
import type { Source } from '../../../src/feeds/supervisor/source.ts'
import { Supervisor } from '../../../src/feeds/supervisor/supervisor.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { VirtualTimers } from './virtual-timers.ts'

/** A supervisor that runs on virtual time, and what it hands over. */
export async function started(
  sources: readonly Source[],
  cursor: number | null = null,
  slotsMax = 100,
  earlierReserveTrades: readonly SwapContent[] = [],
  cursorSeconds = 0,
) {
  const timers = new VirtualTimers()
  const sink = new CollectingSink()
  const reports: string[] = []
  const supervisor = new Supervisor({
    sources,
    cursor,
    cursorSeconds,
    earlierReserveTrades: () => earlierReserveTrades,
    report: (who, reason) => reports.push(`${who}: ${reason}`),
    backfillSlotsMax: slotsMax,
    timers,
    random: () => 1,
  })
  const ended = supervisor.start(sink)
  await timers.pass(0)
  const signatures = () =>
    sink.all.map((event) => ('signature' in event ? event.signature : event.type))
  const events = () => sink.all
  const stop = async () => {
    supervisor.stop()
    await timers.pass(0)
    await ended
  }
  return { timers, supervisor, reports, events, signatures, stop }
}
