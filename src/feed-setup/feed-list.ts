import { type Config, type FeedName, isLiveFeed } from '../base/config.ts'
import type { Engine } from '../engine/engine.ts'
import type { Feed } from '../engine/event-sink.ts'
import type { NewForms } from '../feeds/chain/new-forms.ts'
import type { FeedCounters } from '../feeds/feed-counters.ts'
import type { ReportLine } from '../feeds/lines/line-report.ts'
import { SideFeeds } from './side-feeds.ts'
import { tellingUnpriced } from './unpriced-replay.ts'

/** What runs: the feeds of FEED, and what stands at their side for as long as the program does. */
export interface Feeds {
  readonly main: readonly Feed[]
  readonly side: readonly Feed[]
}

/** Where feeds say what went wrong. */
export interface FeedReports {
  /** Lines of a feed that were skipped. */
  readonly line: (feed: string) => ReportLine
  /** Lost connections, refusals and slots that are missing. */
  readonly trouble: (who: string, reason: string) => void
  /** What else somebody should read. */
  readonly sentence: (sentence: string) => void
}

/**
 * Makes the feeds of FEED. `isAhead` says whether events of a time are refused now, as too far ahead of the clock.
 * @throws ConfigError when the file of SOL_PRICE can no longer be used
 */
export async function makeFeeds(
  config: Config,
  engine: Engine,
  counters: FeedCounters,
  reports: FeedReports,
  isAhead: (timestamp: number) => boolean,
): Promise<Feeds> {
  const side = await SideFeeds.make(config, reports.sentence, isAhead)
  const main: Feed[] = []
  for (const name of config.feeds) {
    const feed = isLiveFeed(name) ? null : await makeFeed(name, config, engine, counters, reports)
    if (feed !== null) main.push(side.beside(name, feed))
  }
  const live = config.feeds.find(isLiveFeed)
  if (live !== undefined) {
    const { supervisedFeed } = await import('./live-sources.ts')
    const feed = supervisedFeed(config, counters, engine, reports.trouble)
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
): Promise<Feed | null> {
  switch (name.kind) {
    case 'sim':
      return makeSimulator(config, engine)
    case 'stdin': {
      const { StdinFeed } = await import('../feeds/stdin.ts')
      return new StdinFeed({ report: line('stdin'), counters, forms: await newForms(sentence) })
    }
    case 'replay': {
      const { ReplayFeed } = await import('../feeds/replay.ts')
      const { file } = name
      const report = line(`replay:${file}`)
      const replay = new ReplayFeed({
        ...{ file, speed: config.speed, report, counters },
        forms: await newForms(sentence),
      })
      return tellingUnpriced(replay, engine, sentence)
    }
    default:
      return null
  }
}

async function newForms(say: (sentence: string) => void): Promise<NewForms> {
  const { NewForms } = await import('../feeds/chain/new-forms.ts')
  return new NewForms(say)
}

async function makeSimulator(config: Config, engine: Engine): Promise<Feed> {
  const { SimulatorFeed } = await import('../feeds/simulator.ts')
  return new SimulatorFeed({
    seed: config.simSeed,
    tokens: config.simTokens,
    rate: config.simRate,
    startSeconds: Math.floor(Date.now() / 1000),
    held: engine.seq === 0 ? null : engine,
    clock: () => Date.now() / 1000,
    addressBook: engine.state.book,
  })
}
