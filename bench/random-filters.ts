import { Random } from '../src/base/random.ts'
import { SERIAL_MARK } from './drivers/request-source.ts'

type Range = { min?: number | string; max?: number | string }

/** Greatest value of a bound that is drawn, evenly over the orders of magnitude below it. */
const BOUNDS = {
  xReuses: 5,
  ageMinutes: 5_000,
  mCapUsd: 100_000,
  volumeUsd: 50_000,
  txsBuys: 200,
  txsSells: 200,
  top10HoldingPct: 100,
  devHoldingPct: 50,
  snipersHoldingPct: 50,
  insidersHoldingPct: 50,
  bundlersHoldingPct: 50,
  freshWalletsHoldingPct: 100,
  holders: 200,
  proTradersAmount: 10,
  devMigrations: 5,
  devCreations: 20,
} as const
type RangeName = keyof typeof BOUNDS
const NAMES = Object.keys(BOUNDS).filter((name): name is RangeName => name in BOUNDS)
const FLAGS = ['devSoldAll', 'noXReuses', 'dexPaid', 'caEndsWithSuffix'] as const
const SOCIALS = ['twitter', 'telegram', 'website', 'discord', 'atLeastOne'] as const
const GROUPS = { new: 'newPools', completing: 'completing', graduated: 'graduated' } as const
const TYPES = ['new', 'completing', 'graduated', 'all', 'all'] as const
const RANGES_MAX = 4
const FLAG_CHANCE = 0.15

/**
 * Bodies of POST /api/v2/meme with random filters. Each has a bound with digits after the point
 * (`SERIAL_MARK`) that a driver counts up, so that no body is ever sent twice.
 */
export function randomBodies(seed: number, count: number): string[] {
  const random = new Random(seed)
  return Array.from({ length: count }, () => randomBody(random))
}

function randomBody(random: Random): string {
  const type = TYPES[random.below(TYPES.length)]
  const groups = type === 'all' ? Object.values(GROUPS) : [GROUPS[type]]
  const body = Object.fromEntries(groups.map((group) => [group, randomFilters(random)]))
  return JSON.stringify({ type, ...body }).replaceAll(/"@(\d+)"/g, `$1.${SERIAL_MARK}`)
}

function randomFilters(random: Random): object {
  const filters: Record<string, Range | boolean | object> = {}
  const count = random.between(1, RANGES_MAX)
  for (let i = 0; i < count; i++) filters[NAMES[random.below(NAMES.length)]] = {}
  for (const name of NAMES) if (name in filters) filters[name] = randomRange(random, BOUNDS[name])
  if (random.chance(FLAG_CHANCE)) filters[FLAGS[random.below(FLAGS.length)]] = true
  if (random.chance(FLAG_CHANCE))
    filters.socials = { [SOCIALS[random.below(SOCIALS.length)]]: true }
  return filters
}

/** `@` stands for the digits of a serial number. */
function randomRange(random: Random, greatest: number): Range {
  const bound = Math.floor((greatest + 1) ** random.unit())
  if (random.chance(0.6)) return { min: `@${bound - 1}` }
  return random.chance(0.5) ? { max: `@${bound}` } : { min: 0, max: `@${bound}` }
}
