import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'

const RESULTS = fileURLToPath(new URL('./results/', import.meta.url))
const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** One line of a table: what was measured, ours, and the peer of the same run if there is one. */
export interface Row {
  readonly what: string
  readonly ours: number
  readonly unit: string
  readonly peer?: number
  /** Median of ours / peer over the pairs of rounds. */
  readonly ratio?: number
  /** (greatest − least) / median of the rounds. */
  readonly spreadPercent?: number
}

export interface Report {
  readonly name: string
  /** What stands beside the figures: sizes, rounds, the peer. */
  readonly how: string
  readonly rows: readonly Row[]
}

export interface Conditions {
  readonly node: string
  readonly cpu: string
  readonly cores: number
  readonly commit: string
  readonly isTreeChanged: boolean
  readonly loadBefore: number
  readonly date: string
}

/** Call it before the measuring, so that the load is that of others. */
export function readConditions(): Conditions {
  const processors = cpus()
  return {
    node: process.version,
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    commit: git('rev-parse', '--short', 'HEAD'),
    isTreeChanged: git('status', '--porcelain', '--', 'src') !== '',
    loadBefore: Math.round(loadavg()[0] * 100) / 100,
    date: new Date().toISOString(),
  }
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

/** Prints the table and keeps it as JSON in bench/results. */
export function publish(report: Report, conditions: Conditions): void {
  const { node, cpu, cores, commit, isTreeChanged, loadBefore } = conditions
  const state = isTreeChanged ? ' with changes in src' : ''
  const lines = [
    '',
    `${report.name}: ${report.how}`,
    `node ${node}, ${cores} × ${cpu}, commit ${commit}${state}, load before ${loadBefore}`,
    tableOf(report.rows),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  mkdirSync(RESULTS, { recursive: true })
  const json = JSON.stringify({ conditions, ...report }, null, 2)
  writeFileSync(`${RESULTS}${report.name}.json`, `${json}\n`)
}

function tableOf(rows: readonly Row[]): string {
  const cells = [
    ['what', 'ours', 'peer', 'ratio', 'spread', 'unit'],
    ...rows.map((row) => [
      row.what,
      shown(row.ours),
      shown(row.peer),
      shown(row.ratio),
      row.spreadPercent === undefined ? '' : `${row.spreadPercent.toFixed(0)} %`,
      row.unit,
    ]),
  ]
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)))
  return cells.map((row) => row.map((cell, i) => padded(cell, widths[i], i)).join('  ')).join('\n')
}

/** Texts to the left, numbers to the right. */
function padded(cell: string, width: number, column: number): string {
  return column === 0 || column === 5 ? cell.padEnd(width) : cell.padStart(width)
}

function shown(value: number | undefined): string {
  if (value === undefined) return ''
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(3)
}
