import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { FLAG_FILTERS, GROUPS, RANGE_FILTERS, SOCIALS } from '../queries.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from './swaps.ts'

const CLOSED = { additionalProperties: false } as const

/** Other name of `caEndsWithSuffix` on input (contract section 2). */
export const SUFFIX_ALIAS = 'caEndsWithPump'

const RangeSchema = Type.Object(
  { min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) },
  CLOSED,
)

const OptionalFlag = Type.Optional(Type.Boolean())
const OptionalRange = Type.Optional(RangeSchema)

const SocialsSchema = Type.Object(
  {
    twitter: OptionalFlag,
    telegram: OptionalFlag,
    website: OptionalFlag,
    discord: OptionalFlag,
    atLeastOne: OptionalFlag,
  },
  CLOSED,
)

const FiltersSchema = Type.Object(
  {
    xReuses: OptionalRange,
    ageMinutes: OptionalRange,
    mCapUsd: OptionalRange,
    volumeUsd: OptionalRange,
    txsBuys: OptionalRange,
    txsSells: OptionalRange,
    top10HoldingPct: OptionalRange,
    devHoldingPct: OptionalRange,
    snipersHoldingPct: OptionalRange,
    insidersHoldingPct: OptionalRange,
    bundlersHoldingPct: OptionalRange,
    freshWalletsHoldingPct: OptionalRange,
    holders: OptionalRange,
    proTradersAmount: OptionalRange,
    devMigrations: OptionalRange,
    devCreations: OptionalRange,
    devSoldAll: OptionalFlag,
    noXReuses: OptionalFlag,
    dexPaid: OptionalFlag,
    caEndsWithSuffix: OptionalFlag,
    caEndsWithPump: OptionalFlag,
    socials: Type.Optional(SocialsSchema),
  },
  CLOSED,
)
export type FiltersBody = Type.Static<typeof FiltersSchema>

const TypeSchema = Type.Union([
  Type.Literal('new'),
  Type.Literal('completing'),
  Type.Literal('graduated'),
  Type.Literal('all'),
])

/** FiltersMemeDto of the specification plus `limit` and `extra`; nulls are taken out before it is checked. */
export const TablesSchema = Type.Object(
  {
    type: Type.Optional(TypeSchema),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
    extra: OptionalFlag,
    newPools: Type.Optional(FiltersSchema),
    completing: Type.Optional(FiltersSchema),
    graduated: Type.Optional(FiltersSchema),
  },
  CLOSED,
)

/** Compiled once: a check costs up to some microseconds, a compilation a hundred times that. */
export const tablesValidator = Compile(TablesSchema)

const FILTER_NAMES = [...RANGE_FILTERS, ...FLAG_FILTERS, SUFFIX_ALIAS, 'socials']

/** Keys that are allowed in the object at a path of the body, for the message of a refusal. */
export function allowedKeys(path: readonly string[]): readonly string[] {
  if (path.length === 0) return ['type', 'limit', 'extra', 'newPools', 'completing', 'graduated']
  if (path.length === 1) return FILTER_NAMES
  return path[1] === 'socials' ? [...SOCIALS, 'atLeastOne'] : ['min', 'max']
}

const FLAG_NAMES: ReadonlySet<string> = new Set([...FLAG_FILTERS, SUFFIX_ALIAS])

/** What is allowed as the value at a path of the body, for the message of a refusal. */
export function allowedValue(path: readonly string[]): string {
  const [top, filter] = path
  if (top === undefined) return 'a JSON object is'
  if (top === 'type') return `${[...GROUPS, 'all'].join(', ')} are`
  if (top === 'limit') return `an integer from 1 to ${MAX_LIMIT} is`
  if (top === 'extra') return 'true or false is'
  if (path.length === 1) return 'an object of filters is'
  if (path.length === 3) return filter === 'socials' ? 'true or false is' : 'a finite number is'
  if (FLAG_NAMES.has(filter)) return 'true or false is'
  return filter === 'socials' ? 'an object of true or false is' : 'an object of min and max is'
}
