import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listAt, textAt } from '../../src/base/json-access.ts'
import { newFolder } from '../new-folder.ts'
import { type Program, startProgram, until } from './program.ts'

const ROWS = 30
const WITHIN_SECONDS = 25
const STARTS = 3

/** Trades in 24 h and completion of the rows in the middle of the board, by mint. */
async function completing({ url }: Program): Promise<Map<string, readonly [number, number]>> {
  const response = await fetch(`${url}/api/v2/meme`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'completing', limit: ROWS }),
  })
  const rows = listAt(await response.json(), 'completing') ?? []
  return new Map(
    rows.map((row) => [
      textAt(row, 'mint') ?? '',
      [numberOf(row, 'tx_24h'), numberOf(row, 'pct_completion')],
    ]),
  )
}

function numberOf(row: unknown, key: string): number {
  const value: unknown = Object(row)[key]
  return typeof value === 'number' ? value : Number.NaN
}

/** How many rows somebody traded, or who left the list by it, within the time. */
async function movedRows(
  program: Program,
  seconds = WITHIN_SECONDS,
): Promise<{ rows: number; moved: number }> {
  const first = await until('a whole board', async () => {
    const rows = await completing(program)
    return rows.size > ROWS / 2 ? rows : null
  })
  const moved = new Set<string>()
  for (let second = 0; second < seconds && moved.size < first.size; second++) {
    await setTimeout(1_000)
    const now = await completing(program)
    for (const [mint, [trades, percent]] of first) {
      const row = now.get(mint)
      if (row === undefined || row[0] > trades || row[1] !== percent) moved.add(mint)
    }
  }
  return { rows: first.size, moved: moved.size }
}

test('the board of the default service is as alive after three starts as on a fresh market', async () => {
  const DATA_DIR = newFolder()
  const first = await startProgram({ DATA_DIR })
  const fresh = await movedRows(first)
  expect(await first.end('SIGTERM')).toBe(0)
  for (let start = 2; start < STARTS; start++) {
    const program = await startProgram({ DATA_DIR })
    await movedRows(program, 1)
    expect(await program.end('SIGTERM')).toBe(0)
  }
  const last = await startProgram({ DATA_DIR })
  const again = await movedRows(last)
  expect(await last.end('SIGTERM')).toBe(0)
  // Fewer rows can be there, as tokens have graduated: those that are move.
  expect(again.moved).toBeGreaterThanOrEqual(Math.min(fresh.moved, again.rows))
  expect(fresh.moved).toBeGreaterThan(fresh.rows * 0.9)
})
