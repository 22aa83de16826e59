import { figuresOf } from '../json-process.ts'
import { atMost, type Line } from '../line.ts'
import { settings } from '../settings.ts'

const TOKENS = 100_000
/** Swaps a second of the day before: 12 a token, as many as the market gives. */
const HISTORY_RATE = 14
const RATE = 50_000
const SECONDS = 6 * settings.timeScale
const PATIENCE_MS = 200_000
const SHARE_PERCENT = 0.1
const LONGEST_MS = 1
const HEAP_MIB = 100

/** S11: what V8 collects while swaps are folded at a steady rate and tables are asked for. */
export async function run(): Promise<readonly Line[]> {
  const figures = figuresOf(
    'collected-engine.ts',
    [TOKENS, HISTORY_RATE, RATE, SECONDS],
    PATIENCE_MS,
  )
  const { positions, swaps, reachedPerSecond } = figures
  const about = `${TOKENS} tokens, ${positions} positions, ${swaps} swaps`
  const reached = `${Math.round(Number(reachedPerSecond)).toLocaleString('en-US')} swaps/s reached`
  const line = (what: string, name: string, unit: string, limit?: number): Line => ({
    what,
    unit,
    ours: Number(figures[name]),
    ...(limit === undefined ? {} : { goal: atMost(limit) }),
    saturated: `${about}; ${reached}`,
  })
  return [
    line('time in collections', 'sharePercent', '%', SHARE_PERCENT),
    line('longest collection', 'longestMs', 'ms', LONGEST_MS),
    line('heap used', 'heapMiB', 'MiB', HEAP_MIB),
    line('resident', 'residentMiB', 'MiB'),
  ]
}
