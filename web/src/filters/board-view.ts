import {
  BODY_KEYS,
  type Filters,
  FLAG_FILTERS,
  type FlagFilter,
  GROUPS,
  type Group,
  type Range,
  type RangeFilter,
  SOCIAL_FILTERS,
  type SocialFilter,
  type TableFilter,
  WINDOW_FILTERS,
  WINDOWS,
  type Window,
  type WindowFilter,
  type WindowFilters,
} from '../../../client/src/mintfeed.ts'
import { RANGE_KEYS } from './filter-fields.ts'
import { isOrder, isTableOrder, isWindow, type Order, orderIn } from './sort-orders.ts'

/** What a column shows: filters and order. */
export interface ColumnView {
  readonly filters: Filters
  readonly sort: Order
}

/** What the board shows; it is the part of the address behind `?`. */
export interface BoardView extends Readonly<Record<Group, ColumnView>> {
  /** Whose figures the rows show. */
  readonly window: Window
}

/** The window of a board whose address names none. */
const DEFAULT_WINDOW: Window = '24h'

/** Rows of a column the service is asked for: enough to scroll, few enough to stay live. */
export const ROWS = 100

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Reads `new.holders=20..&new.dexPaid=1&new.socials=twitter&new.sort=cap`; what it does not know it leaves out. */
export function parseBoardView(search: string): BoardView {
  const parameters = new URLSearchParams(search)
  const column = (group: Group): ColumnView => {
    const read = (key: string) => parameters.get(`${group}.${key}`)
    const sort = read('sort') ?? ''
    return { filters: parseFilters(read), sort: isOrder(sort) ? sort : 'default' }
  }
  const window = parameters.get('window') ?? ''
  return {
    new: column('new'),
    completing: column('completing'),
    graduated: column('graduated'),
    window: isWindow(window) ? window : DEFAULT_WINDOW,
  }
}

/** The board with another window: columns that are ordered by one follow it. */
export function withWindow(view: BoardView, window: Window): BoardView {
  const column = ({ filters, sort }: ColumnView) => ({ filters, sort: orderIn(window, sort) })
  return {
    new: column(view.new),
    completing: column(view.completing),
    graduated: column(view.graduated),
    window,
  }
}

function parseFilters(read: (key: string) => string | null): Filters {
  const ranges: Partial<Record<RangeFilter, Range>> = {}
  for (const key of RANGE_KEYS) {
    const range = parseRange(read(key))
    if (range !== null) ranges[key] = range
  }
  const flags: Partial<Record<FlagFilter, true>> = {}
  for (const key of FLAG_FILTERS) if (read(key) === '1') flags[key] = true
  const socials: Partial<Record<SocialFilter, true>> = {}
  const asked = (read('socials') ?? '').split(',')
  for (const key of SOCIAL_FILTERS) if (asked.includes(key)) socials[key] = true
  const hasSocials = Object.keys(socials).length > 0
  const windows = parseWindows(read)
  const [, min, tag] = /^([1-9]\d{0,5}):(.+)$/.exec(read('heldBy') ?? '') ?? []
  return {
    ...{ ...ranges, ...flags, ...(hasSocials && { socials }), ...(windows && { windows }) },
    ...(tag !== undefined && { heldBy: { tag, min: Number(min) } }),
  }
}

/** `5m.volumeUsd=1000..`; null where no window has a bound. */
function parseWindows(read: (key: string) => string | null): WindowFilters | null {
  const windows: Partial<Record<Window, Partial<Record<WindowFilter, Range>>>> = {}
  for (const window of WINDOWS)
    for (const key of WINDOW_FILTERS) {
      const range = parseRange(read(`${window}.${key}`))
      if (range !== null) windows[window] = { ...windows[window], [key]: range }
    }
  return Object.keys(windows).length === 0 ? null : windows
}

/** `20..50`, `20..`, `..50`; null when neither bound can be read or they are the wrong way round. */
export function parseRange(text: string | null): Range | null {
  const parts = /^(-?[\d.e+-]*?)\.\.(-?[\d.e+-]*)$/.exec(text ?? '')
  if (parts === null) return null
  return rangeOf(bound(parts[1]), bound(parts[2]))
}

/** A range of the bounds that are there; null when it would be no filter, or one that is refused. */
export function rangeOf(min: number | null, max: number | null): Range | null {
  if (min === null && max === null) return null
  if (min !== null && max !== null && min > max) return null
  const range: Writable<Range> = {}
  if (min !== null) range.min = min
  if (max !== null) range.max = max
  return range
}

/** A number with or without its thousands set apart, and the form that very large and small ones are written in. */
const NUMBER = /^(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+(?:e[+-]?\d+)?)$/i

/** Decimal digits that every number keeps. */
const DIGITS = 15

/** What was typed as a bound: `1500`, `1,500`, `$1.5k`, `2m`, `5%`; null when it is none. */
export function bound(text: string): number | null {
  const parts = /^(-?)\$?(.*?)\s?([kmb%]?)$/i.exec(text.trim())
  if (parts === null || !NUMBER.test(parts[2])) return null
  const step = { k: 1e3, m: 1e6, b: 1e9 }[parts[3].toLowerCase()] ?? 1
  const number = Number(parts[1] + parts[2].replaceAll(',', ''))
  // The product of 2.01 and 1000 is a little less than what was typed.
  const value = step === 1 ? number : Number((number * step).toPrecision(DIGITS))
  return Number.isFinite(value) ? value : null
}

/** The other way: empty when nothing is filtered and the orders are the service's. */
export function boardViewText(view: BoardView): string {
  const parameters = new URLSearchParams()
  const setRange = (key: string, range: Range | undefined) => {
    if (range !== undefined) parameters.set(key, `${range.min ?? ''}..${range.max ?? ''}`)
  }
  if (view.window !== DEFAULT_WINDOW) parameters.set('window', view.window)
  for (const group of GROUPS) {
    const { filters, sort } = view[group]
    for (const key of RANGE_KEYS) setRange(`${group}.${key}`, filters[key])
    for (const window of WINDOWS)
      for (const key of WINDOW_FILTERS)
        setRange(`${group}.${window}.${key}`, filters.windows?.[window]?.[key])
    for (const key of FLAG_FILTERS)
      if (filters[key] === true) parameters.set(`${group}.${key}`, '1')
    const socials = SOCIAL_FILTERS.filter((key) => filters.socials?.[key] === true)
    if (socials.length > 0) parameters.set(`${group}.socials`, socials.join(','))
    const { heldBy } = filters
    if (heldBy !== undefined) parameters.set(`${group}.heldBy`, `${heldBy.min ?? 1}:${heldBy.tag}`)
    if (sort !== 'default') parameters.set(`${group}.sort`, sort)
  }
  return parameters.toString()
}

/** The body of the table query that gives one column, with the windows of its rows. */
export function tableQuery(group: Group, { filters, sort }: ColumnView): TableFilter {
  const order = isTableOrder(sort) ? { order_by: sort } : {}
  return { type: group, limit: ROWS, extra: true, ...order, [BODY_KEYS[group]]: filters }
}
