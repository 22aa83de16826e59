import { allRows, tablesOf } from '../discover.ts'
import {
  ensure,
  type Json,
  keysAre,
  num,
  record,
  records,
  same,
  skipUnless,
  steady,
  text,
} from '../expect.ts'
import { about, type Case } from '../harness.ts'
import { type Http, jsonHeaders, parsed, tablePath } from '../http.ts'
import { searchPath } from '../paths.ts'
import { checkDay, checkShape } from '../shape.ts'
import { type Group, groups, memeTablePool } from '../spec-tables.ts'

const test = about('tables')

const keysOf = async (http: Http, body: unknown): Promise<string[]> =>
  Object.keys(record(await http.table(body), 'the tables')).sort()

const descends = (rows: Json[], key: (row: Json) => number | string, what: string): void => {
  for (let i = 1; i < rows.length; i += 1) {
    const [above, below] = [key(rows[i - 1]), key(rows[i])]
    ensure(above >= below, `${what}: row ${i} (${below}) comes after ${above}`)
  }
}

async function migratedAt(http: Http, row: Json): Promise<string | null> {
  const [token] = records(await http.get(searchPath(text(row, 'mint'))), 'the search answer')
  return typeof token?.migration_timestamp === 'string' ? token.migration_timestamp : null
}

const pick = (body: unknown, group: Group): Json[] => tablesOf(body)[group]

const typeCases = groups.map((group) =>
  test(`type ${group} answers only that group, as all does`, async ({ http }) => {
    same(await keysOf(http, { type: group }), [group], 'groups')
    await steady(async () => {
      const alone = pick(await http.table({ type: group }), group).map((row) => row.mint)
      const among = pick(await http.table({ type: 'all' }), group).map((row) => row.mint)
      same(alone, among, 'the mints')
    }, 8)
  }),
)

export const tableCases: Case[] = [
  test('every row has exactly the fields of MemeTablePoolDto', async ({ http }) => {
    for (const row of allRows(tablesOf(await http.table({ limit: 200 })))) {
      checkShape(row, memeTablePool, text(row, 'mint'))
      checkDay(row, text(row, 'mint'))
    }
  }),
  test('missing texts are left out of a row', async ({ http }) => {
    const texts = ['description', 'image', 'discord', 'website', 'telegram', 'video', 'twitter']
    for (const row of allRows(tablesOf(await http.table({ limit: 200 })))) {
      for (const name of texts) ensure(row[name] !== '', `${text(row, 'mint')}: ${name} is empty`)
    }
  }),
  ...typeCases,
  test('without type, with null and with all the three groups are there', async ({ http }) => {
    for (const body of [{}, { type: 'all' }, { type: null }]) {
      same(await keysOf(http, body), [...groups].sort(), `groups for ${JSON.stringify(body)}`)
    }
  }),
  test('a group without matches is an empty array', async ({ http }) => {
    const none = { holders: { min: 1e15 } }
    const body = { newPools: none, completing: none, graduated: none }
    same(await http.table(body), { new: [], completing: [], graduated: [] }, 'the tables')
  }),
  test('50 rows a group at most, unless limit says more', async ({ http }) => {
    await steady(async () => {
      const many = tablesOf(await http.table({ limit: 200 }))
      const usual = tablesOf(await http.table({}))
      for (const group of groups) {
        same(usual[group].length, Math.min(50, many[group].length), `rows of ${group}`)
      }
    })
  }),
  test('limit cuts each group and keeps its order', async ({ http }) => {
    for (const limit of [1, 7, 200]) {
      await steady(async () => {
        const some = tablesOf(await http.table({ limit }))
        const many = tablesOf(await http.table({ limit: 200 }))
        for (const group of groups) {
          const mints = (rows: Json[]): unknown[] => rows.map((row) => row.mint)
          same(mints(some[group]), mints(many[group]).slice(0, limit), `${group} of ${limit}`)
        }
      }, 8)
    }
  }),
  test('limit null is the default', async ({ http }) => {
    for (const rows of Object.values(tablesOf(await http.table({ limit: null })))) {
      ensure(rows.length <= 50, `${rows.length} rows`)
    }
  }),
  test('new is ordered by creation, newest first', async ({ http }) => {
    const rows = pick(await http.table({ type: 'new', limit: 200 }), 'new')
    descends(rows, (row) => text(row, 'timestamp'), 'new')
  }),
  test('completing is ordered by pct_completion, then newest first', async ({ http }) => {
    const rows = pick(await http.table({ type: 'completing', limit: 200 }), 'completing')
    descends(rows, (row) => num(row, 'pct_completion'), 'completing')
    for (let i = 1; i < rows.length; i += 1) {
      const [above, below] = [rows[i - 1], rows[i]]
      if (above.pct_completion !== 100 || below.pct_completion !== 100) continue
      descends([above, below], (row) => text(row, 'timestamp'), 'complete tokens')
    }
  }),
  test('graduated is ordered by migration, newest first', async ({ http }) => {
    const rows = pick(await http.table({ type: 'graduated', limit: 12 }), 'graduated')
    skipUnless(rows.length > 1, 'fewer than two graduated tokens')
    const times: string[] = []
    for (const row of rows) {
      const time = await migratedAt(http, row)
      if (time !== null) times.push(time)
    }
    same(times, [...times].sort().reverse(), 'the migration times')
  }),
  test('no token is in two groups', async ({ http }) => {
    const mints = allRows(tablesOf(await http.table({ limit: 200 }))).map((row) => row.mint)
    same(new Set(mints).size, mints.length, 'distinct mints')
  }),
  test('completing is further along than new, graduated has arrived', async ({ http }) => {
    const tables = tablesOf(await http.table({ limit: 200 }))
    const share = (row: Json): number => num(row, 'pct_completion')
    const highest = Math.max(0, ...tables.new.map(share))
    const lowest = Math.min(100, ...tables.completing.map(share))
    ensure(highest <= lowest, `new reaches ${highest}, completing starts at ${lowest}`)
    for (const row of tables.graduated) same(share(row), 100, `${row.mint}: pct_completion`)
  }),
  test('null means absent everywhere in the body', async ({ http }) => {
    const empty = { holders: null, devSoldAll: null, socials: null, ageMinutes: { min: null } }
    const socials = { socials: { twitter: null, atLeastOne: null } }
    for (const body of [{ newPools: null }, { newPools: empty }, { completing: socials }]) {
      keysAre(record(await http.table(body), 'the tables'), [...groups], JSON.stringify(body))
    }
  }),
  test('filters of one group leave the others alone', async ({ http }) => {
    await steady(async () => {
      const some = tablesOf(await http.table({ newPools: { holders: { min: 1e15 } }, limit: 5 }))
      const all = tablesOf(await http.table({ limit: 5 }))
      same(some.new, [], 'new')
      const mints = (rows: Json[]): unknown[] => rows.map((row) => row.mint)
      for (const group of ['completing', 'graduated'] as const) {
        same(mints(some[group]), mints(all[group]), group)
      }
    }, 8)
  }),
  test('the alias caEndsWithPump is accepted', async ({ http, known }) => {
    await known()
    await steady(async () => {
      const ask = async (name: string): Promise<unknown[]> =>
        allRows(tablesOf(await http.table({ newPools: { [name]: true } }))).map((row) => row.mint)
      same(await ask('caEndsWithPump'), await ask('caEndsWithSuffix'), 'the mints')
    }, 8)
  }),
  test('a charset beside the content type is accepted', async ({ http }) => {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const answer = await http.ask(tablePath, { method: 'POST', headers, body: '{}' })
    same(answer.status, 200, 'status')
  }),
  test('a body sent in chunks without a length is accepted', async ({ http }) => {
    const how = { method: 'POST', headers: jsonHeaders, body: '{"type":"new"}', chunked: true }
    const answer = await http.ask(tablePath, how)
    same(answer.status, 200, 'status')
    keysAre(record(parsed(answer), 'the tables'), ['new'], 'the tables')
  }),
  test('a body of exactly 16 KiB is accepted', async ({ http }) => {
    const body = '{}'.padEnd(16 * 1024)
    const answer = await http.ask(tablePath, { method: 'POST', headers: jsonHeaders, body })
    same(answer.status, 200, 'status')
  }),
]
