import { type Colour, document, legend, polyline, rule, text } from './svg.ts'

const WIDTH = 860
const HEIGHT = 340
const LEFT = 60
const RIGHT = 20
const TOP = 60
const BOTTOM = 40

export interface Curves {
  readonly title: string
  /** Values of the horizontal axis, by orders of magnitude. */
  readonly steps: readonly number[]
  readonly curves: readonly Curve[]
  /** A value that the curves are to stay below. */
  readonly limit: number
}

export interface Curve {
  readonly name: string
  readonly colour: Colour
  readonly points: readonly (readonly [number, number])[]
}

/** Ratios over a growing size, both axes by orders of magnitude. */
export function curveChart({ title, steps, curves, limit }: Curves): string {
  const values = curves.flatMap(({ points }) => points.map(([, value]) => value))
  const top = Math.max(10, ...values)
  const bottom = Math.min(0.5, ...values)
  const x = (value: number) =>
    LEFT + scaled(value, Math.min(...steps), Math.max(...steps)) * (WIDTH - LEFT - RIGHT)
  const y = (value: number) =>
    HEIGHT - BOTTOM - scaled(value, bottom, top) * (HEIGHT - TOP - BOTTOM)
  const parts = [
    legend(
      0,
      38,
      curves.map(({ name, colour }) => [name, colour] as const),
    ),
  ]
  for (const value of [1, 10, 100, 1_000, 10_000].filter((tick) => tick <= top)) {
    parts.push(rule(LEFT, y(value), WIDTH - RIGHT, y(value)))
    parts.push(text(LEFT - 8, y(value) + 4, `${value} ×`, 'small', 'end'))
  }
  parts.push(rule(LEFT, y(limit), WIDTH - RIGHT, y(limit), 'goal'))
  parts.push(text(WIDTH - RIGHT, y(limit) - 5, `goal: below ${limit} ×`, 'small', 'end'))
  for (const step of steps) {
    const anchor = step === steps[0] ? 'start' : step === steps.at(-1) ? 'end' : 'middle'
    parts.push(
      text(x(step), HEIGHT - 14, `${step.toLocaleString('en-US')} tokens`, 'small', anchor),
    )
  }
  for (const { points, colour } of curves)
    parts.push(
      polyline(
        points.map(([size, value]) => [x(size), y(value)] as const),
        colour,
      ),
    )
  return document(WIDTH, HEIGHT, title, parts)
}

function scaled(value: number, least: number, greatest: number): number {
  return Math.log(value / least) / Math.log(greatest / least)
}
