#!/bin/sh
# hyparquet-writer 0.17.0 (the newest in November 2026), read by DuckDB 1.5.6 (@duckdb/node-api 1.5.6-r.1).
#
# A column whose schema has the logical type INTEGER, as the format wants it for unsigned integers, makes a file that DuckDB
# refuses: the footer has the bit width as an i32, where parquet.thrift says i8. The library's own reader takes it, so a
# round trip in JavaScript is green, and the whole file, every column of it, is lost to others. The converted type
# (UINT_64) alone is written right.
#
# Seen: with the logical type DuckDB says that the footer is invalid, and hyparquet reads the value; with the converted type
# alone both read it. Exits 1 if that has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > npm.log
npm install --ignore-scripts --no-audit --no-fund hyparquet-writer@0.17.0 hyparquet@1.31.5 \
  @duckdb/node-api@1.5.6-r.1 >> npm.log 2>&1
cat > look.mjs << 'JS'
import { writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'

const VALUE = 2n ** 64n - 1n
const connection = await (await DuckDBInstance.create()).connect()

async function seen(name, element) {
  const file = parquetWriteBuffer({
    columnData: [{ name: 'amount', data: [VALUE] }],
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'amount', type: 'INT64', repetition_type: 'REQUIRED', ...element },
    ],
  })
  writeFileSync('file.parquet', new Uint8Array(file))
  const [{ amount }] = await parquetReadObjects({ file })
  const duck = await connection.runAndReadAll("SELECT amount FROM 'file.parquet'").then(
    (reader) => String(reader.getRows()[0][0]),
    (error) => error.message.split('\n')[0],
  )
  console.log(`${name}: hyparquet reads ${amount}, DuckDB: ${duck}`)
  return { own: amount === VALUE, duck: duck === String(VALUE) }
}

const integer = { type: 'INTEGER', bitWidth: 64, isSigned: false }
const logical = await seen('logical type', { logical_type: integer })
const converted = await seen('converted type alone', { converted_type: 'UINT_64' })
process.exit(logical.own && !logical.duck && converted.own && converted.duck ? 0 : 1)
JS
node look.mjs 2> node.log || { cat node.log; exit 1; }
