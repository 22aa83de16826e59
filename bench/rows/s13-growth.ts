import type { Message } from '../child.ts'
import { figuresOf } from '../json-process.ts'
import { type Line, ratioAtMost } from '../line.ts'
import { settings } from '../settings.ts'

const SIZES = [1_000, 10_000, 100_000, 1_000_000]
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
  const points = SIZES.map((tokens) => figuresOf('growth-point.ts', [tokens, settings.seed]))
  return COSTS.flatMap((cost) => points.map((point, i) => lineOf(cost, point, points[0], i)))
}

function lineOf(cost: (typeof COSTS)[number], point: Message, first: Message, i: number): Line {
  const { name, what, unit, isBounded } = cost
  const ours = Number(point[name])
  const value = Number(first[name])
  const line = {
    what: `${what}, ${SIZES[i].toLocaleString('en-US')} tokens`,
    unit,
    ours,
    detail: { tokens: SIZES[i] },
  }
  if (i === 0) return line
  const peer = { name: `${SIZES[0]} tokens`, value }
  const isLast = i === SIZES.length - 1
  return {
    ...{ ...line, peer, ratio: ours / value },
    ...(isBounded && isLast ? { goal: ratioAtMost(GROWTH_MAX) } : {}),
  }
}
