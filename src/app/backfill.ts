import type { Config } from '../config/config.ts'
import { StoreError } from '../store/disk/failure.ts'
import { Durability } from './durability.ts'
import { HistorySources } from './feeds/history-sources.ts'
import { PastClock, Service } from './service.ts'

const NO_SERVER =
  'No server is given that tells old slots: set FEED to yellowstone or solana with its address, as for the service.'
const NEEDS_RPC = 'A time needs SOLANA_RPC_URL, which says when slots were: set it, or give slots.'
const SILENT = { info: () => {}, warn: () => {}, error: () => {} }
/** How often progress is shown, in ms. */
const PROGRESS_MS = 200

/**
 * Fetches slots into a data folder and folds them, as a start of the service would find them after an outage.
 * @throws StoreError when the folder cannot be used, or no server is given
 */
export async function backfill({
  config,
  folder,
  progress,
  report,
  signal,
  ...asked
}: {
  readonly config: Config
  readonly folder: string
  /** First and last slot, or times. */
  readonly from: Date | number
  readonly to: Date | number
  readonly progress: { begin(what: string, total: number): void; to(done: number): void }
  /** Takes why something is not told, in one sentence. */
  readonly report: (reason: string) => void
  readonly signal: AbortSignal
}) {
  const sources = new HistorySources(config, report)
  if (!sources.canTell) throw new StoreError('missing', NO_SERVER)
  const slotOf = async (place: Date | number) => {
    if (typeof place === 'number') return place
    const slot = await sources.slotAt(Math.floor(place.getTime() / 1_000), signal)
    if (slot === null) throw new StoreError('missing', NEEDS_RPC)
    return slot
  }
  const [from, to] = [await slotOf(asked.from), await slotOf(asked.to)]
  if (from > to) throw new StoreError('missing', `There are no slots from ${from} to ${to}.`)
  const clock = new PastClock()
  const failures: string[] = []
  const service = new Service(
    config,
    (reason) => failures.push(reason),
    () => clock.nowMs(),
  )
  const durability = await Durability.open({
    ...{ config, folder, service, log: SILENT, onSeeding: () => {}, onDiskCall: () => {} },
    // It is filled here, and not from another instance.
    isCopy: true,
    onFailure: () => void failures.push('the disk refused'),
  })
  try {
    const { engine } = service
    const { now: seconds } = engine.state
    clock.reach(seconds)
    const behind = engine.newestSlot + 1
    const gap = { from: behind <= from && behind > 0 ? behind : 0, to, seconds }
    const feed = sources.feed(gap, from, engine)
    const stop = () => feed.stop()
    signal.addEventListener('abort', stop)
    progress.begin('fetching', to - from + 1)
    const timer = setInterval(() => {
      progress.to(feed.figures().history_slots_done ?? 0)
      if (failures.length > 0) stop()
    }, PROGRESS_MS)
    const sink = {
      events: (batch: Parameters<Service['events']>[0]) => {
        clock.follow(batch, Date.now() / 1_000)
        service.events(batch)
      },
      records: () => {},
    }
    await feed.start(await sources.priced(sink, gap, from, 0, signal))
    clearInterval(timer)
    signal.removeEventListener('abort', stop)
    if (failures[0] !== undefined) throw new StoreError('disk', failures[0])
    const full = service.tokenLimit.reason ?? service.historyLimit.reason
    if (full !== null) report(full)
    const isWhole = feed.isDone && full === null
    return { events: durability.seq, slot: engine.newestSlot, isWhole }
  } finally {
    await durability.close()
  }
}
