import type { Line } from '../line.ts'
import { shown } from '../result-table.ts'
import type { Results } from '../results.ts'
import { settings } from '../settings.ts'
import { type BarGroup, barChart } from './bars.ts'
import { curveChart } from './curves.ts'
import type { Colour } from './svg.ts'

const OURS: Colour = 0
const PEER: Colour = 1
const MISSED: Colour = 2
const REACHED: Colour = 3
const LABEL_MAX = 50

/** The charts of a result by file name; one whose rows were not measured is left out. */
export function pictures(results: Results): ReadonlyMap<string, string> {
  const made = [
    ['goals.svg', goals(results)],
    [
      'answers.svg',
      pairsOf(
        results,
        ['S1', 'S2', 'S4'],
        'answers/s',
        'Queries a second, beside bare uWebSockets.js with the same bytes',
      ),
    ],
    [
      'fan-out.svg',
      pairsOf(
        results,
        ['S5'],
        'deliveries/s',
        'Trades delivered a second, beside a bare publish of equal bytes',
      ),
    ],
    ['growth.svg', growth(results)],
  ] as const
  return new Map(made.flatMap(([name, svg]) => (svg === null ? [] : [[name, svg] as const])))
}

/** Every line with a goal: how much of it is reached. */
function goals(results: Results): string | null {
  const groups = linesOf(results, Object.keys(results)).flatMap(([name, line]): BarGroup[] => {
    const { goal } = line
    const value = goal?.of === 'ratio' ? line.ratio : line.ours
    if (goal === undefined || value === undefined || !(value > 0)) return []
    const share = goal.is === 'at least' ? value / goal.limit : goal.limit / value
    const colour = share >= 1 ? REACHED : MISSED
    return [
      { label: labelOf(name, line), bars: [{ value: share, shown: `${shown(share)} ×`, colour }] },
    ]
  })
  if (groups.length === 0) return null
  return barChart({
    title: 'Share of each goal that is reached (orders of magnitude)',
    legend: [
      ['reached', REACHED],
      ['not reached', MISSED],
    ],
    groups,
    mark: { at: 1, least: 0.001, greatest: 10 },
  })
}

function pairsOf(
  results: Results,
  rows: readonly string[],
  unit: string,
  title: string,
): string | null {
  const groups = linesOf(results, rows).flatMap(([name, line]): BarGroup[] => {
    if (line.unit !== unit || line.peer === undefined) return []
    const { ours, peer } = line
    return [
      {
        label: labelOf(name, line),
        bars: [
          { value: ours, shown: shown(ours), colour: OURS },
          { value: peer.value, shown: shown(peer.value), colour: PEER },
        ],
      },
    ]
  })
  if (groups.length === 0) return null
  return barChart({
    title,
    legend: [
      ['mintfeed', OURS],
      ['bare uWebSockets.js', PEER],
    ],
    groups,
  })
}

/** Costs beside those of the smallest market. */
function growth(results: Results): string | null {
  const byCost = new Map<string, [number, number][]>()
  for (const [, { what, ours, ratio, detail, unit }] of linesOf(results, ['S13'])) {
    const tokens = detail?.tokens
    if (tokens === undefined || unit !== 'µs' || ours <= 0) continue
    const name = what.slice(0, what.lastIndexOf(', '))
    byCost.set(name, [...(byCost.get(name) ?? []), [tokens, ratio ?? 1]])
  }
  if (byCost.size === 0) return null
  const colours: readonly Colour[] = [OURS, REACHED, MISSED, PEER]
  const curves = [...byCost].map(([name, points], i) => {
    return { name, points, colour: colours[i % colours.length] }
  })
  const steps = [...new Set(curves.flatMap(({ points }) => points.map(([tokens]) => tokens)))]
  return curveChart({
    title: 'Cost beside that in a market of 1,000 tokens',
    steps,
    curves,
    limit: 1.3,
  })
}

/** Lines of late drivers are in no chart, unless they are asked for. */
function linesOf(results: Results, rows: readonly string[]): [string, Line][] {
  return rows.flatMap((name) =>
    (results[name]?.lines ?? [])
      .filter((line) => line.late === undefined || settings.showsLate)
      .map((line): [string, Line] => [name, line]),
  )
}

function labelOf(name: string, { what }: Line): string {
  const label = `${name} ${what}`
  return label.length <= LABEL_MAX ? label : `${label.slice(0, LABEL_MAX - 1)}…`
}
