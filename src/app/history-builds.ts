import { existsSync } from 'node:fs'
import { availableMemory } from 'node:process'
import { residentBytes } from '../base/this-process.ts'
import { isLiveFeed } from '../config/source-settings.ts'
import type { Engine } from '../engine/engine.ts'
import { gapEvent } from '../events/event.ts'
import type { BuildPlan } from './build-plan.ts'
import { historyFolder } from './durability.ts'
import type { HistoryBuild } from './history-build.ts'

type BuildParts = ConstructorParameters<typeof HistoryBuild>[0]

/**
 * Events that came too late wait, so that one build puts many of them in their place; readers begin anew behind a build:
 * not more often than this.
 */
const LATE = { waitMs: 60_000, everyMs: 10 * 60_000 }

const LATE_PLACED = 'events that came later than LATE_SLOTS are put in their place'

const NO_ROOM =
  'events that came too late stay left out: to put them in their place takes as much memory again as the program has now, ' +
  'which is not free'

interface HistoryBuildsOptions extends Omit<BuildParts, 'live'> {
  /** The service that takes live events now, and its folder. */
  readonly live: () => BuildParts['live'] | null
  /** Called in the turn in which a build has all that the live service has. */
  readonly take: (built: BuildParts['live']) => void
  /** Is there memory for a second engine? Absent: the system is asked. */
  readonly hasRoom?: () => boolean
  /** When late events are put in their place; absent: as above. */
  readonly late?: { readonly waitMs: number; readonly everyMs: number }
}

/** What is missing of the past is built beside the live service, one build after the other. */
export class HistoryBuilds {
  readonly #options: HistoryBuildsOptions
  #module: typeof import('./history-build.ts') | null = null
  /** Null: there was none yet. */
  #build: HistoryBuild | null = null
  /** The late events that wait for their build, whose folder is there. */
  #waiting: { readonly timer: NodeJS.Timeout; readonly late: Engine['late'] } | null = null
  /** Those that a long gap has driven out of it. */
  #postponed: Engine['late'] | null = null
  #tookMs = Number.NEGATIVE_INFINITY

  constructor(options: HistoryBuildsOptions) {
    this.#options = options
  }

  /** Has the time before the first slot fetched of a market that is new, or goes on with what the run before built. */
  async begin(): Promise<void> {
    const { config, folder, live } = this.#options
    const { feeds, history, yellowstone, solana } = config
    const canTell = feeds.every(isLiveFeed) && (yellowstone ?? solana) !== null
    const isBegun = existsSync(historyFolder(folder))
    // Loaded where a feed can tell old slots.
    if (!canTell && !isBegun) return
    const module = await this.#load()
    const isNew = live()?.service.engine.seq === 0 && history.span !== null
    if (isBegun || isNew) this.#begin((parts) => new module.HistoryBuild(parts))
  }

  /** Builds beside the live service what a gap lacks; false: it cannot, or another build is under way. */
  fill(gap: NonNullable<BuildPlan['gap']>): boolean {
    const module = this.#module
    if (module === null) return false
    // It holds live trades until it is begun; late events can wait.
    if (this.#waiting !== null) {
      clearTimeout(this.#waiting.timer)
      this.#postponed = this.#waiting.late
      this.#waiting = null
      this.#build = null
    }
    return this.#begin((parts) => module.HistoryBuild.ofGap(parts, gap))
  }

  /** Begins to put events in their place that came too late, where there are any; called now and then. */
  async look(): Promise<void> {
    const { live, log } = this.#options
    const { service } = live() ?? {}
    if (service === undefined || this.isUnderWay) return
    if (service.engine.late.count === 0 && this.#postponed === null) return
    const { HistoryBuild } = await this.#load()
    const late = joined(service.engine.forgetLate(), this.#postponed)
    this.#postponed = null
    // A recording of an earlier time, or of another market, is no order that went wrong.
    if (late.count === 0 || late.count > service.engine.counts.swaps) return
    const isRoom = (this.#options.hasRoom ?? hasRoom)()
    if (!isRoom) log.warn(late, NO_ROOM)
    const sinceMs = performance.now() - this.#tookMs
    const { waitMs, everyMs } = this.#options.late ?? LATE
    // The folder is begun at once: it keeps the journal from there on.
    const delayMs = Math.max(waitMs, everyMs - sinceMs)
    const make = (parts: BuildParts) => HistoryBuild.ofLate(parts, late.fromSlot)
    if (isRoom && this.#begin(make, { late, delayMs })) log.info({ ...late, delayMs }, LATE_PLACED)
    else {
      // No token is known whole of which something may be among them.
      const seconds = service.engine.newestEventSeconds
      service.events([gapEvent('lost', { from: late.fromSlot, to: late.toSlot, seconds })])
    }
  }

  /** Is one begun, or does it wait? */
  get isUnderWay(): boolean {
    return this.#build?.isUnderWay ?? false
  }

  /** As `HistoryBuild.notice`. */
  get notice(): string | null {
    return this.#build?.notice ?? null
  }

  figures(): Readonly<Record<string, number>> {
    return this.#waiting === null ? (this.#build?.figures() ?? {}) : {}
  }

  /** Resolves when the build's folder is closed; another start goes on. */
  async stop(): Promise<void> {
    clearTimeout(this.#waiting?.timer)
    await this.#build?.stop()
  }

  async #load(): Promise<typeof import('./history-build.ts')> {
    this.#module ??= await import('./history-build.ts')
    return this.#module
  }

  #begin(
    make: (parts: BuildParts) => HistoryBuild | null,
    waiting: { readonly late: Engine['late']; readonly delayMs: number } | null = null,
  ): boolean {
    const live = this.#options.live()
    if (live === null || this.isUnderWay) return false
    const build = make({ ...this.#options, live })
    this.#build = build
    if (build === null) return false
    const run = () => {
      this.#waiting = null
      build.run((built) => this.#take(built))
    }
    if (waiting === null) run()
    else this.#waiting = { timer: setTimeout(run, waiting.delayMs), late: waiting.late }
    return true
  }

  #take(built: BuildParts['live']): void {
    this.#tookMs = performance.now()
    this.#options.take(built)
  }
}

/** As much again as the process has: a build holds the same tokens. */
function hasRoom(): boolean {
  return availableMemory() > residentBytes()
}

function joined(late: Engine['late'], other: Engine['late'] | null): Engine['late'] {
  if (other === null) return late
  return {
    count: late.count + other.count,
    fromSlot: Math.min(late.fromSlot, other.fromSlot),
    toSlot: Math.max(late.toSlot, other.toSlot),
  }
}
