import type { pino } from 'pino'
import type { Config, FeedName } from './base/config.ts'
import { ConfigError } from './base/config.ts'
import type { Feed } from './engine/event-sink.ts'
import type { FeedCounters } from './feeds/feed-counters.ts'
import { checkReplayFile, ReplayFeed } from './feeds/replay.ts'
import { SimulatorFeed } from './feeds/simulator.ts'
import { StdinFeed } from './feeds/stdin.ts'
import type { Service } from './service.ts'

/** Bad lines logged one by one; the rest are only counted. */
const BAD_LINES_LOGGED_MAX = 20

export type Logger = ReturnType<typeof pino>

/** @throws ConfigError when a replay file cannot be read */
export function checkFeeds(feeds: readonly FeedName[]): void {
  for (const feed of feeds) {
    const reason = feed.kind === 'replay' ? checkReplayFile(feed.file) : null
    if (reason !== null) throw new ConfigError(reason)
  }
}

/** Makes the feeds of FEED. */
export function makeFeeds(
  config: Config,
  service: Service,
  counters: FeedCounters,
  log: Logger,
): Feed[] {
  const report = badLineReport(log)
  return config.feeds.flatMap((feed): Feed[] => {
    switch (feed.kind) {
      case 'none':
        return []
      case 'stdin':
        return [new StdinFeed({ report, counters })]
      case 'replay':
        return [new ReplayFeed({ file: feed.file, speed: config.speed, report, counters })]
      case 'sim':
        return [makeSimulator(config, service)]
    }
  })
}

function makeSimulator(config: Config, service: Service): Feed {
  return new SimulatorFeed({
    seed: config.simSeed,
    tokens: config.simTokens,
    rate: config.simRate,
    startSeconds: Math.floor(Date.now() / 1000),
    clock: () => Date.now() / 1000,
    addressBook: service.engine.state.book,
  })
}

function badLineReport(log: Logger): (line: number, reason: string) => void {
  let reported = 0
  return (line, reason) => {
    reported += 1
    if (reported <= BAD_LINES_LOGGED_MAX) log.warn({ line, reason }, 'line skipped')
    if (reported === BAD_LINES_LOGGED_MAX) log.warn({}, 'further bad lines are counted, not logged')
  }
}
