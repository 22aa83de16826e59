import type { Engine } from '../../src/engine/engine.ts'
import { ROW_MASK, ROW_SHIFT } from '../../src/engine/memory/rows.ts'
import { completionOf } from '../../src/engine/state/lanes.ts'
import { LifecycleLane, SeldomLane } from '../../src/engine/state/layout.ts'
import { GROUPS, type Group } from '../../src/protocol/filters.ts'
import type { TableRows, TablesQuery } from '../../src/protocol/queries.ts'
import type { Partition } from './partition.ts'
import { timed } from './processor-time.ts'

/** A row as a partition sends it: its JSON text, and the key that it stands by in its table. */
interface KeyedRow {
  readonly mint: string
  readonly json: string
  /** Completion, slot, tx index, ordinal, arrival: the greatest is first; then mints ascend. */
  readonly key: readonly number[]
}

/** f64 or u32 lanes of a key, without the mint, which stands in the row. */
const KEY_BYTES = 8 + 8 + 4 + 4 + 8

/** A gathered table and what it cost. */
export interface Gathered {
  readonly text: string
  /** Processor time of each partition for its part. */
  readonly partMs: readonly number[]
  /** Time of a second request to a partition whose part was used up, the longest of them. */
  readonly secondMs: number
  readonly mergeMs: number
  readonly rowsGathered: number
  readonly bytesGathered: number
  readonly rowsAnswered: number
}

/**
 * The table of all partitions, which stand at one position. Each gives its first `first` rows of a group; one whose
 * rows all stand in the answer may have more, and is asked again for as many as the answer has.
 */
export function gather(
  partitions: readonly Partition[],
  query: TablesQuery,
  first: number,
): Gathered {
  const cost = { rowsGathered: 0, bytesGathered: 0, mergeMs: 0, secondMs: 0 }
  const partMs: number[] = []
  const ask = (partition: Partition, limit: number) => {
    const { value: answer, ms } = timed(() => partition.answers.tableAnswer({ ...query, limit }))
    const rows = keyedRows(partition.engine, answer.rows())
    for (const list of rows.values()) cost.rowsGathered += list.length
    for (const list of rows.values()) cost.bytesGathered += list.length * KEY_BYTES
    cost.bytesGathered += answer.bytes.length
    return { ms, rows }
  }
  const parts = partitions.map((partition) => {
    const { ms, rows } = ask(partition, first)
    partMs.push(ms)
    return rows
  })
  const groups = query.type === 'all' ? GROUPS : [query.type]
  let merged = mergeAll(parts, groups, query.limit, cost)
  const short = partitions.filter((_, i) =>
    groups.some((group, g) => {
      const sent = parts[i].get(group)?.length ?? 0
      return first < query.limit && sent === first && merged[g].used[i] === first
    }),
  )
  if (short.length > 0) {
    for (const partition of short) {
      const { ms, rows } = ask(partition, query.limit)
      parts[partitions.indexOf(partition)] = rows
      cost.secondMs = Math.max(cost.secondMs, ms)
    }
    merged = mergeAll(parts, groups, query.limit, cost)
  }
  const text = merged.map((group) => group.text).join(',')
  const rowsAnswered = merged.reduce((sum, { rows }) => sum + rows, 0)
  return { text: `{${text}}`, partMs, ...cost, rowsAnswered }
}

function mergeAll(
  parts: readonly ReadonlyMap<Group, readonly KeyedRow[]>[],
  groups: readonly Group[],
  limit: number,
  cost: { mergeMs: number },
) {
  const { value, ms } = timed(() =>
    groups.map((group) => {
      const { rows, used } = mergeRows(
        parts.map((part) => part.get(group) ?? []),
        limit,
      )
      return { text: `"${group}":[${rows.join(',')}]`, rows: rows.length, used }
    }),
  )
  cost.mergeMs += ms
  return value
}

/** The first rows of lists that are in order, and how many of each list they are. */
function mergeRows(lists: readonly (readonly KeyedRow[])[], limit: number) {
  const used = lists.map(() => 0)
  const rows: string[] = []
  while (rows.length < limit) {
    let best = -1
    for (let i = 0; i < lists.length; i++) {
      if (used[i] === lists[i].length) continue
      if (best < 0 || isBefore(lists[i][used[i]], lists[best][used[best]])) best = i
    }
    if (best < 0) break
    rows.push(lists[best][used[best]].json)
    used[best] += 1
  }
  return { rows, used }
}

function isBefore(a: KeyedRow, b: KeyedRow): boolean {
  for (let i = 0; i < a.key.length; i++) if (a.key[i] !== b.key[i]) return a.key[i] > b.key[i]
  return a.mint < b.mint
}

function keyedRows(engine: Engine, rows: TableRows): ReadonlyMap<Group, readonly KeyedRow[]> {
  const keyed = GROUPS.flatMap((group) => {
    const list = rows.get(group)
    if (list === undefined) return []
    const keyed = list.map((row) => ({ ...row, key: keyOf(engine, row.mint, group) }))
    return [[group, keyed] as const]
  })
  return new Map(keyed)
}

/** The key of the token's table (engine/index/token-order.ts). */
function keyOf({ state }: Engine, mint: string, group: Group): readonly number[] {
  const token = state.book.findToken(mint)
  const { births, seldom } = state
  if (group === 'graduated')
    return [
      0,
      seldom.getF(token, SeldomLane.graduatedSlotF),
      seldom.get(token, SeldomLane.graduatedTxIndex),
      seldom.get(token, SeldomLane.graduatedOrdinal),
      seldom.getF(token, SeldomLane.graduatedArrivalF),
    ]
  const at = (token & ROW_MASK) * LifecycleLane.lanes
  return [
    group === 'completing' ? completionOf(state, token) : 0,
    births.f64[token >>> ROW_SHIFT][(at >>> 1) + LifecycleLane.createdSlotF],
    births.get(token, LifecycleLane.createdTxIndex),
    births.get(token, LifecycleLane.createdOrdinal),
    seldom.getF(token, SeldomLane.createdArrivalF),
  ]
}
