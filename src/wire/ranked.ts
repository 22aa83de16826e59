import quickselect from 'quickselect'

/** So few are sorted; of more only the ranks that are asked for. */
const SORTED_MAX = 64

/** What things are ordered by: numbers first, ascending, then equal ones by text, ascending. */
export interface RankKeys {
  /** Number of a thing by level, finite: the next level is asked only of things that are equal so far. */
  readonly levels: readonly ((thing: number) => number)[]
  /** No two things that are equal on all levels have the same text. */
  readonly text: (thing: number) => string
}

/**
 * The things of ranks `from` to before `to`, in order. Linear in the number of things for the level
 * that tells most of them apart; sorting all of them with their texts takes some thirty times as long.
 */
export function ranked(
  things: ArrayLike<number>,
  keys: RankKeys,
  from: number,
  to: number,
): readonly number[] {
  const end = Math.min(to, things.length)
  return from < end ? pick(things, keys, 0, from, end) : []
}

/** Ranks among things that are equal on all levels above `level`. */
function pick(
  things: ArrayLike<number>,
  keys: RankKeys,
  level: number,
  from: number,
  to: number,
): readonly number[] {
  if (from >= to) return []
  if (things.length <= SORTED_MAX || level === keys.levels.length)
    return sorted(Array.from(things), keys, level).slice(from, to)
  const values = valuesOf(things, keys.levels[level])
  const { low, high } = valuesAt(values, from, to - 1)
  let below = 0
  const equalLow: number[] = []
  const between: number[] = []
  const equalHigh: number[] = []
  for (let i = 0; i < things.length; i++) {
    const value = values[i]
    if (value < low) below += 1
    else if (value === low) equalLow.push(things[i])
    else if (value < high) between.push(things[i])
    else if (value === high) equalHigh.push(things[i])
  }
  if (low === high) return pick(equalLow, keys, level + 1, from - below, to - below)
  const behind = to - below - equalLow.length - between.length
  return [
    ...pick(equalLow, keys, level + 1, from - below, equalLow.length),
    ...sorted(between, keys, level),
    ...pick(equalHigh, keys, level + 1, 0, behind),
  ]
}

function valuesOf(things: ArrayLike<number>, number: (thing: number) => number): number[] {
  const values: number[] = []
  for (let i = 0; i < things.length; i++) values.push(number(things[i]))
  return values
}

/** The values of two ranks, the lower one first. */
function valuesAt(values: readonly number[], from: number, last: number) {
  const moved = values.slice()
  quickselect(moved, from)
  // Nothing behind `from` is less than what stands there now.
  if (last > from) quickselect(moved, last, from + 1)
  return { low: moved[from], high: moved[last] }
}

function sorted(things: number[], keys: RankKeys, level: number): number[] {
  const levels = keys.levels.slice(level)
  return things.sort((a, b) => {
    for (const number of levels) {
      const difference = number(a) - number(b)
      if (difference !== 0) return difference
    }
    return keys.text(a) < keys.text(b) ? -1 : 1
  })
}
