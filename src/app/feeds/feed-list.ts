/**
 * app/feeds makes the feeds that FEED names, from settings: `makeFeeds` for all, `supervisedFeed` for live ones, `SideFeeds` for the
 * price of SOL and token texts, `EngineMarket` for the simulator. A feed's modules are loaded when it is made.
 * A swap's way: feed → (`PricedSink`) → `FeedShare`, which counts what became of it → service → engine.
 */

import type { Config } from '../../config/config.ts'
import { ConfigError } from '../../config/setting-values.ts'
import { type FeedName, isLiveFeed } from '../../config/source-settings.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Feed } from '../../events/event-sink.ts'
import type { NewForms } from '../../feeds/chain/transactions/new-forms.ts'
import type { FeedCounters } from '../../feeds/feed-counters.ts'
import { checkInputFile } from '../../feeds/replay/input-file.ts'
import { EngineMarket } from './engine-market.ts'
import type { FeedTime } from './live-sources.ts'
import { givenPrices, SideFeeds } from './side-feeds.ts'

/** What runs: the feeds of FEED, and what stands at their side for as long as the program does. */
export interface Feeds {
  readonly main: readonly Feed[]
  readonly side: readonly Feed[]
}

/** Where feeds say what went wrong. */
interface FeedReports {
  /** Lines of a feed that were skipped. */
  readonly line: (feed: string) => (lineNumber: number, reason: string) => void
  /** Lost connections, refusals and slots that are missing. */
  readonly trouble: (who: string, reason: string) => void
  /** What else somebody should read. */
  readonly sentence: (sentence: string) => void
}

/**
 * Makes the feeds of FEED.
 * @throws ConfigError when the file of SOL_PRICE can no longer be used
 */
export async function makeFeeds(
  config: Config,
  engine: Engine,
  counters: FeedCounters,
  reports: FeedReports,
  time: FeedTime,
): Promise<Feeds> {
  const side = await SideFeeds.make(config, reports.sentence, time)
  const main: Feed[] = []
  for (const name of config.feeds) {
    const feed = isLiveFeed(name)
      ? null
      : await makeFeed(name, config, engine, counters, reports, time)
    if (feed !== null) main.push(side.beside(name, feed))
  }
  const live = config.feeds.find(isLiveFeed)
  if (live !== undefined) {
    const { supervisedFeed } = await import('./live-sources.ts')
    const feed = supervisedFeed(config, counters, engine, reports.trouble, time.nowMs)
    main.push(side.beside(live, feed))
  }
  return { main, side: side.feeds }
}

/** A feed with the modules of its kind, which nobody else waits for; null: the kind has none. */
async function makeFeed(
  name: FeedName,
  config: Config,
  engine: Engine,
  counters: FeedCounters,
  { line, sentence }: FeedReports,
  { nowMs }: FeedTime,
): Promise<Feed | null> {
  switch (name.kind) {
    case 'sim':
      return makeSimulator(config, engine, nowMs)
    case 'stdin': {
      const { StdinFeed } = await import('../../feeds/replay/replay.ts')
      return new StdinFeed({ report: line('stdin'), counters, forms: await newForms(sentence) })
    }
    case 'replay': {
      const { ReplayFeed } = await import('../../feeds/replay/replay.ts')
      const { file } = name
      const report = line(`replay:${file}`)
      return new ReplayFeed({
        ...{ file, speed: config.speed, report, counters },
        ...(config.logFormat === 'json' && { progress: null }),
        forms: await newForms(sentence),
      })
    }
    default:
      return null
  }
}

async function newForms(say: (sentence: string) => void): Promise<NewForms> {
  const { NewForms } = await import('../../feeds/chain/transactions/new-forms.ts')
  return new NewForms(say)
}

async function makeSimulator(config: Config, engine: Engine, nowMs: () => number): Promise<Feed> {
  const { SimulatorFeed } = await import('../../feeds/simulator/simulator.ts')
  return new SimulatorFeed({
    seed: config.simSeed,
    tokens: config.simTokens,
    rate: config.simRate,
    startSeconds: Math.floor(nowMs() / 1000),
    held: engine.seq === 0 ? null : new EngineMarket(engine),
    clock: () => nowMs() / 1000,
    addressBook: engine.state.book,
  })
}

/**
 * Checks what FEED and SOL_PRICE name, without the modules of any feed: a start waits for those
 * only once the API answers.
 * @throws ConfigError when a file cannot be read
 */
export function checkFeeds(config: Pick<Config, 'feeds' | 'solPrice'>): void {
  for (const feed of config.feeds) {
    const reason = feed.kind === 'replay' ? checkInputFile(feed.file) : null
    if (reason !== null) throw new ConfigError(`FEED has a replay: ${reason}.`)
  }
  givenPrices(config.solPrice)
}
