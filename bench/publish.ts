/**
 * `make bench-charts` writes the newest result of every row into documents: the table as
 * docs/benchmark.md, the charts as docs/charts/*.svg, and out of the same cells the figures of README.md.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { benchmarkDocument } from './benchmark-document.ts'
import { pictures } from './charts/pictures.ts'
import { readmeFigures, withFigures } from './readme-figures.ts'
import { cellsOf, conditionsText } from './result-table.ts'
import { readResults } from './results.ts'
import { ROWS, TITLES } from './rows.ts'

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url))
const README = fileURLToPath(new URL('../README.md', import.meta.url))
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
writeFileSync(README, withFigures(readFileSync(README, 'utf8'), readmeFigures(sections)))
process.stdout.write(
  `docs/benchmark.md, figures of README.md and ${charts.size} charts of ${names.length} rows\n`,
)
