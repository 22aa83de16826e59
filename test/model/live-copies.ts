/** What a client makes of the frames of the state channels, by the rules of docs/live.md alone. */
import { isRecord } from '../../src/base/json-access.ts'

type Row = Readonly<Record<string, unknown>>

function rowsOf(value: unknown): Row[] {
  if (!Array.isArray(value)) throw new Error('no list of rows')
  return value.filter(isRecord)
}

/** A live table put together of its frames. */
export class TableCopy {
  groups = new Map<string, Row[]>()
  step = -1

  take(frame: string): void {
    const { type, step, data } = framed(frame)
    if (type === 'snapshot') {
      this.groups = new Map(Object.entries(data).map(([group, rows]) => [group, rowsOf(rows)]))
      this.step = Number(step)
      return
    }
    if (step !== this.step + 1) throw new Error(`step ${String(step)} after ${this.step}`)
    this.step = step
    for (const [group, delta] of Object.entries(data))
      if (isRecord(delta)) this.groups.set(group, applied(this.groups.get(group) ?? [], delta))
  }

  get json(): string {
    return JSON.stringify(Object.fromEntries(this.groups))
  }
}

function applied(before: readonly Row[], delta: Row): Row[] {
  const put = rowsOf(delta.put)
  const change = rowsOf(delta.change)
  if (!Array.isArray(delta.leave)) throw new Error('no list of mints')
  const gone = new Set<unknown>(delta.leave)
  for (const { row } of put) if (isRecord(row)) gone.add(row.mint)
  const rows = before.filter(({ mint }) => !gone.has(mint))
  for (const { at, row } of put) if (isRecord(row)) rows.splice(Number(at), 0, row)
  return rows.map((row) => change.find(({ mint }) => mint === row.mint) ?? row)
}

/** A series of bars put together of its frames. */
export class CandleCopy {
  /** Columns of each bar, by its time. */
  readonly bars = new Map<number, string>()
  readonly final = new Set<number>()
  /** Bars that changed although they were final. */
  readonly faults: number[] = []
  step = -1

  take(frame: string): void {
    const { type, step, data, final } = framed(frame)
    if (type !== 'snapshot' && step !== this.step + 1)
      throw new Error(`step ${String(step)} after ${this.step}`)
    this.step = Number(step)
    if (!Array.isArray(data.t) || !Array.isArray(final)) throw new Error('no bars')
    for (const [i, time] of data.t.entries()) {
      const bar = columns(data, i)
      if (this.final.has(time) && this.bars.get(time) !== bar) this.faults.push(time)
      this.bars.set(time, bar)
      if (final[i] === true) this.final.add(time)
    }
  }

  /** In order of time, as `columns` makes them. */
  get series(): string[] {
    return [...this.bars].sort(([a], [b]) => a - b).map(([, bar]) => bar)
  }
}

/** Bar `i` of a chart answer as text. */
export function columns(series: Row, i: number): string {
  return Object.entries(series)
    .map(([name, column]) => `${name} ${Array.isArray(column) ? String(column[i]) : ''}`)
    .join()
}

export function framed(frame: string): Row & { readonly data: Row } {
  const value: unknown = JSON.parse(frame)
  if (!isRecord(value) || !isRecord(value.data)) throw new Error(`no frame: ${frame}`)
  return { ...value, data: value.data }
}
