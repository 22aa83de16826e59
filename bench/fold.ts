import { performance } from 'node:perf_hooks'
import type { Service } from '../src/service.ts'
import { EngineLive } from '../src/wire/engine-live.ts'
import { median, spreadPercent } from './medians.ts'
import { type MarketSize, RecordedMarket } from './recorded-market.ts'
import type { Report, Row } from './report.ts'

const ENGINES = 5
const SIZES: readonly MarketSize[] = [
  { tokens: 2_000, historyRate: 50, liveSwaps: 400_000, liveRate: 1_000 },
  { tokens: 100_000, historyRate: 3, liveSwaps: 300_000, liveRate: 1_000 },
]

interface Variant {
  readonly name: string
  prepare(service: Service): void
}

const VARIANTS: readonly Variant[] = [
  { name: 'fold', prepare: () => undefined },
  {
    name: 'fold + live feed without readers',
    prepare: (service) =>
      new EngineLive(service.engine).onTrade(
        () => false,
        () => undefined,
      ),
  },
]

/** Swaps folded a second, everything on, in fresh engines that have a history. */
export async function run(): Promise<Report> {
  const rows = SIZES.flatMap(measureSize)
  const how = `median of ${ENGINES} fresh engines after one not counted, records made before`
  return { name: 'fold', how, rows }
}

function measureSize(size: MarketSize): Row[] {
  const market = new RecordedMarket(size)
  for (const variant of VARIANTS) foldOnce(market, variant)
  const rates = VARIANTS.map((): number[] => [])
  for (let i = 0; i < ENGINES; i++)
    VARIANTS.forEach((variant, place) => {
      rates[place].push(foldOnce(market, variant))
    })
  return VARIANTS.map(({ name }, place) => ({
    what: `${name}, ${size.tokens} tokens, ${market.historySwaps} + ${market.liveSwaps} swaps`,
    ours: median(rates[place]),
    unit: 'swaps/s',
    spreadPercent: spreadPercent(rates[place]),
  }))
}

function foldOnce(market: RecordedMarket, variant: Variant): number {
  const service = market.warmService()
  variant.prepare(service)
  globalThis.gc?.()
  const folded = service.engine.counts.swaps
  const startMs = performance.now()
  market.playLive(service)
  const seconds = (performance.now() - startMs) / 1000
  return (service.engine.counts.swaps - folded) / seconds
}
