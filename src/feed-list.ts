import type { Config, FeedName } from './base/config.ts'
import { ConfigError, isLiveFeed } from './base/config.ts'
import type { Feed } from './engine/event-sink.ts'
import type { FeedCounters } from './feeds/feed-counters.ts'
import type { ReportLine } from './feeds/lines/line-report.ts'
import { checkReplayFile, ReplayFeed } from './feeds/replay.ts'
import { SimulatorFeed } from './feeds/simulator.ts'
import { StdinFeed } from './feeds/stdin.ts'
import type { Service } from './service.ts'
import { checkSideFeeds, type SideFeeds } from './side-feeds.ts'

/** @throws ConfigError when a file of FEED or SOL_PRICE cannot be read */
export function checkFeeds(config: Config): void {
  for (const feed of config.feeds) {
    const reason = feed.kind === 'replay' ? checkReplayFile(feed.file) : null
    if (reason !== null) throw new ConfigError(reason)
  }
  checkSideFeeds(config)
}

/** Makes the feeds of FEED; bad lines go to `report`, lost connections to `reportSource`. */
export async function makeFeeds(
  config: Config,
  service: Service,
  counters: FeedCounters,
  report: ReportLine,
  side: SideFeeds,
  reportSource: (who: string, reason: string) => void,
): Promise<Feed[]> {
  const feeds: Feed[] = []
  const add = (name: FeedName, feed: Feed) => feeds.push(side.beside(name, feed))
  for (const feed of config.feeds) {
    if (feed.kind === 'stdin') add(feed, new StdinFeed({ report, counters }))
    if (feed.kind === 'sim') add(feed, makeSimulator(config, service))
    if (feed.kind === 'replay')
      add(feed, new ReplayFeed({ file: feed.file, speed: config.speed, report, counters }))
  }
  const live = config.feeds.find(isLiveFeed)
  if (live !== undefined) {
    // Loaded by those who need it: the gRPC library is a fifth of a start.
    const { supervisedFeed } = await import('./live-sources.ts')
    add(live, supervisedFeed(config, counters, cursorOf(service), reportSource))
  }
  return feeds
}

/**
 * The last slot that is known to be whole: the one before that of the newest event, of which the rest
 * may not have been written. The engine drops what comes again.
 */
function cursorOf({ engine }: Service): number | null {
  return engine.newestSlot > 0 ? engine.newestSlot - 1 : null
}

function makeSimulator(config: Config, service: Service): Feed {
  return new SimulatorFeed({
    seed: config.simSeed,
    tokens: config.simTokens,
    rate: config.simRate,
    startSeconds: Math.floor(Date.now() / 1000),
    firstSlot: service.engine.newestSlot + 1,
    clock: () => Date.now() / 1000,
    addressBook: service.engine.state.book,
  })
}
