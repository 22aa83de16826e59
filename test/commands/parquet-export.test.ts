import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRecord } from '../../src/base/json-access.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent, Swap } from '../../src/events/event.ts'
import { RESOLUTIONS, type Resolution } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { LENGTH } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { DUCK, duck } from '../parquet/duck.ts'
import { exported, exportInto, parquetsOf } from '../parquet/exported.ts'
import { RECORDED_DAYS, recordedFolder } from '../parquet/recorded-folder.ts'
import { sourceFiles } from '../tidy/source-files.ts'
import { ask, Run } from './folders.ts'

const [FIRST_DAY, SECOND_DAY] = RECORDED_DAYS

/** In the short form one that is stored as it is, two that are folded, and one of several days. */
const SHOWN: readonly Resolution[] = LENGTH === 'whole' ? RESOLUTIONS : ['1S', '5', '60', '1W']

const withDuck = test.skipIf(DUCK === null)

const tableOf = (out: string, what: string) =>
  `read_parquet('${out}/what=${what}/**/*.parquet', hive_partitioning = true)`

/** The API on an engine. */
const apiOf = (engine: Engine) => new EngineQueries(engine, () => {})

function isSwap(event: FeedEvent): event is Swap {
  return event.type === 'swap'
}

/** Of an object of JSON, the number of a key. */
function numberOf(value: unknown, key: string): number {
  const found = isRecord(value) ? value[key] : undefined
  if (typeof found !== 'number') throw new Error(`${key} is no number: ${String(found)}`)
  return found
}

const secondsOf = (text: unknown) => Date.parse(`${String(text).replace(' ', 'T')}Z`) / 1_000

/** A value of DuckDB as JSON of the API has it. */
function asAnswered(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Date ? value.toISOString().slice(0, 19).replace('T', ' ') : value
}

withDuck('swaps of a simulated market have the sums of the API to the last digit', async () => {
  const { folder, events, engine } = recordedFolder()
  const table = tableOf(await exported(folder, 'swaps'), 'swaps')
  const api = apiOf(engine)
  const rows = await duck().rows(
    `SELECT mint, count(*) AS swaps, sum(base_raw) AS base, sum(quote_raw) AS quote,
       sum(volume_micro_usd) AS micro_usd, count(DISTINCT signature) AS signatures
     FROM ${table} GROUP BY mint ORDER BY mint`,
  )
  const wanted = new Map<string, { swaps: bigint; base: bigint; quote: bigint }>()
  for (const { mint, baseRaw, quoteRaw } of events.filter(isSwap)) {
    const sums = wanted.get(mint) ?? { swaps: 0n, base: 0n, quote: 0n }
    sums.swaps += 1n
    sums.base += baseRaw
    sums.quote += quoteRaw
    wanted.set(mint, sums)
  }
  expect(rows.length).toBe(wanted.size)
  expect(rows.length).toBeGreaterThan(30)
  for (const { mint, micro_usd, signatures, ...sums } of rows) {
    const detail: unknown = JSON.parse(api.detail(String(mint)) ?? '')
    expect(sums).toEqual(wanted.get(String(mint)))
    expect(Number(sums.swaps)).toBe(numberOf(detail, 'swaps'))
    expect(signatures).toBeLessThanOrEqual(Number(sums.swaps))
    expect(Number(micro_usd) / 1e6).toBe(numberOf(detail, 'volume'))
  }
})

withDuck('each swap has the values that the API has for it, in its order', async () => {
  const { folder, engine } = recordedFolder()
  const table = tableOf(await exported(folder, 'swaps'), 'swaps')
  const api = apiOf(engine)
  const [{ mint } = { mint: '' }] = await duck().rows(
    `SELECT mint FROM ${table} GROUP BY mint ORDER BY count(*) DESC, mint LIMIT 1`,
  )
  const rows = await duck().rows(
    `SELECT * FROM ${table} WHERE mint = '${mint}' ORDER BY slot DESC, tx_index DESC, ordinal DESC`,
  )
  expect(rows.length).toBeGreaterThan(500)
  const answered: unknown[] = []
  for (let page = 1; answered.length < rows.length; page++) {
    const { items }: { items: unknown[] } = JSON.parse(
      api.swaps(String(mint), null, { page, limit: 200, extra: true }),
    )
    answered.push(...items)
  }
  for (const [i, row] of rows.entries()) {
    const item = answered[i]
    if (!isRecord(item)) throw new Error('a swap is an object')
    const { chain_fee, platform_fee, creator_fee, lp_fee, cashback, ...same } = item
    const { base_balance_before, base_balance_after, ...others } = same
    const found = Object.fromEntries(Object.keys(others).map((key) => [key, asAnswered(row[key])]))
    expect(found).toEqual(others)
    const units = 10 ** Number(row.quote_decimals)
    const tokens = 10 ** Number(row.base_decimals)
    expect(Number(row.base_raw) / tokens).toBe(item.base_mint_amount)
    expect(Number(row.chain_fee_raw) / 1e9).toBe(chain_fee)
    expect(Number(row.platform_fee_raw) / units).toBe(platform_fee)
    expect(Number(row.creator_fee_raw) / units).toBe(creator_fee)
    expect(Number(row.lp_fee_raw) / units).toBe(lp_fee)
    expect(Number(row.cashback_raw) / units).toBe(cashback)
    expect(Number(row.base_balance_before_raw) / tokens).toBe(base_balance_before)
    expect(Number(row.base_balance_after_raw) / tokens).toBe(base_balance_after)
  }
})

withDuck.each(SHOWN)('candles of resolution %s are those of the chart', async (resolution) => {
  const { folder, engine } = recordedFolder()
  const out = await exported(folder, 'candles', '--resolution', resolution)
  const rows = await duck().rows(
    `SELECT *, strftime(timezone('UTC', time), '%Y-%m-%d') AS opens FROM ${tableOf(out, 'candles')}
     ORDER BY mint, time`,
  )
  const api = apiOf(engine)
  const mints = new Set(rows.map(({ mint }) => String(mint)))
  expect(mints.size).toBeGreaterThan(30)
  const wanted = [...mints].sort().flatMap((mint) => {
    const bars: Record<string, number[]> = JSON.parse(
      api.chart({
        ...{ mint, resolution, from: 0, to: engine.state.now, countback: 5_000 },
        ...{ continuous: false, fill: 'none', udf: false },
      }),
    )
    const { t = [], o = [], h = [], l = [], c = [], v = [], v_sol = [], o_sol = [] } = bars
    return t.map((time, i) => [mint, time, o[i], h[i], l[i], c[i], v[i], v_sol[i], o_sol[i]])
  })
  const found = rows.map((row) => [
    ...[row.mint, Number(row.time) / 1_000, row.open, row.high, row.low, row.close],
    ...[row.volume_usd, row.volume_sol, row.open_sol],
  ])
  expect(found.length).toBeGreaterThanOrEqual(mints.size)
  expect(found).toEqual(wanted)
  for (const { opens, day, volume_usd, volume_micro_usd } of rows) {
    expect(day instanceof Date ? day.toISOString().slice(0, 10) : day).toBe(opens)
    expect(Number(volume_micro_usd) / 1e6).toBe(volume_usd)
  }
})

withDuck('tokens have the values of the API as of the end', async () => {
  const { folder, engine } = recordedFolder()
  const table = tableOf(await exported(folder, 'tokens'), 'tokens')
  const rows = await duck().rows(`SELECT * FROM ${table}`)
  expect(rows.length).toBe(engine.state.tokens.count)
  const api = apiOf(engine)
  for (const row of rows) {
    const detail: unknown = JSON.parse(api.detail(String(row.mint)) ?? '')
    if (!isRecord(detail)) throw new Error('a token is an object')
    const { creator_history, ...all } = detail
    const shared = Object.entries(all).filter(([key]) => key in row)
    expect(shared.length).toBeGreaterThan(55)
    // Missing text is "" in the API.
    const found = shared.map(([key]) => [key, asAnswered(row[key]) ?? (row[key] === null ? '' : 0)])
    const wanted = shared.map(([key, value]) => [key, value ?? ''])
    expect(found).toEqual(wanted)
    expect(Number(row.volume_micro_usd) / 1e6).toBe(detail.volume)
  }
})

withDuck('traders have the PnL and every other field of the API', async () => {
  const { folder, engine } = recordedFolder()
  const table = tableOf(await exported(folder, 'traders'), 'traders')
  const rows = await duck().rows(`SELECT * FROM ${table} ORDER BY mint, pnl DESC, wallet`)
  const api = apiOf(engine)
  const mints = [...new Set(rows.map(({ mint }) => String(mint)))]
  const wanted = mints.flatMap((mint) => {
    const items: Record<string, unknown>[] = []
    for (let page = 1, total = 1; items.length < total; page++) {
      const answer = JSON.parse(
        api.tokenTraders(mint, { page, limit: 200, orderBy: 'pnl', direction: 'desc' }),
      )
      total = answer.total
      items.push(...answer.items)
    }
    return items
  })
  expect(wanted.length).toBeGreaterThan(500)
  expect(rows.length).toBe(wanted.length)
  const byKey = new Map(wanted.map((item) => [`${item.mint} ${item.wallet}`, item]))
  for (const row of rows) {
    const item = byKey.get(`${row.mint} ${row.wallet}`) ?? {}
    const found = Object.keys(item).map((key) => {
      const value = row[key]
      return [key, value instanceof Date ? value.getTime() / 1_000 : asAnswered(value)]
    })
    expect(
      found.map(([key, value]) => [key, value === null && key === 'image' ? null : value]),
    ).toEqual(Object.entries(item))
    expect(Number(row.holding_raw) / 1e6).toBe(item.holding_amount)
    expect(Number(row.bought_raw) / 1e6).toBe(item.bought_tokens)
    expect(Number(row.sold_raw) / 1e6).toBe(item.sold_tokens)
  }
})

const U64_MAX = 2n ** 64n - 1n

withDuck('amounts from 2^63 on, texts of any script and times come back as they are', async () => {
  const folder = newFolder()
  const name = 'ﬁ 🚀\ud800 "x"'
  new Run(folder, { fsync: 'off' })
    .take([
      created({ name, tokenProgram: 'program', supplyRaw: U64_MAX }),
      swap({ baseRaw: U64_MAX, quoteRaw: 2n ** 63n, virtualBaseRaw: 2n ** 63n + 1n }),
      swap({ baseRaw: 2n ** 63n, quoteRaw: 2n ** 53n + 1n }),
      swap({ baseRaw: 1n, quoteRaw: 1n }),
    ])
    .close()
  const swaps = tableOf(await exported(folder, 'swaps'), 'swaps')
  expect(
    await duck().row(
      `SELECT sum(base_raw) AS base, max(base_raw) AS most, max(quote_raw) AS quote,
         max(virtual_base_raw) AS virtual, min(epoch_ms(timestamp)) AS ms FROM ${swaps}`,
    ),
  ).toEqual({
    ...{ base: U64_MAX + 2n ** 63n + 1n, most: U64_MAX, quote: 2n ** 63n },
    ...{ virtual: 2n ** 63n + 1n, ms: BigInt(START_SECOND + 4) * 1_000n },
  })
  // Readers leave out row groups by the least and the greatest value that the file says they have.
  for (const [condition, count] of [
    ['base_raw >= 9223372036854775808', 2n],
    ['base_raw = 18446744073709551615', 1n],
    ['base_raw < 2', 1n],
    ['quote_raw = 9007199254740993', 1n],
  ])
    expect(await duck().row(`SELECT count(*) AS n FROM ${swaps} WHERE ${condition}`)).toEqual({
      n: count,
    })
  const tokens = tableOf(await exported(folder, 'tokens'), 'tokens')
  expect(await duck().row(`SELECT name, supply_raw, image FROM ${tokens}`)).toEqual({
    ...{ name: 'ﬁ 🚀\ufffd "x"', supply_raw: U64_MAX, image: null },
  })
  const named = `SELECT count(*) AS n FROM ${tokens} WHERE name = 'ﬁ 🚀\ufffd "x"'`
  expect(await duck().row(named)).toEqual({ n: 1n })
})

withDuck('every column has the type of its values', async () => {
  const { folder } = recordedFolder()
  const kinds: Record<string, string[]> = {}
  for (const what of ['swaps', 'candles', 'tokens', 'traders']) {
    const out = await exported(folder, what)
    for (const { column_name, column_type } of await duck().rows(
      `DESCRIBE SELECT * FROM ${tableOf(out, what)}`,
    )) {
      kinds[String(column_type)] ??= []
      kinds[String(column_type)]?.push(`${what}.${column_name}`)
    }
  }
  expect(Object.keys(kinds).sort()).toEqual(
    [
      'BIGINT',
      'BOOLEAN',
      'DATE',
      'DOUBLE',
      'TIMESTAMP WITH TIME ZONE',
      'UBIGINT',
      'UINTEGER',
      'VARCHAR',
    ].sort(),
  )
  const { UBIGINT = [], DATE = [], BIGINT } = kinds
  // It is of the path.
  expect(BIGINT).toEqual(['candles.resolution'])
  expect(UBIGINT.every((column) => /_raw$|slot$|_micro_usd$|_lamports$/.test(column))).toBe(true)
  expect(DATE).toEqual(['swaps.day', 'candles.day', 'tokens.day', 'traders.day'])
  const times = kinds['TIMESTAMP WITH TIME ZONE'] ?? []
  expect(times).toContain('swaps.timestamp')
  expect(times).toContain('traders.first_buy_ts')
  expect(times).toContain('tokens.migration_timestamp')
  for (const column of ['swaps.base_raw', 'candles.volume_lamports', 'traders.holding_raw'])
    expect(UBIGINT).toContain(column)
})

test('--from is the first day and --to the first left out', async () => {
  const { folder } = recordedFolder()
  const daysOf = async (...flags: string[]) =>
    parquetsOf(await exported(folder, 'swaps', ...flags)).map(
      (name) => /day=([^/]+)/.exec(name)?.[1],
    )
  expect(await daysOf()).toEqual([FIRST_DAY, SECOND_DAY])
  expect(await daysOf('--from', FIRST_DAY, '--to', SECOND_DAY)).toEqual([FIRST_DAY])
  expect(await daysOf('--from', SECOND_DAY)).toEqual([SECOND_DAY])
  expect(await daysOf('--to', SECOND_DAY)).toEqual([FIRST_DAY])
  expect(await daysOf('--to', FIRST_DAY)).toEqual([])
  expect(await daysOf('--from', SECOND_DAY, '--to', SECOND_DAY)).toEqual([])
})

withDuck('--from and --to choose tokens by creation, traders by their last trade', async () => {
  const { folder } = recordedFolder()
  const countOf = async (what: string, ...flags: string[]) => {
    const out = await exported(folder, what, ...flags)
    expect(parquetsOf(out)).toEqual([`what=${what}/day=${SECOND_DAY}/part-0.parquet`])
    return (await duck().row(`SELECT count(*) AS n FROM ${tableOf(out, what)}`)).n
  }
  const all = tableOf(await exported(folder, 'tokens'), 'tokens')
  const wanted = (column: string, table: string, sign: string) =>
    duck().row(
      `SELECT count(*) AS n FROM ${table} WHERE epoch(${column}) ${sign} ${secondsOf(
        `${SECOND_DAY} 00:00:00`,
      )}`,
    )
  const before = await wanted('created_on', all, '<')
  const after = await wanted('created_on', all, '>=')
  expect([Number(before.n), Number(after.n)].every((count) => count > 0)).toBe(true)
  expect(await countOf('tokens', '--to', SECOND_DAY)).toBe(before.n)
  expect(await countOf('tokens', '--from', SECOND_DAY)).toBe(after.n)
  const traders = tableOf(await exported(folder, 'traders'), 'traders')
  const active = await wanted('last_active_ts', traders, '>=')
  expect(Number(active.n)).toBeGreaterThan(0)
  expect(await countOf('traders', '--from', SECOND_DAY)).toBe(active.n)
  expect(await countOf('tokens', '--from', '2027-01-01')).toBe(0n)
})

test('a folder without a journal, and output that cannot be written, end with 3 and a sentence', async () => {
  const empty = await exportInto(join(newFolder(), 'out'), newFolder(), 'tokens')
  expect(empty).toMatchObject({ code: 3, errors: expect.stringContaining('nothing to export') })
  const { folder } = recordedFolder()
  const file = join(newFolder(), 'file')
  fs.writeFileSync(file, '')
  const { code, errors } = await exportInto(file, folder, 'tokens')
  expect(code).toBe(3)
  expect(errors).toMatch(/^mintfeed: --out is "[^"]+", which cannot be written: [^\n]+\n$/)
})

test('each option that cannot be used is one sentence, and nothing is written', async () => {
  const folder = newFolder()
  new Run(folder, { fsync: 'off' }).take([created({ tokenProgram: 'program' }), swap()]).close()
  const parquet = ['--format', 'parquet']
  const whole = [...parquet, '--what', 'swaps', '--out', join(newFolder(), 'out')]
  const wrong: readonly (readonly [string[], string])[] = [
    [['--format', 'csv'], '--format is "csv"; it must be lines or parquet.'],
    [['--what', 'swaps'], '--what needs --format parquet.'],
    [['--again'], '--again needs --format parquet.'],
    [['--resolution', '1'], '--resolution needs --format parquet.'],
    [[...parquet, '--out', 'x'], '--what is ""; it must be swaps, candles, tokens or traders.'],
    [
      [...parquet, '--what', 'all'],
      '--what is "all"; it must be swaps, candles, tokens or traders.',
    ],
    [
      [...parquet, '--what', 'swaps'],
      '--out is missing: name the folder that the files are to be in.',
    ],
    [[...whole, '--resolution', '1'], '--resolution is of candles; --what is swaps.'],
    [
      [...parquet, '--what', 'candles', '--out', 'x', '--resolution', '2'],
      `--resolution is "2"; it must be ${RESOLUTIONS.slice(0, -1).join(', ')} or 1M.`,
    ],
    [
      [...whole, '--from', '100'],
      '--from is "100"; of parquet it must be a day (UTC) like 2026-11-29.',
    ],
    [
      [...whole, '--to', '2026-02-30'],
      '--to is "2026-02-30"; of parquet it must be a day (UTC) like 2026-11-29.',
    ],
    [
      [...whole, '--from', '2026-11-21', '--to', '2026-11-20'],
      '--from is behind --to: the day of --from is the first, that of --to the first left out.',
    ],
  ]
  for (const [flags, sentence] of wrong) {
    const asked = await ask('export', '--data-dir', folder, ...flags)
    expect(asked).toEqual({ code: 2, output: '', errors: `mintfeed: ${sentence}\n` })
  }
  expect(fs.existsSync(whole.at(-1) ?? '')).toBe(false)
})

test('nothing but the export of Parquet loads the library', () => {
  const source = sourceFiles('src')
  const naming = (text: string) =>
    source.filter((file) => file.text.includes(text)).map(({ path }) => path)
  expect(naming("'hyparquet-writer'")).toEqual(['src/parquet/parquet-file.ts'])
  const outside = source.filter(
    ({ path, imports }) =>
      !path.startsWith('src/parquet/') && imports.some((each) => each.startsWith('src/parquet/')),
  )
  expect(outside.map(({ path }) => path)).toEqual(['src/commands/parquet-export.ts'])
  expect(naming('parquet-export.ts')).toEqual(['src/commands/export.ts'])
  const [named] = source.filter(({ path }) => path === 'src/commands/export.ts')
  expect(named?.text).toContain("await import('./parquet-export.ts')")
})
