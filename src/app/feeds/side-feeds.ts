import { messageOf } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError } from '../../config/setting-values.ts'
import { type FeedName, isLiveFeed } from '../../config/source-settings.ts'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import type { MetadataFeed } from '../../feeds/metadata/metadata-feed.ts'
import {
  fixedPrice,
  PricedSink,
  type PriceSeries,
  readPriceFile,
} from '../../feeds/sol-price/priced-sink.ts'
import type { SolPriceFeed } from '../../feeds/sol-price/sol-price-feed.ts'
import type { FeedTime } from './live-sources.ts'

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
  const { PRICE_VENUES, SolPriceFeed } = await import('../../feeds/sol-price/sol-price-feed.ts')
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
