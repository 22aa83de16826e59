/**
 * `make bench-charts` writes the newest result of every row into docs: the table as
 * docs/benchmark.md, the charts as docs/charts/*.svg.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { pictures } from './charts/pictures.ts'
import { COLUMNS, cellsOf, conditionsText } from './result-table.ts'
import { readResults } from './results.ts'
import { ROWS } from './rows.ts'

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url))
const CHARTS = `${DOCS}charts/`

const all = readResults()
const names = Object.keys(ROWS).filter((name) => Object.hasOwn(all, name))
const results = Object.fromEntries(names.map((name) => [name, all[name]]))

rmSync(CHARTS, { recursive: true, force: true })
mkdirSync(CHARTS, { recursive: true })
const charts = pictures(results)
for (const [name, svg] of charts) writeFileSync(`${CHARTS}${name}`, svg)

const cells = names.flatMap((name) => cellsOf(name, results[name]))
const markdownRow = (row: readonly string[]) =>
  `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const lines = [
  '# Benchmark: the newest result of each row',
  '',
  'Written by `make bench-charts` out of what `make bench` measured; do not edit. What the rows measure, how, and',
  'what they do not show: [bench/README.md](../bench/README.md). Rows marked late have no figures: their driver was late.',
  '',
  ...[...charts.keys()].map((name) => `![${name.replace('.svg', '')}](charts/${name})\n`),
  markdownRow(COLUMNS),
  `|${COLUMNS.map((_, i) => (i >= 2 && i <= 5 ? '---:' : '---')).join('|')}|`,
  ...cells.map(markdownRow),
  '',
  'Measured under:',
  '',
  ...names.map((name) => `- ${name}: ${conditionsText(results[name])}`),
  '',
]
writeFileSync(`${DOCS}benchmark.md`, lines.join('\n'))
process.stdout.write(`docs/benchmark.md and ${charts.size} charts of ${names.length} rows\n`)
