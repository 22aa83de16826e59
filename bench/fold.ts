import { performance } from 'node:perf_hooks'
import type { Service } from '../src/service.ts'
import { EngineLive } from '../src/wire/engine-live.ts'
import { median, spreadPercent } from './medians.ts'
import { type MarketSize, RecordedMarket } from './recorded-market.ts'
import type { Report, Row } from './report.ts'

const ENGINES = 5
const SIZES: readonly MarketSize[] = [
  { tokens: 2_000, historyRate: 50, liveSwaps: 400_000, liveRate: 1_000 },
  { tokens: 100_000, historyRate: 3, liveSwaps: 200_000, liveRate: 1_000 },
]

interface Variant {
  readonly name: string
  prepare(service: Service): void
}

const VARIANTS: readonly Variant[] = [
  { name: 'fold', prepare: () => undefined },
  {
    name: 'fold + live feed without readers',
    prepare: (service) => {
      const live = new EngineLive(service.engine)
      live.onTrade(
        () => false,
        () => undefined,
      )
      live.attach()
    },
  },
]

/** Swaps folded a second, everything on, in fresh engines that have a history. */
export async function run(): Promise<Report> {
  const rows = SIZES.flatMap(measureSize)
  const how = `median of ${ENGINES} fresh engines after one not counted, records made before`
  return { name: 'fold', how, rows }
}

interface Rate {
  /** Swaps a second of wall clock. */
  readonly wall: number
  /** Swaps a second of this process's CPU time: what an idle core would give. */
  readonly cpu: number
}

function measureSize(size: MarketSize): Row[] {
  const market = new RecordedMarket(size)
  for (const variant of VARIANTS) foldOnce(market, variant)
  const rates = VARIANTS.map((): Rate[] => [])
  for (let i = 0; i < ENGINES; i++)
    VARIANTS.forEach((variant, place) => {
      rates[place].push(foldOnce(market, variant))
    })
  const about = `${size.tokens} tokens, ${market.historySwaps} + ${market.liveSwaps} swaps`
  return VARIANTS.flatMap(({ name }, place) => [
    rowOf(
      `${name}, ${about}`,
      'swaps/s of CPU time',
      rates[place].map(({ cpu }) => cpu),
    ),
    rowOf(
      `${name}, ${about}`,
      'swaps/s of wall clock',
      rates[place].map(({ wall }) => wall),
    ),
  ])
}

function rowOf(what: string, unit: string, rates: readonly number[]): Row {
  return { what, ours: median(rates), unit, spreadPercent: spreadPercent(rates) }
}

function foldOnce(market: RecordedMarket, variant: Variant): Rate {
  const service = market.warmService()
  variant.prepare(service)
  globalThis.gc?.()
  const folded = service.engine.counts.swaps
  const startMs = performance.now()
  const startCpu = process.cpuUsage()
  market.playLive(service)
  const { user, system } = process.cpuUsage(startCpu)
  const seconds = (performance.now() - startMs) / 1000
  const swaps = service.engine.counts.swaps - folded
  return { wall: swaps / seconds, cpu: swaps / ((user + system) / 1e6) }
}
