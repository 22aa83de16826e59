/**
 * app/feeds makes the feeds that FEED names, from settings: `makeFeeds` for all, `supervisedFeed` for live ones,
 * `makeSideFeeds` for the price of SOL and token texts, `EngineMarket` for the simulator. A feed's modules are loaded
 * when it is made.
 * A swap's way: feed → (`PricedSink`) → `FeedShare`, which counts what became of it → service → engine.
 */

import { messageOf } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { type FeedName, isLiveFeed } from '../../config/feed-setting.ts'
import { ConfigError } from '../../config/setting-values.ts'
import type { Engine } from '../../engine/engine.ts'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import type { NewForms } from '../../feeds/chain/transactions/new-forms.ts'
import type { FeedCounters } from '../../feeds/feed-counters.ts'
import { checkInputFile } from '../../feeds/lines/input-file.ts'
import type { ReportLine } from '../../feeds/lines/line-splitter.ts'
import type { MetadataFeed } from '../../feeds/metadata/metadata-feed.ts'
import {
  fixedPrice,
  PricedSink,
  type PriceSeries,
  readPriceFile,
} from '../../feeds/sol-price/priced-sink.ts'
import type { SolPriceFeed } from '../../feeds/sol-price/sol-price-feed.ts'
import { EngineMarket } from './engine-market.ts'

/** The market's clock, as feeds go by it. */
interface FeedTime {
  /** Are events of a time refused now, as too far ahead of the clock? */
  readonly isAhead: (timestamp: number) => boolean
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/** Where feeds say what went wrong. */
interface FeedReports {
  /** Lines of a feed that were skipped. */
  readonly line: (feed: string) => ReportLine
  /** Lost connections, refusals and slots that are missing. */
  readonly trouble: (who: string, reason: string) => void
  /** What else somebody should read. */
  readonly sentence: (sentence: string) => void
}

/**
 * Makes the feeds of FEED, `main`, and `side` feeds, which run beside them for as long as the program does.
 * @throws ConfigError when the file of SOL_PRICE can no longer be used
 */
export async function makeFeeds(
  config: Config,
  engine: Engine,
  counters: FeedCounters,
  reports: FeedReports,
  time: FeedTime,
): Promise<{ readonly main: readonly Feed[]; readonly side: readonly Feed[] }> {
  const side = await makeSideFeeds(config, reports.sentence, time)
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

/** Live feeds wait this long for the first price of SOL (contract 3.6). */
export const FIRST_PRICE_MS = 10_000

const MACHINE_TIME: FeedTime = { isAhead: () => false, nowMs: () => Date.now() }

/**
 * Makes what runs beside the feeds of FEED as the settings ask for it, with the modules of that alone: the price of
 * SOL, and the texts of tokens. `beside` gives a feed what it needs of these; the feed keeps its name.
 * @throws ConfigError when the file of SOL_PRICE cannot be used
 */
export async function makeSideFeeds(
  { solPrice, metadata, rules }: Pick<Config, 'solPrice' | 'metadata' | 'rules'>,
  report: (sentence: string) => void = () => {},
  { isAhead, nowMs }: FeedTime = MACHINE_TIME,
) {
  const prices =
    solPrice.kind === 'venues' ? await makeSolPrice(solPrice.names, report, nowMs) : null
  const series = givenPrices(solPrice)
  const texts = metadata === null ? null : await makeMetadata(metadata, rules, nowMs)

  const sinkOf = (name: FeedName, sink: EventSink): EventSink => {
    const priced = series === null ? sink : new PricedSink(sink, series, isAhead)
    // Replays and simulations have their own texts: nothing is fetched for them.
    if (texts === null || !(isLiveFeed(name) || name.kind === 'stdin')) return priced
    return {
      events: (batch) => {
        priced.events(batch)
        // Once they are folded.
        texts.observe(batch)
      },
      records: (batch) => priced.records(batch),
    }
  }
  const beside = (name: FeedName, feed: Feed): Feed => ({
    name: feed.name,
    start: async (sink) => {
      if (isLiveFeed(name)) await prices?.whenPriced(FIRST_PRICE_MS)
      await feed.start(sinkOf(name, sink))
    },
    stop: () => feed.stop(),
    figures: () => feed.figures?.() ?? {},
    notLive: () => feed.notLive?.() ?? null,
  })
  return { feeds: [prices, texts].filter((feed) => feed !== null), beside }
}

async function makeSolPrice(
  names: readonly string[],
  report: (sentence: string) => void,
  wallMs: () => number,
): Promise<SolPriceFeed> {
  const { SolPriceFeed } = await import('../../feeds/sol-price/sol-price-feed.ts')
  const { PRICE_VENUES } = await import('../../feeds/sol-price/venues.ts')
  return new SolPriceFeed({
    venues: PRICE_VENUES.filter((venue) => names.includes(venue.name)),
    report,
    wallMs,
  })
}

async function makeMetadata(
  { gateways }: NonNullable<Config['metadata']>,
  { completingPercent }: Config['rules'],
  wallMs: () => number,
): Promise<MetadataFeed> {
  const { MetadataFeed } = await import('../../feeds/metadata/metadata-feed.ts')
  return new MetadataFeed({ gateways, completingPercent, wallMs })
}

/**
 * The prices that SOL_PRICE itself gives; null when they come from elsewhere.
 * @throws ConfigError when its file cannot be used
 */
function givenPrices(setting: Config['solPrice']): PriceSeries | null {
  if (setting.kind === 'fixed') return fixedPrice(setting.usd)
  if (setting.kind !== 'file') return null
  try {
    return readPriceFile(setting.file)
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigError(`SOL_PRICE names a file that cannot be used: ${reason}.`)
  }
}
