import type { FeedEvent, SwapContent } from '../../../src/events/event.ts'
import type { OpenGap } from '../../../src/feeds/supervisor/open-gaps.ts'
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
  more: {
    readonly gapWaitMs?: number
    readonly resumedSlots?: number
    readonly openGaps?: readonly OpenGap[]
    readonly unseenTo?: number
    readonly takeLongGap?: (gap: OpenGap) => boolean
  } = {},
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
    ...more,
  })
  const ended = supervisor.start(sink)
  await timers.pass(0)
  /** What was told, gaps as their states and slots. */
  const told = () => sink.all.map((event) => wordOf(event))
  const events = () => sink.all.filter(({ type }) => type !== 'gap')
  const signatures = () => events().map((event) => wordOf(event))
  const stop = async () => {
    supervisor.stop()
    await timers.pass(0)
    await ended
  }
  const gaps = () => sink.all.filter(({ type }) => type === 'gap')
  return { timers, supervisor, reports, gaps, events, signatures, told, stop }
}

function wordOf(event: FeedEvent): string {
  if (event.type === 'gap') return `${event.state} ${event.fromSlot}-${event.toSlot}`
  return 'signature' in event ? event.signature : event.type
}
