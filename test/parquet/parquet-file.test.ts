import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Column, GROUP_ROWS } from '../../src/parquet/columns.ts'
import { ParquetFile } from '../../src/parquet/parquet-file.ts'
import { byLength } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'
import { DUCK, duck } from './duck.ts'

interface Values {
  readonly amount: bigint
  readonly count: number
  readonly price: number
  readonly is: boolean
  readonly text: string | null
  readonly at: number | null
}

const COLUMNS: readonly Column<Values>[] = [
  { name: 'amount', kind: 'u64', read: (row) => row.amount },
  { name: 'count', kind: 'u32', read: (row) => row.count },
  { name: 'price', kind: 'double', read: (row) => row.price },
  { name: 'is', kind: 'boolean', read: (row) => row.is },
  { name: 'text', kind: 'text', read: (row) => row.text },
  { name: 'at', kind: 'time', read: (row) => row.at },
]

/** Writes rows, each of which is one object that changes, as readers of the engine do. */
function written(rows: Iterable<Values>): string {
  const path = join(newFolder(), 'file.parquet')
  const file = new ParquetFile(path, COLUMNS)
  for (const row of rows) file.add(row)
  file.finish()
  file.close()
  return path
}

const withDuck = test.skipIf(DUCK === null)

withDuck('whatever values are written are read', async () => {
  const row = fc.record<Values>({
    amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    count: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    price: fc.double(),
    is: fc.boolean(),
    text: fc.option(fc.string({ unit: 'binary' })),
    at: fc.option(fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  })
  const some = fc.array(row, { minLength: 1, maxLength: 200, size: 'max' })
  const check = fc.asyncProperty(some, async (rows) => {
    const found = await duck().rows(`SELECT * FROM read_parquet('${written(rows)}')`)
    const wanted = rows.map((each) => ({
      ...each,
      price: Number.isFinite(each.price) ? each.price : 0,
      text: each.text?.toWellFormed() ?? null,
      at: each.at === null ? null : new Date(each.at * 1_000),
    }))
    expect(found).toEqual(wanted)
  })
  await fc.assert(check, { numRuns: byLength(8, 500) })
})

withDuck(
  'each value is found by what it is, whatever the file says of least and greatest',
  async () => {
    const amounts = [0n, 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]
    const texts = [
      '',
      'a',
      'é',
      '\uffee',
      '🚀',
      `${'long '.repeat(9)}🚀`,
      `${'long '.repeat(9)}\uffee`,
    ]
    const rows = texts.flatMap((text) =>
      amounts.map((amount) => ({
        amount,
        text,
        count: 2 ** 32 - 1,
        price: -0,
        is: true,
        at: 2 ** 32 - 1,
      })),
    )
    const path = written(rows)
    for (const amount of amounts)
      for (const text of texts) {
        const found = await duck().rows(
          `SELECT amount, text FROM read_parquet('${path}')
         WHERE amount = ${amount}::UBIGINT AND text = '${text}' AND count = 4294967295`,
        )
        expect(found).toEqual([{ amount, text }])
      }
  },
)

withDuck('rows are written in groups, and the same rows make the same bytes', async () => {
  const count = 2 * GROUP_ROWS + 1_000
  const rows = function* () {
    const row = { amount: 0n, count: 0, price: 0, is: false, text: '', at: 0 }
    for (let i = 0; i < count; i++) {
      const values = {
        amount: BigInt(i),
        count: i,
        price: i / 7,
        is: i % 3 === 0,
        text: `t${i % 99}`,
      }
      yield Object.assign(row, values, { at: i })
    }
  }
  const path = written(rows())
  const groups = await duck().rows(
    `SELECT DISTINCT row_group_id AS id, row_group_num_rows AS n, compression
     FROM parquet_metadata('${path}') ORDER BY id`,
  )
  expect(groups.map(({ n, compression }) => [n, compression])).toEqual([
    [BigInt(GROUP_ROWS), 'ZSTD'],
    [BigInt(GROUP_ROWS), 'ZSTD'],
    [1_000n, 'ZSTD'],
  ])
  expect(
    await duck().row(
      `SELECT sum(amount) AS amount, sum(count) AS count, max(price) AS price,
         count(*) FILTER (WHERE "is") AS "is", count(DISTINCT text) AS texts, max(epoch_ms("at")) AS ms
       FROM read_parquet('${path}')`,
    ),
  ).toEqual({
    ...{
      amount: (BigInt(count) * BigInt(count - 1)) / 2n,
      count: (BigInt(count) * BigInt(count - 1)) / 2n,
    },
    ...{ price: (count - 1) / 7, is: BigInt(Math.ceil(count / 3)), texts: 99n },
    ms: BigInt(count - 1) * 1_000n,
  })
  expect(readFileSync(written(rows())).equals(readFileSync(path))).toBe(true)
})

test('a group is in the file before the next one begins', () => {
  const path = join(newFolder(), 'file.parquet')
  const file = new ParquetFile(path, COLUMNS)
  const row = { amount: 1n, count: 1, price: 1, is: true, text: 'text', at: 1 }
  const sizes: number[] = []
  for (let i = 0; i < 3 * GROUP_ROWS; i++) {
    file.add({ ...row, amount: BigInt(i) * 0x9e37_79b9n })
    if (i % GROUP_ROWS === GROUP_ROWS - 2) sizes.push(statSync(path).size)
  }
  file.close()
  expect(sizes[0]).toBe(0)
  expect(sizes[1]).toBeGreaterThan(GROUP_ROWS)
  expect(sizes[2]).toBeGreaterThan(2 * GROUP_ROWS)
})
