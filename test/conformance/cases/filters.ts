import { allRows, serverNow, type Tables, tablesOf } from '../discover.ts'
import {
  ensure,
  type Json,
  num,
  record,
  records,
  same,
  skipUnless,
  steady,
  unixAt,
} from '../expect.ts'
import {
  handleOf,
  hasSocial,
  mintOf,
  quantile,
  rowValue,
  socials,
  wholeNumbers,
} from '../filter-fields.ts'
import { about, type Case, type World } from '../harness.ts'
import type { Http } from '../http.ts'
import { marketPath } from '../paths.ts'
import { booleanFilters, filterKey, type Group, groups, rangeFilters } from '../spec-tables.ts'

const test = about('filters')

const most = 200

const query = (filters: Json): Json => {
  const keyed = groups.map((group) => [filterKey[group], filters])
  return { ...Object.fromEntries(keyed), limit: most }
}

const ask = async (http: Http, filters: Json): Promise<Tables> =>
  tablesOf(await http.table(query(filters)))

/** Rows that satisfied before and after must be in the answer between, unless it is full. */
function checkComplete(before: Json[], got: Json[], after: Json[], fits: (row: Json) => boolean) {
  if (got.length >= most) return
  const still = new Set(after.filter(fits).map(mintOf))
  const found = new Set(got.map(mintOf))
  for (const row of before.filter(fits)) {
    const missing = still.has(mintOf(row)) && !found.has(mintOf(row))
    ensure(!missing, `${mintOf(row)} satisfies the filter but is left out`)
  }
}

const within = (value: number, min: number, max: number): boolean => {
  const slack = 1e-9 * Math.max(1, Math.abs(value))
  return value >= min - slack && value <= max + slack
}

async function checkRange(http: Http, name: string): Promise<void> {
  const value = rowValue[name]
  const before = await ask(http, {})
  const values = allRows(before).map(value)
  skipUnless(values.length > 0, 'no rows')
  const [min, max] = [quantile(values, 0.35), quantile(values, 0.8)]
  for (const range of [{ min }, { max }, { min, max }]) {
    const [low, high] = [range.min ?? -1, range.max ?? Number.MAX_VALUE]
    const got = await ask(http, { [name]: range })
    for (const row of allRows(got)) {
      const ok = within(value(row), low, high)
      ensure(ok, `${mintOf(row)} has ${value(row)}, asked was ${JSON.stringify(range)}`)
    }
    const after = await ask(http, {})
    const fits = (row: Json): boolean => value(row) >= low && value(row) <= high
    for (const group of groups) checkComplete(before[group], got[group], after[group], fits)
  }
}

async function checkInclusive(http: Http, name: string): Promise<void> {
  const [row] = (await ask(http, {})).graduated.concat((await ask(http, {})).new)
  skipUnless(row !== undefined, 'no rows')
  const value = rowValue[name](row)
  const exact = allRows(await ask(http, { [name]: { min: value, max: value } }))
  for (const one of exact) same(rowValue[name](one), value, `${mintOf(one)}: ${name}`)
  ensure(exact.length >= 1, `min = max = ${value} leaves out the token that has it`)
}

const visible = rangeFilters.filter((name) => name in rowValue)

const rangeCases = visible.map((name) =>
  test(`rows satisfy ${name}, and those that do are not left out`, async ({ http }) => {
    await steady(() => checkRange(http, name))
  }),
)

const inclusiveCases = visible
  .filter((name) => wholeNumbers.has(name))
  .map((name) =>
    test(`${name} is inclusive at both ends`, async ({ http }) => {
      await steady(() => checkInclusive(http, name))
    }),
  )

async function rangesFor(world: World, name: string): Promise<[Json, Json]> {
  if (name === 'ageMinutes') return [{ max: 1e7 }, { min: 2, max: 1e6 }]
  const value = rowValue[name]
  if (!value) return [{ min: 0 }, { min: 1, max: 50 }]
  const values = allRows((await world.known()).rows).map(value)
  const [a, b] = [quantile(values, 0.2), quantile(values, 0.9)]
  return [{ min: a }, { min: quantile(values, 0.5), max: b }]
}

/** The subset holds where neither answer is cut by the limit. */
async function checkNarrower(http: Http, name: string, wide: Json, narrow: Json): Promise<void> {
  const before = await ask(http, { [name]: wide })
  const few = await ask(http, { [name]: narrow })
  const after = await ask(http, { [name]: wide })
  for (const group of groups) {
    if (before[group].length >= most || after[group].length >= most) continue
    const all = new Set([...before[group], ...after[group]].map(mintOf))
    for (const row of few[group]) {
      ensure(all.has(mintOf(row)), `${group}: ${mintOf(row)} is only in the narrower answer`)
    }
  }
}

const narrowerCases = rangeFilters.map((name) =>
  test(`a narrower ${name} gives a part of the wider`, async (world) => {
    const [wide, narrow] = await rangesFor(world, name)
    await steady(() => checkNarrower(world.http, name, wide, narrow))
  }),
)

const booleanCases = booleanFilters.map((name) =>
  test(`${name}: true gives a part of the whole, false is absent`, async ({ http }) => {
    await steady(async () => {
      const off = allRows(await ask(http, { [name]: false })).map(mintOf)
      same(off, allRows(await ask(http, {})).map(mintOf), `${name}: false`)
    }, 8)
    await steady(async () => {
      const before = await ask(http, {})
      const on = await ask(http, { [name]: true })
      const after = await ask(http, {})
      for (const group of groups) {
        if (before[group].length >= most || after[group].length >= most) continue
        const all = new Set([...before[group], ...after[group]].map(mintOf))
        for (const row of on[group]) ensure(all.has(mintOf(row)), `${mintOf(row)} is only in part`)
      }
    })
  }),
)

const socialCases = socials.map((name) =>
  test(`socials.${name}: rows have it, and those that do are not left out`, async ({ http }) => {
    await steady(async () => {
      const before = await ask(http, {})
      const got = await ask(http, { socials: { [name]: true } })
      for (const row of allRows(got)) ensure(hasSocial(row, name), `${mintOf(row)} has no ${name}`)
      const after = await ask(http, {})
      const fits = (row: Json): boolean => hasSocial(row, name)
      for (const group of groups) checkComplete(before[group], got[group], after[group], fits)
    })
  }),
)

async function proCounts(http: Http, rows: Json[]): Promise<Map<unknown, number>> {
  const mints = rows.map(mintOf).slice(0, 50)
  if (mints.length === 0) return new Map()
  const tokens = records(await http.get(marketPath('x', mints.join(','))), 'the market data')
  return new Map(tokens.map((token) => [token.mint, num(token, 'pro_traders')]))
}

async function checkAges(http: Http, mint: string, min: number, max: number): Promise<void> {
  const began = await serverNow(http, mint)
  const got = allRows(await ask(http, { ageMinutes: { min, max } }))
  const ended = await serverNow(http, mint)
  for (const row of got) {
    const born = unixAt(row, 'timestamp')
    const [youngest, oldest] = [(began - born) / 60, (ended - born) / 60]
    const ok = oldest >= min - 0.05 && youngest <= max + 0.05
    ensure(ok, `${mintOf(row)} is ${youngest} minutes old, asked was ${min} to ${max}`)
  }
}

export const filterCases: Case[] = [
  ...rangeCases,
  ...inclusiveCases,
  ...narrowerCases,
  ...booleanCases,
  ...socialCases,
  test('rows satisfy ageMinutes, fractions included', async ({ http, known }) => {
    const { mints, rows } = await known()
    const now = await serverNow(http, mints[0])
    const ages = allRows(rows).map((row) => (now - unixAt(row, 'timestamp')) / 60)
    const [low, high] = [quantile(ages, 0.3), quantile(ages, 0.7)]
    for (const [min, max] of [
      [low, high],
      [0, high],
      [low, 1e9],
      [0, 0.5],
    ]) {
      await checkAges(http, mints[0], min, max)
    }
  }),
  test('rows satisfy proTradersAmount as market data shows it', async ({ http }) => {
    await steady(async () => {
      const got = tablesOf(
        await http.table({ ...query({ proTradersAmount: { min: 2 } }), limit: 30 }),
      )
      for (const [mint, pros] of await proCounts(http, allRows(got))) {
        ensure(pros >= 2, `${mint} has ${pros} pro traders, asked were 2`)
      }
      const none = tablesOf(
        await http.table({ ...query({ proTradersAmount: { max: 0 } }), limit: 30 }),
      )
      for (const [mint, pros] of await proCounts(http, allRows(none))) {
        ensure(pros === 0, `${mint} has ${pros} pro traders, asked were none`)
      }
    })
  }),
  test('noXReuses is xReuses of at most 0, and min 1 the rest', async ({ http }) => {
    await steady(async () => {
      const clean = allRows(await ask(http, { noXReuses: true })).map(mintOf)
      same(allRows(await ask(http, { xReuses: { max: 0 } })).map(mintOf), clean, 'the mints')
      const reused = allRows(await ask(http, { xReuses: { min: 1 } }))
      for (const row of reused) ensure(!clean.includes(mintOf(row)), `${mintOf(row)} is in both`)
      for (const row of reused) ensure(hasSocial(row, 'twitter'), `${mintOf(row)} has no X link`)
    }, 8)
  }),
  test('of the rows without reuse no two share an X profile', async ({ http }) => {
    const rows = allRows(await ask(http, { noXReuses: true }))
    const handles = rows.map(handleOf).filter((handle) => handle !== null)
    same(new Set(handles).size, handles.length, 'distinct profiles')
  }),
  test('devSoldAll rows show a creator that holds nothing', async ({ http }) => {
    for (const row of allRows(await ask(http, { devSoldAll: true }))) {
      ensure(num(row, 'creator_holding') <= 1e-9, `${mintOf(row)}: ${row.creator_holding} %`)
    }
  }),
  test('caEndsWithSuffix rows end with the suffix', async ({ http, settings }) => {
    for (const row of allRows(await ask(http, { caEndsWithSuffix: true }))) {
      ensure(mintOf(row).endsWith(settings.suffix), `${mintOf(row)} does not`)
    }
  }),
  test('socials.atLeastOne rows have one of the four', async ({ http }) => {
    for (const row of allRows(await ask(http, { socials: { atLeastOne: true } }))) {
      ensure(
        socials.some((name) => hasSocial(row, name)),
        `${mintOf(row)} has none`,
      )
    }
  }),
  test('several socials are combined with AND', async ({ http }) => {
    const both = { twitter: true, website: true, telegram: false }
    for (const row of allRows(await ask(http, { socials: both }))) {
      const ok = hasSocial(row, 'twitter') && hasSocial(row, 'website')
      ensure(ok, `${mintOf(row)} lacks one`)
    }
  }),
  test('several filters are combined with AND', async ({ http, known }) => {
    const rows = allRows((await known()).rows)
    const [cap, holders] = ['mCapUsd', 'holders'].map((name) =>
      quantile(rows.map(rowValue[name]), 0.4),
    )
    const filters = { mCapUsd: { min: cap }, holders: { min: holders } }
    for (const row of allRows(await ask(http, filters))) {
      const ok = within(num(row, 'market_cap'), cap, 1e300) && num(row, 'holders') >= holders
      ensure(ok, `${mintOf(row)} satisfies only one`)
    }
  }),
  test('empty filters and empty ranges change nothing', async ({ http }) => {
    const bodies: Json[] = [{ holders: {} }, { socials: {} }, { ageMinutes: {} }]
    for (const filters of bodies) {
      await steady(async () => {
        const got = record(await ask(http, filters), 'the tables')
        const all = record(await ask(http, {}), 'the tables')
        for (const group of groups satisfies readonly Group[]) {
          same(
            records(got[group], group).map(mintOf),
            records(all[group], group).map(mintOf),
            group,
          )
        }
      }, 8)
    }
  }),
]
