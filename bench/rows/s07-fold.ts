import { performance } from 'node:perf_hooks'
import type { Service } from '../../src/app/service.ts'
import { EngineLive } from '../../src/query/json/engine-live.ts'
import { atLeast, type Line } from '../line.ts'
import { median, spreadPercent } from '../medians.ts'
import { type MarketSize, RecordedMarket } from '../recorded-market.ts'
import { settings } from '../settings.ts'

const LIVE_SWAPS = Math.round(200_000 * settings.timeScale)
/** Fresh engines a variant; a large market takes longer to make than to fold. */
const SIZES: readonly (MarketSize & { readonly engines: number })[] = [
  { tokens: 2_000, historyRate: 50, liveSwaps: LIVE_SWAPS, liveRate: 1_000, engines: 5 },
  { tokens: 100_000, historyRate: 3, liveSwaps: LIVE_SWAPS, liveRate: 1_000, engines: 3 },
]
const GOAL = atLeast(800_000)

interface Variant {
  readonly name: string
  prepare(service: Service): void
}

const VARIANTS: readonly Variant[] = [
  { name: 'fold', prepare: () => undefined },
  {
    name: 'fold, live feed without readers',
    prepare: (service) => {
      const live = new EngineLive(service.engine)
      live.onTrade(() => undefined)
      live.attach()
    },
  },
]

/** S7: swaps folded a second with everything on, in fresh engines that have a history. */
export async function run(): Promise<readonly Line[]> {
  return SIZES.flatMap(measureSize)
}

interface Rate {
  /** Swaps a second of wall clock. */
  readonly wall: number
  /** Swaps a second of this process's CPU time: what an idle core would give. */
  readonly cpu: number
}

function measureSize(size: (typeof SIZES)[number]): Line[] {
  const market = new RecordedMarket(size)
  for (const variant of VARIANTS) foldOnce(market, variant)
  const rates = VARIANTS.map((): Rate[] => [])
  for (let i = 0; i < size.engines; i++)
    VARIANTS.forEach((variant, place) => {
      rates[place].push(foldOnce(market, variant))
    })
  return VARIANTS.map(({ name }, place) => {
    const cpu = rates[place].map((rate) => rate.cpu)
    return {
      what: `${name}, ${size.tokens} tokens, ${market.historySwaps} + ${market.liveSwaps} swaps`,
      unit: 'swaps/s of CPU',
      ours: median(cpu),
      spreadPercent: spreadPercent(cpu),
      goal: GOAL,
      saturated: 'one core',
      detail: {
        wallPerSecond: median(rates[place].map((rate) => rate.wall)),
        engines: size.engines,
      },
    }
  })
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
