import type { Message } from '../child.ts'
import { figuresOf } from '../json-process.ts'
import { type Line, ratioAtMost } from '../line.ts'
import { settings } from '../settings.ts'

const SIZES = [1_000, 10_000, 100_000, 1_000_000]
/** A market that takes longer to make and measure has grown too much already. */
const PATIENCE_MS = 150_000
const GROWTH_MAX = 1.3

/** What is measured at each size, and whether it must not grow. */
const COSTS = [
  { name: 'swapMicros', what: 'fold of a swap', unit: 'µs', isBounded: true },
  { name: 'readMicros', what: 'a trade for a reader, encoded', unit: 'µs', isBounded: true },
  { name: 'queryMicros', what: 'tables, filter never seen, median', unit: 'µs', isBounded: true },
  { name: 'worstQueryMicros', what: 'the same, worst', unit: 'µs', isBounded: false },
  { name: 'residentMiB', what: 'resident memory', unit: 'MiB', isBounded: false },
] as const

/** S13: what things cost from 1,000 to 1,000,000 tokens; the peer is the smallest market. */
export async function run(): Promise<readonly Line[]> {
  const points = SIZES.map(pointOf)
  return COSTS.flatMap((cost) => points.map((point, i) => lineOf(cost, point, points[0], i)))
}

/** Figures of a market of some size; a sentence when it could not be made in time. */
function pointOf(tokens: number): Message | string {
  try {
    return figuresOf('growth-point.ts', [tokens, settings.seed], PATIENCE_MS)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT')) throw error
    return `the market was not made and measured within ${PATIENCE_MS / 1000} s`
  }
}

type Point = ReturnType<typeof pointOf>

function lineOf(cost: (typeof COSTS)[number], point: Point, first: Point, i: number): Line {
  const { name, what, unit, isBounded } = cost
  const ours = typeof point === 'string' ? Number.NaN : Number(point[name])
  const value = typeof first === 'string' ? 0 : Number(first[name])
  const late = typeof point === 'string' ? { late: point } : {}
  const line = {
    what: `${what}, ${SIZES[i].toLocaleString('en-US')} tokens`,
    unit,
    ours,
    detail: { tokens: SIZES[i] },
    ...late,
  }
  if (i === 0) return line
  const peer = { name: `${SIZES[0]} tokens`, value }
  const isLast = i === SIZES.length - 1
  return {
    ...{ ...line, peer, ratio: ours / value },
    ...(isBounded && isLast ? { goal: ratioAtMost(GROWTH_MAX) } : {}),
  }
}
