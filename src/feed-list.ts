import type { Config, FeedName } from './base/config.ts'
import { ConfigError } from './base/config.ts'
import type { Feed } from './engine/event-sink.ts'
import type { FeedCounters } from './feeds/feed-counters.ts'
import type { ReportLine } from './feeds/lines/line-report.ts'
import { checkReplayFile, ReplayFeed } from './feeds/replay.ts'
import { SimulatorFeed } from './feeds/simulator.ts'
import { StdinFeed } from './feeds/stdin.ts'
import type { Service } from './service.ts'

/** @throws ConfigError when a replay file cannot be read */
export function checkFeeds(feeds: readonly FeedName[]): void {
  for (const feed of feeds) {
    const reason = feed.kind === 'replay' ? checkReplayFile(feed.file) : null
    if (reason !== null) throw new ConfigError(reason)
  }
}

/** Makes the feeds of FEED; bad lines go to `report`. */
export function makeFeeds(
  config: Config,
  service: Service,
  counters: FeedCounters,
  report: ReportLine,
): Feed[] {
  const feeds: Feed[] = []
  for (const feed of config.feeds) {
    if (feed.kind === 'stdin') feeds.push(new StdinFeed({ report, counters }))
    if (feed.kind === 'sim') feeds.push(makeSimulator(config, service))
    if (feed.kind === 'replay')
      feeds.push(new ReplayFeed({ file: feed.file, speed: config.speed, report, counters }))
  }
  return feeds
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
