import fs from 'node:fs'
import { messageOf } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { FeedEvent } from '../events/event.ts'
import type { EventSink } from '../events/event-sink.ts'
import { wait } from '../feeds/timers.ts'
import type { Log } from '../server/http/exchange.ts'
import { StoreError } from '../store/disk/failure.ts'
import { NodeDisk } from '../store/disk/node-disk.ts'
import {
  type BuildPlan,
  beginBuild,
  newPlan,
  placeBefore,
  readPlan,
  writePlan,
} from './build-plan.ts'
import { Durability, historyFolder } from './durability.ts'
import { HistorySources } from './feeds/history-sources.ts'
import { LiveEvents } from './live-events.ts'
import { Service } from './service.ts'

/** The most that is fetched where HISTORY gives no time. */
const REPLAYED_MS_MAX = 24 * 3_600_000
/** How often it is looked for the first live slot, and the log says how far the build is. */
const LOOK_MS = 200
const PROGRESS_MS = 30_000

const NOT_REPLAYED =
  'no server delivers the time before the start again at once; HISTORY=<time> has it fetched slot by slot'

const IS_OFF = 'HISTORY is off: what was fetched of the time before the start is removed'
/** Between two questions to a server that does not say what it delivers again. */
const ASK_AGAIN_MS = 5_000

interface BuildParts {
  readonly config: Config
  /** DATA_DIR. */
  readonly folder: string
  readonly log: Log
  /** Unix milliseconds. */
  readonly nowMs: () => number
  /** The service that takes live events now, and its folder. */
  readonly live: Built
  readonly onDiskCall: (call: string, startMs: number) => void
  /** Called once the build has taken the place of the live service: the disk refused (null), or a fault was met. */
  readonly onFailure: (reason: string | null) => void
}

/** A service with its folder. */
interface Built {
  readonly service: Service
  readonly durability: Durability
}

/**
 * Folds what is too long, or too old, to be folded behind what is there already: the time before a market's first slot, an
 * outage of hours, and events that came later than LATE_SLOTS. A second service, in a folder of its own, folds what is
 * missing and then the live events out of the journal, and takes the place of the live one in the turn in which it has
 * them all (docs/decisions/0041). So every answer is that of an engine that saw all in order. Live events never wait for
 * it, and a kill loses nothing of either.
 */
export class HistoryBuild {
  readonly #parts: BuildParts
  readonly #folder: string
  readonly #sources: HistorySources
  readonly #stopping = new AbortController()
  #feed: ReturnType<HistorySources['feed']> | null = null
  #running: Promise<void> = Promise.resolve()
  readonly #clock = new PastClock()
  #isLive = false
  #isUnderWay = true

  /** Of the folder that is there, else of the market's start. */
  constructor(parts: BuildParts) {
    this.#parts = parts
    this.#folder = historyFolder(parts.folder)
    this.#sources = new HistorySources(parts.config, (reason) =>
      parts.log.warn({ source: 'history', reason }, 'trouble with the history'),
    )
    // From here on the journal is kept, also by the next start.
    new NodeDisk().makeFolder(this.#folder)
  }

  /** Of a gap that shows now: no event behind it was taken yet. Null: the folder's files cannot have two names. */
  static ofGap(parts: BuildParts, gap: NonNullable<BuildPlan['gap']>): HistoryBuild | null {
    const { durability } = parts.live
    return HistoryBuild.#begun(parts, gap, 'a long gap holds what is behind it', () => {
      const { until } = durability.wholeSegments()
      return { seq: durability.seq, segment: until }
    })
  }

  /** Of events that came too late, the oldest of this slot. Null: the journal does not reach back to it. */
  static ofLate(parts: BuildParts, slot: number): HistoryBuild | null {
    return HistoryBuild.#begun(parts, null, 'events that came too late stay left out', () => {
      const place = placeBefore(parts.live.durability.disk, parts.folder, slot)
      if (place === null) throw new Error(`the journal begins behind slot ${slot}`)
      return place
    })
  }

  static #begun(
    parts: BuildParts,
    gap: BuildPlan['gap'],
    otherwise: string,
    placeOf: () => BuildPlan['live'],
  ): HistoryBuild | null {
    const { folder, live, log } = parts
    try {
      beginBuild(live.durability.disk, folder, historyFolder(folder), gap, placeOf())
      return new HistoryBuild(parts)
    } catch (error) {
      fs.rmSync(historyFolder(folder), { recursive: true, force: true })
      log.warn({ reason: messageOf(error) }, otherwise)
      return null
    }
  }

  /** Is there something to be fetched or folded yet? */
  get isUnderWay(): boolean {
    return this.#isUnderWay
  }

  /** Builds until the turn in which it can take the place of the live service: then `take` is called, once. */
  run(take: (built: Built) => void): void {
    this.#running = this.#run(take)
  }

  /** Resolves when its folder is closed; another start goes on. */
  async stop(): Promise<void> {
    this.#end()
    await this.#running
  }

  figures(): Readonly<Record<string, number>> {
    return { history_under_way: this.#isUnderWay ? 1 : 0, ...this.#feed?.figures() }
  }

  /** How far it is, in one sentence for readers; null: there is nothing to be fetched. */
  get notice(): string | null {
    const { history_slots: slots = 0, history_slots_done: done = 0 } = this.#feed?.figures() ?? {}
    if (!this.#isUnderWay || slots === 0) return null
    const [some, all] = [done, slots].map((count) => count.toLocaleString('en'))
    return (
      `Slots from before are being fetched (${some} of ${all}): until they are in, figures of older tokens are of what ` +
      'was seen.'
    )
  }

  #end(): void {
    this.#feed?.stop()
    this.#stopping.abort()
  }

  async #run(take: (built: Built) => void): Promise<void> {
    const { log } = this.#parts
    const progress = setInterval(() => log.info(this.figures(), 'history under way'), PROGRESS_MS)
    let built: Built | null = null
    let isHopeless = false
    try {
      const known = readPlan(this.#folder)
      // Another start may have a server that tells old slots.
      if (known?.gap !== null && !this.#sources.canTell) return
      const plan = await this.#decided(known ?? (await this.#planOfStart()))
      if (plan === null) return
      built = await this.#open()
      const filled =
        plan.gap === null ? this.#withLate(plan) : await this.#fill(plan, plan.gap, built)
      if (filled !== null) await this.#foldLive(filled, built, take)
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the history cannot be built; live events go on')
      // What is damaged, or not there, the next start would not find either.
      isHopeless = error instanceof StoreError && error.code !== 'disk'
    } finally {
      clearInterval(progress)
      this.#isUnderWay = false
      if (!this.#isLive) await built?.durability.close()
      if (isHopeless) this.#forget()
    }
  }

  #forget(): void {
    fs.rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Waits for the first live slot; null: it was stopped before. */
  async #planOfStart(): Promise<BuildPlan | null> {
    const { signal } = this.#stopping
    const { unseen } = this.#parts.live.service.engine.state
    while (unseen.all[0]?.from !== 0) {
      await wait(LOOK_MS, signal)
      if (signal.aborted) return null
    }
    const plan = newPlan(unseen.all[0])
    writePlan(this.#folder, plan)
    return plan
  }

  /** The plan with its first slot; null: there is none, or nothing to be had. */
  async #decided(plan: BuildPlan | null): Promise<BuildPlan | null> {
    const { config, log } = this.#parts
    const gap = plan?.gap ?? null
    const isOff = gap?.from === 0 && config.history.span === null
    if (plan === null || gap === null || (plan.from !== null && !isOff)) return plan
    const from = isOff ? gap.to + 1 : await this.#firstFetched(gap)
    if (this.#stopping.signal.aborted) return null
    if (from > gap.to) {
      log.info({}, isOff ? IS_OFF : NOT_REPLAYED)
      this.#forget()
      return null
    }
    const decided = { ...plan, from }
    log.info({ from, to: gap.to }, 'history is fetched')
    writePlan(this.#folder, decided)
    return decided
  }

  /** As far back as HISTORY says, and of an outage as far as BACKFILL says. */
  async #firstFetched({ from, to }: NonNullable<BuildPlan['gap']>): Promise<number> {
    const { history, backfillMs, backfillSlotsMax } = this.#parts.config
    const firsts = [to + 1]
    if (history.span === 'replayed') {
      const oldest = await this.#oldestReplayed()
      if (oldest !== null)
        firsts.push(Math.max(oldest, to + 1 - this.#sources.slotsIn(REPLAYED_MS_MAX)))
    } else if (history.span !== null) firsts.push(to + 1 - this.#sources.slotsIn(history.span.ms))
    if (from > 0)
      firsts.push(
        to + 1 - (backfillMs === null ? backfillSlotsMax : this.#sources.slotsIn(backfillMs)),
      )
    return Math.max(from, Math.min(...firsts))
  }

  /** As often as it takes; null: there is none, or it was stopped. */
  async #oldestReplayed(): Promise<number | null> {
    const { signal } = this.#stopping
    while (!signal.aborted)
      try {
        return await this.#sources.oldestReplayed()
      } catch (error) {
        const reason = messageOf(error)
        this.#parts.log.warn({ source: 'history', reason }, 'trouble with the history')
        await wait(ASK_AGAIN_MS, signal)
      }
    return null
  }

  async #open(): Promise<Built> {
    const { config, log, nowMs, onDiskCall, onFailure } = this.#parts
    const failed = (reason: string | null) => {
      if (this.#isLive) return onFailure(reason)
      log.error({ reason }, 'the history ends here; live events go on')
      this.#end()
    }
    const clockMs = () => (this.#isLive ? nowMs() : this.#clock.nowMs())
    const service = new Service(config, failed, clockMs)
    const durability = await Durability.open({
      ...{ config, service, log, onDiskCall, folder: this.#folder, isCopy: true },
      onSeeding: () => {},
      onFailure: () => failed(null),
    })
    this.#clock.reach(service.engine.state.now)
    return { service, durability }
  }

  /** Fetches what is missing; null: it was stopped before all was there. */
  async #fill(
    plan: BuildPlan,
    gap: NonNullable<BuildPlan['gap']>,
    { service, durability }: Built,
  ): Promise<BuildPlan | null> {
    const { from } = plan
    if (plan.filledSeq !== null || from === null) return plan
    const live = this.#parts.live.service.engine
    const feed = this.#sources.feed(gap, from, service.engine, live)
    this.#feed = feed
    const sink: EventSink = {
      events: (batch) => {
        this.#clock.follow(batch, gap.seconds)
        service.events(batch)
      },
      records: () => {
        throw new Error('servers deliver no records')
      },
    }
    const presentUsd = live.state.solPriceUsd
    const { signal } = this.#stopping
    await feed.start(await this.#sources.priced(sink, gap, from, presentUsd, signal))
    if (!feed.isDone || signal.aborted) return null
    this.#checkRoom(service)
    const filled = { ...plan, filledSeq: durability.seq }
    writePlan(this.#folder, filled)
    return filled
  }

  /** What has come by now is put in its place, whenever it is folded. */
  #withLate(plan: BuildPlan): BuildPlan {
    if (plan.lateSeq !== undefined) return plan
    const decided = { ...plan, lateSeq: this.#parts.live.durability.seq }
    writePlan(this.#folder, decided)
    return decided
  }

  async #foldLive(plan: BuildPlan, built: Built, take: (built: Built) => void): Promise<void> {
    const { live, nowMs } = this.#parts
    const { service, durability } = built
    const { signal } = this.#stopping
    const { lateSeq = 0 } = plan
    const events = new LiveEvents(live.service, live.durability, plan, signal)
    const taken = () => durability.seq - (plan.filledSeq ?? 0)
    const fold = (batch: readonly FeedEvent[], clockSeconds: number) => {
      this.#clock.reach(clockSeconds)
      this.#clock.follow(batch, nowMs() / 1_000)
      const isBefore = durability.seq < lateSeq
      if (batch.length === 0) service.tick()
      else service.admitted(batch)
      // What stays out of its place though it was put there, another build would not take either.
      if (isBefore && events.hasAllLate && durability.seq >= lateSeq) service.engine.forgetLate()
    }
    // A compactor reads the files that are to be replaced.
    const endSnapshots = () =>
      Promise.all([live.durability.endSnapshots(), durability.endSnapshots()])
    try {
      await events.all(taken, fold, endSnapshots)
      if (signal.aborted) return
      this.#checkRoom(service)
      this.#isLive = true
      take(built)
    } finally {
      events.end()
      if (!this.#isLive) live.durability.beginSnapshots()
    }
  }

  /** @throws StoreError when MAX_TOKENS are fewer than there were */
  #checkRoom({ engine, tokenLimit }: Service): void {
    const { maxTokens } = this.#parts.config
    if (tokenLimit.reason === null && engine.state.tokens.count <= maxTokens) return
    throw new StoreError(
      'missing',
      `With the past there are more tokens than MAX_TOKENS=${maxTokens}.`,
    )
  }
}

/** The clock of events of the past, which goes by their times. */
export class PastClock {
  #seconds = 0

  /** Unix milliseconds. */
  nowMs(): number {
    return this.#seconds * 1_000
  }

  /** Unix seconds; an earlier time than the present one changes nothing. */
  reach(seconds: number): void {
    this.#seconds = Math.max(this.#seconds, seconds)
  }

  /** Goes on with events; a time that is still to come would stop the market's clock for as long, and is refused. */
  follow(events: readonly FeedEvent[], lastSeconds: number): void {
    for (const { timestamp } of events) if (timestamp <= lastSeconds) this.reach(timestamp)
  }
}
