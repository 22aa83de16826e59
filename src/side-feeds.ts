import type { Config } from './base/config.ts'
import { ConfigError, type FeedName, isLiveFeed } from './base/config.ts'
import type { EventSink, Feed } from './engine/event-sink.ts'
import { fixedPrice, type PriceSeries, readPriceFile } from './feeds/sol-price/price-series.ts'
import { PricedSink } from './feeds/sol-price/priced-sink.ts'
import { SolPriceFeed } from './feeds/sol-price/sol-price-feed.ts'
import { PRICE_VENUES } from './feeds/sol-price/venues.ts'

/** Live feeds wait this long for the first price of SOL (contract 3.6). */
const FIRST_PRICE_MS = 10_000

/** What runs beside the feeds of FEED: the price of SOL. */
export class SideFeeds {
  readonly feeds: readonly Feed[]
  readonly #solPrice: SolPriceFeed | null
  readonly #series: PriceSeries | null

  /** @throws ConfigError when the file of SOL_PRICE cannot be used */
  constructor({ solPrice }: Pick<Config, 'solPrice'>) {
    this.#series = seriesOf(solPrice)
    this.#solPrice =
      solPrice.kind === 'venues'
        ? new SolPriceFeed({
            venues: PRICE_VENUES.filter((venue) => solPrice.names.includes(venue.name)),
          })
        : null
    this.feeds = this.#solPrice === null ? [] : [this.#solPrice]
  }

  /** The feed with what it needs at its side; it keeps its name. */
  beside(name: FeedName, feed: Feed): Feed {
    return {
      name: feed.name,
      start: async (sink) => {
        if (isLiveFeed(name)) await this.#solPrice?.whenPriced(FIRST_PRICE_MS)
        await feed.start(this.#sinkOf(sink))
      },
      stop: () => feed.stop(),
      figures: () => feed.figures?.() ?? {},
    }
  }

  #sinkOf(sink: EventSink): EventSink {
    return this.#series === null ? sink : new PricedSink(sink, this.#series)
  }
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
