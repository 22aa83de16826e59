import { bar, type Colour, document, legend, rule, text } from './svg.ts'

const WIDTH = 860
const LABEL_WIDTH = 360
const VALUE_WIDTH = 90
const BAR_HEIGHT = 13
const GAP = 9
const TOP = 52

export interface Bars {
  readonly title: string
  readonly legend: readonly (readonly [string, Colour])[]
  readonly groups: readonly BarGroup[]
  /** A line across all bars, and a scale by orders of magnitude around it. */
  readonly mark?: { readonly at: number; readonly least: number; readonly greatest: number }
}

export interface BarGroup {
  readonly label: string
  readonly bars: readonly {
    readonly value: number
    readonly shown: string
    readonly colour: Colour
  }[]
}

/** Horizontal bars in groups, with their values beside them. */
export function barChart({ title, legend: names, groups, mark }: Bars): string {
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH
  const greatest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)))
  const lengthOf = (value: number) => {
    if (mark === undefined) return (value / greatest) * room
    const bounded = Math.min(Math.max(value, mark.least), mark.greatest)
    return (Math.log(bounded / mark.least) / Math.log(mark.greatest / mark.least)) * room
  }
  const parts = [legend(0, 38, names)]
  let y = TOP
  for (const { label, bars } of groups) {
    const height = bars.length * BAR_HEIGHT
    parts.push(text(LABEL_WIDTH - 10, y + height / 2 + 4, label, '', 'end'))
    for (const { value, shown, colour } of bars) {
      const length = lengthOf(value)
      parts.push(bar(LABEL_WIDTH, y, length, BAR_HEIGHT - 2, colour))
      // Beside a goal's line the values stand in a column of their own, or it would cross them.
      const valueX = LABEL_WIDTH + (mark === undefined ? length : room) + 6
      parts.push(text(valueX, y + BAR_HEIGHT - 4, shown, 'small'))
      y += BAR_HEIGHT
    }
    y += GAP
  }
  parts.push(rule(LABEL_WIDTH, TOP - 4, LABEL_WIDTH, y))
  if (mark !== undefined) {
    const x = LABEL_WIDTH + lengthOf(mark.at)
    parts.push(rule(x, TOP - 4, x, y, 'goal'), text(x, TOP - 8, 'goal', 'small', 'middle'))
  }
  return document(WIDTH, y + 8, title, parts)
}
