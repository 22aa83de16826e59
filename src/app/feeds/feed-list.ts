/**
 * app/feeds makes the feeds that FEED names, from settings: `makeFeeds` for all, `supervisedFeed` for live ones, `SideFeeds` for the
 * price of SOL and token texts, `EngineMarket` for the simulator. A feed's modules are loaded when it is made.
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
import type { FeedTime } from './live-sources.ts'

/** What runs: the feeds of FEED, and what stands at their side for as long as the program does. */
export interface Feeds {
  readonly main: readonly Feed[]
  readonly side: readonly Feed[]
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

/** Live feeds wait this long for the first price of SOL (contract 3.6). */
export const FIRST_PRICE_MS = 10_000

const MACHINE_TIME: FeedTime = { isAhead: () => false, nowMs: () => Date.now() }

/** What runs beside the feeds of FEED: the price of SOL, and the texts of tokens. */
export class SideFeeds {
  readonly feeds: readonly Feed[]
  readonly #solPrice: SolPriceFeed | null
  readonly #series: PriceSeries | null
  readonly #isAhead: (timestamp: number) => boolean
  readonly #metadata: MetadataFeed | null

  private constructor(
    solPrice: SolPriceFeed | null,
    series: PriceSeries | null,
    isAhead: (timestamp: number) => boolean,
    metadata: MetadataFeed | null,
  ) {
    this.#solPrice = solPrice
    this.#series = series
    this.#isAhead = isAhead
    this.#metadata = metadata
    this.feeds = [solPrice, metadata].filter((feed) => feed !== null)
  }

  /**
   * Makes those that the settings ask for, with the modules of those alone.
   * @throws ConfigError when the file of SOL_PRICE cannot be used
   */
  static async make(
    { solPrice, metadata, rules }: Pick<Config, 'solPrice' | 'metadata' | 'rules'>,
    report: (sentence: string) => void = () => {},
    { isAhead, nowMs }: FeedTime = MACHINE_TIME,
  ): Promise<SideFeeds> {
    return new SideFeeds(
      solPrice.kind === 'venues' ? await makeSolPrice(solPrice.names, report, nowMs) : null,
      givenPrices(solPrice),
      isAhead,
      metadata === null ? null : await makeMetadata(metadata, rules, nowMs),
    )
  }

  /** The feed with what it needs at its side; it keeps its name. */
  beside(name: FeedName, feed: Feed): Feed {
    return {
      name: feed.name,
      start: async (sink) => {
        if (isLiveFeed(name)) await this.#solPrice?.whenPriced(FIRST_PRICE_MS)
        await feed.start(this.#sinkOf(name, sink))
      },
      stop: () => feed.stop(),
      figures: () => feed.figures?.() ?? {},
      notLive: () => feed.notLive?.() ?? null,
    }
  }

  /** Replays and simulations have their own texts: nothing is fetched for them. */
  #sinkOf(name: FeedName, sink: EventSink): EventSink {
    const metadata = isLiveFeed(name) || name.kind === 'stdin' ? this.#metadata : null
    const series = this.#series
    const priced = series === null ? sink : new PricedSink(sink, series, this.#isAhead)
    if (metadata === null) return priced
    return {
      events: (batch) => {
        priced.events(batch)
        // Once they are folded.
        metadata.observe(batch)
      },
      records: (batch) => priced.records(batch),
    }
  }
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
export function givenPrices(setting: Config['solPrice']): PriceSeries | null {
  if (setting.kind === 'fixed') return fixedPrice(setting.usd)
  if (setting.kind !== 'file') return null
  try {
    return readPriceFile(setting.file)
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigError(`SOL_PRICE names a file that cannot be used: ${reason}.`)
  }
}
