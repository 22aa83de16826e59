import type { Random } from '../../../src/base/random.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { Chart } from '../../../src/engine/read/chart.ts'
import { TokenReader } from '../../../src/engine/read/token-reader.ts'
import { WindowReader } from '../../../src/engine/read/window-reader.ts'
import { FLAG_FILTERS, GROUPS, RANGE_FILTERS } from '../../../src/protocol/filters.ts'
import { bodyText } from '../../../src/protocol/requests/parsers.ts'
import { parseTables } from '../../../src/protocol/requests/tables.ts'
import { WalletLabels } from '../../../src/protocol/wallet-labels.ts'
import { TableColumns } from '../../../src/query/tables/table-columns.ts'
import { TaggedHolders } from '../../../src/query/tables/tagged-holders.ts'
import { randomJson } from '../mutations.ts'
import { type FuzzTarget, holds } from '../target.ts'
import { sound } from './query-strings.ts'

const KEYS = [
  'type',
  'limit',
  'newPools',
  'completing',
  'graduated',
  'new',
  'all',
  'min',
  'heldBy',
  'tag',
  'max',
  'socials',
  'atLeastOne',
  'twitter',
  'caEndsWithPump',
  ...RANGE_FILTERS,
  ...FLAG_FILTERS,
]

/** Bodies of the token-table query. */
const engine = new Engine({ clock: 'event' })
const { state, top, links, window, chartTrades, bars } = engine
const COLUMNS = new TableColumns(
  state,
  new TokenReader(state, top, links),
  links,
  new WindowReader(state, window.trades, new Chart(state, chartTrades, bars)),
  new TaggedHolders(engine, new WalletLabels()),
)

export const tableBodies: FuzzTarget = {
  name: 'table-bodies',
  words: [...KEYS.map((key) => `"${key}":`), '{"min":1}', '{"max":2}', 'true', 'null'],
  make: (random) =>
    Buffer.from(JSON.stringify(random.chance(0.8) ? body(random) : randomJson(random, KEYS))),
  run(input) {
    const text = bodyText(input)
    if (!sound(text)) return
    const query = parseTables(text.value)
    if (!sound(query)) return
    const { limit, filters } = query.value
    holds(Number.isInteger(limit) && limit >= 1 && limit <= 200, 'limit is 1 to 200')
    for (const group of GROUPS) {
      COLUMNS.predicates(filters[group])
      for (const name of RANGE_FILTERS) {
        const { min, max } = filters[group]?.[name] ?? {}
        holds(!((min ?? -1e308) > (max ?? 1e308)), 'min is not above max')
      }
    }
  },
}

function body(random: Random): object {
  const given: Record<string, unknown> = {}
  if (random.chance(0.5)) given.type = random.pick(['new', 'completing', 'graduated', 'all'])
  if (random.chance(0.3)) given.limit = random.below(220)
  for (const group of ['newPools', 'completing', 'graduated'])
    if (random.chance(0.5)) given[group] = filtersOf(random)
  return given
}

function filtersOf(random: Random): object {
  const given: Record<string, unknown> = {}
  for (let count = random.below(5); count > 0; count--) {
    const name = random.pick(RANGE_FILTERS)
    given[name] = { min: random.below(100), max: random.chance(0.9) ? 100 + random.below(9) : null }
    if (random.chance(0.1)) given[name] = randomJson(random, KEYS, 2)
  }
  if (random.chance(0.3)) given[random.pick(FLAG_FILTERS)] = random.chance(0.5)
  if (random.chance(0.3)) given.socials = { twitter: true, atLeastOne: random.chance(0.5) }
  return given
}
