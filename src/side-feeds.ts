import type { Config } from './base/config.ts'
import { ConfigError, type FeedName, isLiveFeed } from './base/config.ts'
import type { EventSink, Feed } from './engine/event-sink.ts'
import { MetadataFeed } from './feeds/metadata/metadata-feed.ts'
import { ObservedSink } from './feeds/metadata/observed-sink.ts'
import { fixedPrice, type PriceSeries, readPriceFile } from './feeds/sol-price/price-series.ts'
import { PricedSink } from './feeds/sol-price/priced-sink.ts'
import { SolPriceFeed } from './feeds/sol-price/sol-price-feed.ts'
import { PRICE_VENUES } from './feeds/sol-price/venues.ts'

/** Live feeds wait this long for the first price of SOL (contract 3.6). */
const FIRST_PRICE_MS = 10_000

/** What runs beside the feeds of FEED: the price of SOL, and the texts of tokens. */
export class SideFeeds {
  readonly feeds: readonly Feed[]
  readonly #solPrice: SolPriceFeed | null
  readonly #series: PriceSeries | null
  readonly #metadata: MetadataFeed | null

  /** @throws ConfigError when the file of SOL_PRICE cannot be used */
  constructor(
    { solPrice, metadata }: Pick<Config, 'solPrice' | 'metadata'>,
    report: (sentence: string) => void = () => {},
  ) {
    this.#series = seriesOf(solPrice)
    this.#solPrice =
      solPrice.kind === 'venues'
        ? new SolPriceFeed({
            venues: PRICE_VENUES.filter((venue) => solPrice.names.includes(venue.name)),
            report,
          })
        : null
    this.#metadata = metadata === null ? null : new MetadataFeed(metadata)
    this.feeds = [this.#solPrice, this.#metadata].filter((feed) => feed !== null)
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
    const priced = this.#series === null ? sink : new PricedSink(sink, this.#series)
    if (metadata === null) return priced
    return new ObservedSink(priced, (events) => metadata.observe(events))
  }
}

/** @throws ConfigError when the file of SOL_PRICE cannot be used */
export function checkSideFeeds({ solPrice }: Pick<Config, 'solPrice'>): void {
  seriesOf(solPrice)
}

function seriesOf(setting: Config['solPrice']): PriceSeries | null {
  if (setting.kind === 'fixed') return fixedPrice(setting.usd)
  if (setting.kind !== 'file') return null
  try {
    return readPriceFile(setting.file)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`SOL_PRICE names a file that cannot be used: ${reason}.`)
  }
}
