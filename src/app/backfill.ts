import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Engine } from '../engine/engine.ts'
import { type FeedEvent, gapEvent, type Swap } from '../events/event.ts'
import type { EventSink } from '../events/event-sink.ts'
import { StoreError } from '../store/disk/failure.ts'
import { listDataFiles } from '../store/folder/data-folder.ts'
import { type JournalEvents, journalEvents } from '../store/journal/journal-events.ts'
import { placeBefore } from './build-plan.ts'
import { Durability } from './durability.ts'
import { HistorySources } from './feeds/history-sources.ts'
import { resumedCursor } from './feeds/live-sources.ts'
import { HistoryBuild, PastClock } from './history-build.ts'
import { Service } from './service.ts'

const NO_SERVER =
  'No server is given that tells old slots: set FEED to yellowstone or solana with its address, as for the service.'
const NEEDS_RPC = 'A time needs SOLANA_RPC_URL, which says when slots were: set it, or give slots.'
const TOKEN_NEEDS_RPC =
  'One token is fetched by its signatures, which needs SOLANA_RPC_URL: set it, or fetch slots by --from and --to.'
const OUT_OF_REACH =
  "The journal of the folder does not go back to the token's first trade, which then has no place in it: give an empty " +
  'folder. A service with JOURNAL_KEEP=all keeps all of it.'
const NOT_PLACED =
  'The token could not be put among the others; the next start of the service goes on with it.'
const SILENT = { info: () => {}, warn: () => {}, error: () => {} }
/** How often it is looked whether a build has ended, in ms. */
const LOOK_MS = 20
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
}): Promise<{ events: number; slot: number; isWhole: boolean }> {
  const sources = new HistorySources(config, report)
  if (!sources.canTell) throw new StoreError('missing', NO_SERVER)
  const fetching =
    'mint' in wanted ? tokenOf(wanted.mint, sources) : await slotsOf(wanted, sources, signal)
  const open = await OpenFolder.open(config, folder)
  const { clock, failures } = open
  try {
    const { engine } = open.service
    const sink = {
      events: (batch: readonly FeedEvent[]) => {
        clock.follow(batch, Date.now() / 1_000)
        open.service.events(batch)
      },
      records: () => {},
    }
    const hasFailed = () => failures.length > 0
    const isDone =
      'mint' in wanted && holdsOthers(engine, wanted.mint)
        ? await amongOthers(open, wanted.mint, { config, folder, wanted, progress, report, signal })
        : await fetching({ config, engine, sink, progress, hasFailed, signal })
    if (failures[0] !== undefined) throw new StoreError('disk', failures[0])
    // Another one than before where a token was put among others.
    const { service, durability } = open
    const full = service.tokenLimit.reason ?? service.historyLimit.reason
    if (full !== null) report(full)
    const isWhole = isDone && full === null
    return { events: durability.seq, slot: service.engine.newestSlot, isWhole }
  } finally {
    await open.durability.close()
  }
}

/** A folder that is filled here, and its service, whose clock is that of its events. */
class OpenFolder {
  readonly clock = new PastClock()
  readonly failures: string[] = []
  readonly about
  service: Service
  // Given by `open`.
  durability!: Durability

  private constructor(config: Config, folder: string) {
    const failed = (reason: string | null = null) =>
      void this.failures.push(reason ?? 'the disk refused')
    this.service = new Service(config, failed, () => this.clock.nowMs())
    this.about = {
      ...{ config, folder, log: SILENT, onSeeding: () => {}, onDiskCall: () => {} },
      // It is not filled from another instance.
      isCopy: true,
      onFailure: failed,
      nowMs: () => this.clock.nowMs(),
    }
  }

  static async open(config: Config, folder: string): Promise<OpenFolder> {
    const open = new OpenFolder(config, folder)
    open.durability = await Durability.open({ ...open.about, service: open.service })
    open.clock.reach(open.service.engine.state.now)
    return open
  }

  /** All events of its journal, which is whole. */
  events(): Iterable<JournalEvents> {
    const { disk } = this.durability
    const { folder, until } = this.durability.wholeSegments()
    const start = { seq: 0, segment: 0 }
    const { book } = this.service.engine.state
    return journalEvents(disk, listDataFiles(disk, folder), start, until, book)
  }

  /**
   * Puts what came too late in its place.
   * @throws StoreError when it could not be done
   */
  async placeLate(): Promise<void> {
    const { service, durability } = this
    const parts = { ...this.about, live: { service, durability } }
    const build = HistoryBuild.ofLate(parts, service.engine.forgetLate().fromSlot)
    build?.run((built) => {
      this.service = built.service
      const options = { ...this.about, service: built.service }
      this.durability = Durability.replaced(options, durability, built.durability)
    })
    while (build?.isUnderWay) await sleep(LOOK_MS)
    if (this.service === service) throw new StoreError('missing', NOT_PLACED)
  }
}

function holdsOthers({ state, newestSlot }: Engine, mint: string): boolean {
  const { tokens, book } = state
  const isOwn = tokens.count === 1 && book.findToken(mint) >= 0
  return (tokens.count > 0 || newestSlot > 0) && !isOwn
}

/**
 * Fetches a token into a folder of its own first: it is put among the others whole, or not at all. A swap keeps the price
 * that SOL had at its time. Resolves with whether it was put there.
 */
async function amongOthers(
  open: OpenFolder,
  mint: string,
  about: Parameters<typeof backfill>[0],
): Promise<boolean> {
  const folder = join(about.folder, `token-${mint}`)
  const config = { ...about.config, keepsJournal: true }
  const { isWhole } = await backfill({ ...about, config, folder })
  if (!isWhole) return false
  const token = await OpenFolder.open(config, folder)
  try {
    const [start] = token.service.engine.state.unseen.all
    const from = (start?.to ?? -1) + 1
    if (placeBefore(open.durability.disk, about.folder, from) === null)
      throw new StoreError('missing', OUT_OF_REACH)
    let usd = 0
    for (const { events } of token.events()) {
      const [event] = events
      if (event?.type === 'sol_price') usd = event.usd
      else if (event?.type !== 'gap')
        open.service.events(events.map((one) => (one.type === 'swap' ? withPrice(one, usd) : one)))
      await turn()
    }
    open.service.events(startsAt(open.service.engine, from))
  } finally {
    await token.durability.close()
  }
  while (open.service.engine.late.count > 0) await open.placeLate()
  const isPut = open.failures.length === 0
  if (isPut) fs.rmSync(folder, { recursive: true, force: true })
  return isPut
}

function withPrice(swap: Swap, usd: number): Swap {
  return swap.solPriceUsd === undefined && usd > 0 ? { ...swap, solPriceUsd: usd } : swap
}

/**
 * The market begins with the token's first slot where it began later: a token is known whole that was created since, and
 * of the time before only tokens have a creation that were fetched whole.
 */
function startsAt({ state }: Engine, slot: number): readonly FeedEvent[] {
  const [start] = state.unseen.all
  if (start?.from !== 0 || start.to < slot || start.to >= Number.MAX_SAFE_INTEGER) return []
  return [gapEvent('filled', { ...start, from: slot })]
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
