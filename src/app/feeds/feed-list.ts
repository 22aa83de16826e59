/**
 * app/feeds makes the feeds that FEED names, from settings: `makeFeeds` for all, `supervisedFeed` for live ones,
 * `makeSideFeeds` for the price of SOL, token texts and what the chain knows, `EngineMarket` for the simulator. A feed's
 * modules are loaded when it is made.
 * A swap's way: feed → (`PricedSink`) → `FeedShare` (`app/service.ts`), which counts what became of it → service → engine.
 */

import { messageOf } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError } from '../../config/setting-values.ts'
import { type FeedName, isLiveFeed } from '../../config/source-settings.ts'
import type { Engine } from '../../engine/engine.ts'
import type { FeedEvent } from '../../events/event.ts'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import type { NewForms } from '../../feeds/chain/transactions/new-forms.ts'
import type { FeedCounters } from '../../feeds/feed-counters.ts'
import type { HydrationFeed } from '../../feeds/hydration/hydration-feed.ts'
import type { MetadataFeed } from '../../feeds/metadata/metadata-feed.ts'
import { checkInputFile } from '../../feeds/replay/input-file.ts'
import {
  fixedPrice,
  PricedSink,
  type PriceSeries,
  readPriceFile,
} from '../../feeds/sol-price/priced-sink.ts'
import type { SolPriceFeed } from '../../feeds/sol-price/sol-price-feed.ts'
import type { OpenGap } from '../../feeds/supervisor/open-gaps.ts'
import { REAL_TIMERS } from '../../feeds/timers.ts'
import { type ClientReads, EngineHydration } from './engine-hydration.ts'
import { EngineMarket } from './engine-market.ts'

/** The market's clock, as feeds go by it, what becomes of long gaps, and whether more can be taken. */
interface FeedTime {
  /** As in LineRun: what reads faster than the chain waits for it. */
  readonly whenRoom?: () => Promise<void> | null
  /** Has a gap filled that is too long to wait for; absent or false: it holds what is behind it. */
  readonly takeLongGap?: (gap: OpenGap) => boolean
  /** Are events of a time refused now, as too far ahead of the clock? */
  readonly isAhead: (timestamp: number) => boolean
  /** Unix milliseconds. */
  readonly nowMs: () => number
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
 * Makes the feeds of FEED, `main`, and `side` feeds, which run beside them for as long as the program does.
 * `engineNow`: another one may take the place of the first.
 * @throws ConfigError when the file of SOL_PRICE can no longer be used
 */
export async function makeFeeds(
  config: Config,
  engineNow: () => Engine,
  counters: FeedCounters,
  reports: FeedReports,
  time: FeedTime,
  reads: ClientReads = NO_READS,
): Promise<{ readonly main: Feed[]; readonly side: readonly Feed[] }> {
  const engine = engineNow()
  const market = new EngineHydration(engineNow, reads)
  const hydration = await makeHydration(config, market, reports, time)
  const side = await makeSideFeeds(config, reports.sentence, time, hydration)
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
    const { nowMs, takeLongGap } = time
    const feed = supervisedFeed(config, counters, engine, reports.trouble, nowMs, takeLongGap)
    main.push(side.beside(live, feed))
  }
  return { main, side: side.feeds }
}

const NO_READS: ClientReads = { followed: () => [], asked: () => [] }

/** Asks the chain for tokens whose creation was not seen; null: no RPC server is given, or it is not to be asked. */
async function makeHydration(
  { hydration, lateSlots }: Config,
  market: EngineHydration,
  { trouble }: FeedReports,
  { nowMs }: FeedTime,
): Promise<HydrationFeed | null> {
  if (hydration === null) return null
  const { HydrationFeed } = await import('../../feeds/hydration/hydration-feed.ts')
  const report = (sentence: string) => trouble('hydration', sentence)
  const timers = { ...REAL_TIMERS, wallMs: nowMs }
  return new HydrationFeed({ ...hydration, lateSlots, market, report, timers })
}

/** A feed with the modules of its kind, which nobody else waits for; null: the kind has none. */
async function makeFeed(
  name: FeedName,
  config: Config,
  engine: Engine,
  counters: FeedCounters,
  { line, sentence }: FeedReports,
  { nowMs, whenRoom }: FeedTime,
): Promise<Feed | null> {
  switch (name.kind) {
    case 'sim':
      return makeSimulator(config, engine, nowMs)
    case 'stdin': {
      const { StdinFeed } = await import('../../feeds/replay/replay.ts')
      return new StdinFeed({
        report: line('stdin'),
        counters,
        forms: await newForms(sentence),
        whenRoom,
      })
    }
    case 'replay': {
      const { ReplayFeed } = await import('../../feeds/replay/replay.ts')
      const { file } = name
      const report = line(`replay:${file}`)
      return new ReplayFeed({
        ...{ file, speed: config.speed, report, counters, whenRoom },
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
 * SOL, and the texts of tokens; `hydration` runs beside them too. `beside` gives a feed what it needs of these; the feed
 * keeps its name.
 * @throws ConfigError when the file of SOL_PRICE cannot be used
 */
export async function makeSideFeeds(
  { solPrice, metadata, rules }: Pick<Config, 'solPrice' | 'metadata' | 'rules'>,
  report: (sentence: string) => void = () => {},
  { isAhead, nowMs }: FeedTime = MACHINE_TIME,
  hydration: HydrationFeed | null = null,
) {
  const prices =
    solPrice.kind === 'venues' ? await makeSolPrice(solPrice.names, report, nowMs) : null
  const series = givenPrices(solPrice)
  const texts = metadata === null ? null : await makeMetadata(metadata, rules, nowMs)

  const sinkOf = (name: FeedName, sink: EventSink): EventSink => {
    const priced = series === null ? sink : new PricedSink(sink, series, isAhead)
    const isLive = isLiveFeed(name)
    // Replays and simulations have their own texts: nothing is fetched for them.
    const observers = [isLive || name.kind === 'stdin' ? texts : null, isLive ? hydration : null]
    return observed(priced, observers)
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
  const asking: Feed | null = hydration && {
    name: hydration.name,
    // The uris that it brings lead to texts.
    start: (sink) => hydration.start(observed(sink, [texts])),
    stop: () => hydration.stop(),
    figures: () => hydration.figures(),
  }
  return { feeds: [prices, texts, asking].filter((feed) => feed !== null), beside }
}

/** A sink whose events are shown to the observers once they are folded. */
function observed(
  sink: EventSink,
  observers: readonly ({ observe(events: readonly FeedEvent[]): void } | null)[],
): EventSink {
  const all = observers.filter((observer) => observer !== null)
  if (all.length === 0) return sink
  return {
    events: (batch) => {
      sink.events(batch)
      for (const observer of all) observer.observe(batch)
    },
    records: (batch) => sink.records(batch),
  }
}

async function makeSolPrice(
  names: readonly string[],
  report: (sentence: string) => void,
  wallMs: () => number,
): Promise<SolPriceFeed> {
  const { SolPriceFeed } = await import('../../feeds/sol-price/sol-price-feed.ts')
  const { PRICE_VENUES } = await import('../../feeds/sol-price/sol-price-feed.ts')
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
