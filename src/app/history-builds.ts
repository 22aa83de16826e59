import { existsSync } from 'node:fs'
import { isLiveFeed } from '../config/source-settings.ts'
import type { BuildPlan } from './build-plan.ts'
import { historyFolder } from './durability.ts'
import type { HistoryBuild } from './history-build.ts'

type BuildParts = ConstructorParameters<typeof HistoryBuild>[0]
type Built = BuildParts['live']

interface HistoryBuildsOptions extends Omit<BuildParts, 'live'> {
  /** The service that takes live events now, and its folder. */
  readonly live: () => Built | null
  /** Called in the turn in which a build has all that the live service has. */
  readonly take: (built: Built) => void
}

/** What is missing of the past is built beside the live service, one build after the other. */
export class HistoryBuilds {
  readonly #options: HistoryBuildsOptions
  /** Loaded where a feed can tell old slots. */
  #module: typeof import('./history-build.ts') | null = null
  /** Null: there was none yet. */
  #build: HistoryBuild | null = null

  constructor(options: HistoryBuildsOptions) {
    this.#options = options
  }

  /** Has the time before the first slot fetched of a market that is new, or goes on with what the run before built. */
  async begin(): Promise<void> {
    const { config, folder, live } = this.#options
    const { feeds, history, yellowstone, solana } = config
    if (!feeds.every(isLiveFeed) || (yellowstone ?? solana) === null) return
    this.#module = await import('./history-build.ts')
    const isNew = live()?.service.engine.seq === 0 && history.span !== null
    if (isNew || existsSync(historyFolder(folder))) this.#run(null)
  }

  /** Builds beside the live service what a gap lacks; false: it cannot, or another build is under way. */
  fill(gap: BuildPlan['gap']): boolean {
    return this.#run(gap)
  }

  /** As `HistoryBuild.notice`. */
  get notice(): string | null {
    return this.#build?.notice ?? null
  }

  figures(): Readonly<Record<string, number>> {
    return this.#build?.figures() ?? {}
  }

  /** Resolves when the build's folder is closed; another start goes on. */
  async stop(): Promise<void> {
    await this.#build?.stop()
  }

  /** Null: what lies before the first slot. */
  #run(gap: BuildPlan['gap'] | null): boolean {
    const live = this.#options.live()
    if (this.#module === null || live === null || this.#build?.isUnderWay) return false
    const { HistoryBuild } = this.#module
    const parts = { ...this.#options, live }
    this.#build = gap === null ? new HistoryBuild(parts) : HistoryBuild.ofGap(parts, gap)
    this.#build?.run(this.#options.take)
    return this.#build !== null
  }
}
