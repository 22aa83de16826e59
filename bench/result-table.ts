import { type Goal, type Line, verdictOf } from './line.ts'
import type { RowResult } from './results.ts'
import { settings } from './settings.ts'

export const COLUMNS = [
  '',
  'what',
  'ours',
  'peer',
  'ratio',
  'spread',
  'unit',
  'goal',
  'verdict',
  'what saturated',
] as const
/** Columns of numbers stand to the right. */
const NUMERIC = new Set([2, 3, 4, 5])

export function isNumeric(column: number): boolean {
  return NUMERIC.has(column)
}

/** Above this share of one core other programs have a say in the figures. */
const OTHERS_PERCENT_MAX = 10

/** The cells of a row's lines; figures of late drivers are left out unless they are asked for. */
export function cellsOf(name: string, result: RowResult): string[][] {
  return result.lines.map((line, i) => {
    const figures =
      line.late !== undefined && !settings.showsLate ? ['', '', '', ''] : figuresOf(line)
    const goal = line.goal === undefined ? '' : goalText(line.goal)
    const note = line.late ?? line.saturated ?? ''
    return [i === 0 ? name : '', line.what, ...figures, line.unit, goal, verdictOf(line), note]
  })
}

function figuresOf({ ours, peer, ratio, spreadPercent }: Line): string[] {
  return [
    shown(ours),
    peer === undefined ? '' : shown(peer.value),
    shown(ratio),
    hasValue(spreadPercent) ? `${spreadPercent.toFixed(0)} %` : '',
  ]
}

function goalText({ of, is, limit }: Goal): string {
  const sign = is === 'at least' ? '≥' : '≤'
  return `${sign} ${Number(limit.toPrecision(3)).toLocaleString('en-US')}${of === 'ratio' ? ' ×' : ''}`
}

/** A figure that could not be told is null in the JSON. */
function hasValue(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

export function shown(value: number | undefined): string {
  if (!hasValue(value)) return ''
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(3)
}

/** One table for the terminal. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const cells = [COLUMNS, ...rows]
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => row[column].length)))
  const padded = (cell: string, column: number) =>
    isNumeric(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])
  return cells.map((row) => row.map(padded).join('  ').trimEnd()).join('\n')
}

/** Where and when a row was measured, in one line. */
export function conditionsText({ conditions, seconds, othersPercent }: RowResult): string {
  const { node, cpu, cores, commit, isTreeChanged, loadBefore, seed, timeScale } = conditions
  const tree = isTreeChanged ? ' with changes in src' : ''
  const noise = othersPercent > OTHERS_PERCENT_MAX ? ', NOISY' : ''
  const scale = timeScale === 1 ? '' : `, times × ${timeScale}`
  return (
    `commit ${commit}${tree}, node ${node}, ${cores} × ${cpu}, seed ${seed}${scale}, ` +
    `load before ${loadBefore}, others used ${Math.round(othersPercent)} % of a core, ${Math.round(seconds)} s${noise}`
  )
}
