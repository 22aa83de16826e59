import type { XLinks } from '../../engine/index/x-links.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import { WalletLane } from '../../engine/state/layout.ts'
import type { State } from '../../engine/state/state.ts'
import { METADATA_KEYS } from '../../events/event.ts'
import {
  type Filters,
  FLAG_FILTERS,
  type FlagFilter,
  RANGE_FILTERS,
  type RangeFilter,
  SOCIAL_FILTERS,
  SOCIALS,
  type SocialFilter,
} from '../../protocol/filters.ts'
import { METRICS } from './metrics.ts'
import type { Column } from './token-column.ts'
import {
  AgeColumn,
  CreatorColumn,
  MarketCapColumn,
  NumberColumn,
  ReusesColumn,
} from './token-columns.ts'

type ColumnName = RangeFilter | Exclude<FlagFilter, 'noXReuses'> | SocialFilter

const SOCIAL_PLACES = SOCIALS.map((social) => METADATA_KEYS.indexOf(social))

/** Above every number that `TokenReader.mintOrder` has: six bytes. */
const MINT_ORDERS = 2 ** 48

/** One condition of a filter: values of a column from `min` to `max`, both allowed. */
export interface Predicate {
  readonly column: Column
  readonly min: number
  readonly max: number
}

/**
 * The quantities that tables are filtered by, as columns: a value is read once for each change of its
 * token and then compared where it lies. A column is made when it is first asked for, so who asks
 * for none pays for none; there are as many as there are filters.
 */
export class TableColumns {
  readonly #state: State
  readonly #reader: TokenReader
  readonly #links: XLinks
  readonly #marketCaps: MarketCapColumn
  readonly #columns = new Map<ColumnName, Column>()
  readonly #mintPrecedences: NumberColumn

  /** `reader` is the columns' own: it is moved. */
  constructor(state: State, reader: TokenReader, links: XLinks) {
    this.#state = state
    this.#reader = reader
    this.#links = links
    this.#marketCaps = new MarketCapColumn(state, reader)
    this.#columns.set('mCapUsd', this.#marketCaps)
    this.#mintPrecedences = new NumberColumn(
      state,
      reader,
      ({ mintOrder }) => MINT_ORDERS - mintOrder,
    )
  }

  get bytes(): number {
    const columns = [...this.#columns.values(), this.#mintPrecedences]
    return columns.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Values from `min` to `max`, both allowed. */
  range(name: RangeFilter, min: number, max: number): Predicate {
    return { column: this.#column(name), min, max }
  }

  /** Tokens of which a flag holds. */
  flag(name: FlagFilter): Predicate {
    return name === 'noXReuses' ? this.range('xReuses', 0, 0) : this.#holds(name)
  }

  /** Tokens that name a social network, or any of them. */
  social(name: SocialFilter): Predicate {
    return this.#holds(name)
  }

  /** Market caps in dollars; valid until the state changes. */
  marketCaps(): MarketCapColumn {
    this.#marketCaps.cover()
    return this.#marketCaps
  }

  /** Of two tokens the one whose mint is less never has the less number; valid until the state changes. */
  mintPrecedences(): NumberColumn {
    this.#mintPrecedences.cover()
    return this.#mintPrecedences
  }

  #holds(name: ColumnName): Predicate {
    return { column: this.#column(name), min: 1, max: 1 }
  }

  #column(name: ColumnName): Column {
    let column = this.#columns.get(name)
    if (column === undefined) {
      column = this.#newColumn(name)
      this.#columns.set(name, column)
    }
    column.cover()
    return column
  }

  #newColumn(name: ColumnName): Column {
    const [state, reader] = [this.#state, this.#reader]
    if (name === 'ageMinutes') return new AgeColumn(state, reader)
    if (name === 'xReuses') return new ReusesColumn(state, this.#links)
    if (name === 'devCreations') return new CreatorColumn(state, reader, WalletLane.creations)
    if (name === 'devMigrations') return new CreatorColumn(state, reader, WalletLane.migrations)
    return new NumberColumn(state, reader, readOf(name))
  }
}

/** What hangs on nothing but its token; a flag is 0 or 1. */
function readOf(name: ColumnName): (token: TokenReader) => number {
  if (name === 'atLeastOne')
    return (token) => Number(SOCIAL_PLACES.some((place) => token.hasMetadata(place)))
  const names: readonly string[] = SOCIALS
  const place = SOCIAL_PLACES[names.indexOf(name)]
  if (place !== undefined) return (token) => Number(token.hasMetadata(place))
  const metric = METRICS.find((row) => row.filter === name)
  if (metric?.kind === 'number') return metric.read
  if (metric?.kind === 'boolean') return (token) => Number(metric.read(token))
  throw new Error(`no metric ${name}`)
}

/** The conditions of a group's filters. A flag that is false is the same as absent (contract section 2). */
export function compileFilters(
  filters: Filters | undefined,
  columns: TableColumns,
): readonly Predicate[] {
  if (filters === undefined) return []
  const flags = FLAG_FILTERS.filter((name) => filters[name] === true)
  const links = SOCIAL_FILTERS.filter((name) => filters.socials?.[name] === true)
  const ranges = RANGE_FILTERS.flatMap((name) => {
    const range = filters[name]
    if (range === undefined) return []
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = range
    return [columns.range(name, min, max)]
  })
  return [
    ...flags.map((name) => columns.flag(name)),
    ...links.map((name) => columns.social(name)),
    ...ranges,
  ]
}
