import type { Config } from '../config/config.ts'
import type { Engine } from '../engine/engine.ts'
import type { EventSink } from '../events/event-sink.ts'
import { StoreError } from '../store/disk/failure.ts'
import { Durability } from './durability.ts'
import { HistorySources } from './feeds/history-sources.ts'
import { resumedCursor } from './feeds/live-sources.ts'
import { PastClock, Service } from './service.ts'

const NO_SERVER =
  'No server is given that tells old slots: set FEED to yellowstone or solana with its address, as for the service.'
const NEEDS_RPC = 'A time needs SOLANA_RPC_URL, which says when slots were: set it, or give slots.'
const TOKEN_NEEDS_RPC =
  'One token is fetched by its signatures, which needs SOLANA_RPC_URL: set it, or fetch slots by --from and --to.'
const OTHER_DATA =
  'The folder holds more than this token, whose past would then lie behind later events: give an empty folder, or one that ' +
  'backfill --mint has filled with the same token.'
const SILENT = { info: () => {}, warn: () => {}, error: () => {} }
/** How often progress is shown, in ms. */
const PROGRESS_MS = 200

/**
 * Fetches slots, or the life of a token, into a data folder and folds them, as a start of the service would find them
 * after an outage.
 * @throws StoreError when the folder cannot be used, or no server is given
 */
export async function backfill({
  config,
  folder,
  wanted,
  progress,
  report,
  signal,
}: {
  readonly config: Config
  readonly folder: string
  /** The first and the last slot, or times; or the mint of a token. */
  readonly wanted:
    | { readonly from: Date | number; readonly to: Date | number }
    | { readonly mint: string }
  readonly progress: { begin(what: string, total: number): void; to(done: number): void }
  /** Takes why something is not told, in one sentence. */
  readonly report: (reason: string) => void
  readonly signal: AbortSignal
}) {
  const sources = new HistorySources(config, report)
  if (!sources.canTell) throw new StoreError('missing', NO_SERVER)
  const fetching =
    'mint' in wanted ? tokenOf(wanted.mint, sources) : await slotsOf(wanted, sources, signal)
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
    clock.reach(engine.state.now)
    const sink = {
      events: (batch: Parameters<Service['events']>[0]) => {
        clock.follow(batch, Date.now() / 1_000)
        service.events(batch)
      },
      records: () => {},
    }
    const hasFailed = () => failures.length > 0
    const isDone = await fetching({ config, engine, sink, progress, hasFailed, signal })
    if (failures[0] !== undefined) throw new StoreError('disk', failures[0])
    const full = service.tokenLimit.reason ?? service.historyLimit.reason
    if (full !== null) report(full)
    const isWhole = isDone && full === null
    return { events: durability.seq, slot: engine.newestSlot, isWhole }
  } finally {
    await durability.close()
  }
}

/** What fetches slots into an engine that has recovered; it resolves with whether all of them came. */
async function slotsOf(
  wanted: { readonly from: Date | number; readonly to: Date | number },
  sources: HistorySources,
  signal: AbortSignal,
): Promise<ReturnType<typeof tokenOf>> {
  const slotOf = async (place: Date | number) => {
    if (typeof place === 'number') return place
    const slot = await sources.slotAt(Math.floor(place.getTime() / 1_000), signal)
    if (slot === null) throw new StoreError('missing', NEEDS_RPC)
    return slot
  }
  const [from, to] = [await slotOf(wanted.from), await slotOf(wanted.to)]
  if (from > to) throw new StoreError('missing', `There are no slots from ${from} to ${to}.`)
  return async ({ engine, sink, progress, hasFailed }) => {
    const behind = engine.newestSlot + 1
    const seconds = engine.state.now
    const gap = { from: behind <= from && behind > 0 ? behind : 0, to, seconds }
    const feed = sources.feed(gap, from, engine)
    const stop = () => feed.stop()
    signal.addEventListener('abort', stop)
    progress.begin('fetching', to - from + 1)
    const timer = setInterval(() => {
      progress.to(feed.figures().history_slots_done ?? 0)
      if (hasFailed()) stop()
    }, PROGRESS_MS)
    await feed.start(await sources.priced(sink, gap, from, 0, signal))
    clearInterval(timer)
    signal.removeEventListener('abort', stop)
    return feed.isDone
  }
}

/** What fetches the life of a token into an engine that has recovered; it resolves with whether all of it came. */
function tokenOf(mint: string, sources: HistorySources) {
  const life = sources.tokenLife(mint)
  if (life === null) throw new StoreError('missing', TOKEN_NEEDS_RPC)
  return async ({
    config,
    engine,
    sink,
    progress,
    hasFailed,
    signal,
  }: {
    readonly config: Config
    readonly engine: Engine
    readonly sink: EventSink
    readonly progress: { begin(what: string, total: number): void; to(done: number): void }
    /** Does the folder take no more? */
    readonly hasFailed: () => boolean
    readonly signal: AbortSignal
  }): Promise<boolean> => {
    const { tokens, book } = engine.state
    const isOwn = tokens.count === 1 && book.findToken(mint) >= 0
    if ((tokens.count > 0 || engine.newestSlot > 0) && !isOwn)
      throw new StoreError('missing', OTHER_DATA)
    const from = (resumedCursor(engine.newestSlot, config.lateSlots) ?? -1) + 1
    const span = await life.list(from, signal)
    if (span !== null) {
      progress.begin('fetching', span.transactions)
      const priced = await sources.priced(sink, span, span.from, 0, signal)
      for await (const events of life.events(signal)) {
        priced.events(events)
        progress.to(life.done)
        if (hasFailed()) break
      }
    }
    // What a run before has missed is missing yet.
    engine.complete.look()
    return life.isWhole && engine.complete.count === 1
  }
}
