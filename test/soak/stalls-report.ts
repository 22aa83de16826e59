import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import {
  LONG_TURN_MS,
  ownMs,
  STALL_MS,
  type Stall,
} from '../../src/figures/event-loop-stall-monitor.ts'

/** Stalls of each kind that are told one by one: the longest. */
const TOLD = 6

const stalls = Compile(
  Type.Array(
    Type.Object({
      atMs: Type.Number(),
      lateMs: Type.Number(),
      ranMs: Type.Number(),
      waitedMs: Type.Number(),
      stolenMs: Type.Number(),
      blockedMs: Type.Number(),
      steps: Type.Record(Type.String(), Type.Number()),
    }),
  ),
)

/** Stalls as `GET /stalls` of the admin surface tells them. */
export function stallsIn(value: unknown): readonly Stall[] {
  return stalls.Parse(value)
}

/** The program's own stalls. */
export function ownStalls(all: readonly Stall[]): readonly Stall[] {
  return all.filter((stall) => ownMs(stall) > STALL_MS)
}

/** The lines of the report; `startMs` is when the soak began, in unix milliseconds. */
export function stallLines(all: readonly Stall[], startMs: number): string[] {
  const own = ownStalls(all)
  const machines = all.filter((stall) => stall.lateMs > STALL_MS && ownMs(stall) <= STALL_MS)
  const long = all.filter((stall) => ownMs(stall) > LONG_TURN_MS && ownMs(stall) <= STALL_MS)
  return [
    `stalls       ${own.length} of the program above ${STALL_MS} ms after warm-up, ${longest(own)} (goal 0)`,
    ...told(own, startMs),
    `             ${machines.length} more of the machine: none above ${STALL_MS} ms without what others had of the cores, ${longest(machines)}`,
    ...told(machines, startMs),
    `             ${long.length} turns of ${LONG_TURN_MS} to ${STALL_MS} ms beside what others had of the cores`,
    ...told(
      long.filter(({ lateMs }) => lateMs <= STALL_MS),
      startMs,
    ),
  ]
}

function longest(some: readonly Stall[]): string {
  return `longest ${Math.max(0, ...some.map(({ lateMs }) => lateMs)).toFixed(1)} ms`
}

function told(some: readonly Stall[], startMs: number): string[] {
  const longest = some.toSorted((a, b) => b.lateMs - a.lateMs).slice(0, TOLD)
  return longest
    .toSorted((a, b) => a.atMs - b.atMs)
    .map((stall) => {
      const { lateMs, ranMs, waitedMs, stolenMs, blockedMs } = stall
      const ms = [lateMs, ranMs, waitedMs, stolenMs, blockedMs]
      const [late, ran, waited, stolen, blocked] = ms.map((one) => one.toFixed(1))
      const steps = Object.entries(stall.steps).map(([name, one]) => `${name} ${one.toFixed(1)}`)
      return `               at ${((stall.atMs - startMs) / 1000).toFixed(0)} s: ${late} ms: ran ${ran}, waited for a core ${waited}, stolen ${stolen}, blocked ${blocked}; ${steps.join(', ') || 'no long step'}`
    })
}
