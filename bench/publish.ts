/**
 * `make bench-charts` writes the newest result of every row into docs: the table as
 * docs/benchmark.md, the charts as docs/charts/*.svg.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { benchmarkDocument } from './benchmark-document.ts'
import { pictures } from './charts/pictures.ts'
import { cellsOf, conditionsText } from './result-table.ts'
import { readResults } from './results.ts'
import { ROWS, TITLES } from './rows.ts'

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url))
const CHARTS = `${DOCS}charts/`

const all = readResults()
const names = Object.keys(ROWS).filter((name) => Object.hasOwn(all, name))
const results = Object.fromEntries(names.map((name) => [name, all[name]]))

rmSync(CHARTS, { recursive: true, force: true })
mkdirSync(CHARTS, { recursive: true })
const charts = pictures(results)
for (const [name, svg] of charts) writeFileSync(`${CHARTS}${name}`, svg)

const sections = names.map((name) => ({
  name,
  title: TITLES[name],
  cells: cellsOf(name, results[name]),
  conditions: conditionsText(results[name]),
}))
writeFileSync(`${DOCS}benchmark.md`, benchmarkDocument([...charts.keys()], sections))
process.stdout.write(`docs/benchmark.md and ${charts.size} charts of ${names.length} rows\n`)
