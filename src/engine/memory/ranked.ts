import { sharedF64 } from './views.ts'

// The first, or any other ranks, of many things, without sorting them all.

/** So few are sorted; of more only the ranks that are asked for. */
const SORTED_MAX = 64
/** Numbers of a copy that is used again. */
const KEPT_COPY_MAX = 1 << 20
/** Longer runs are narrowed first, by what a sample says (Floyd and Rivest). */
const SAMPLED_FROM = 600
/** Values looked at to guess how great those of a batch are. */
const SAMPLE = 1_024
/** Places of the first batch, more or less, where many are looked through for few. */
const FIRST_BATCH = 2_048

let copy = sharedF64(0)

/** What things are ordered by: numbers first, ascending, then equal ones by text, ascending. */
export interface RankKeys {
  /** Number of a thing by level, finite: the next level is asked only of things that are equal so far. */
  readonly levels: readonly ((thing: number) => number)[]
  /** No two things that are equal on all levels have the same text. */
  readonly text: (thing: number) => string
}

/**
 * The things of ranks `from` to before `to`, in order. Linear in the number of things for the level
 * that separates most of them; sorting all of them with their texts takes some thirty times as long.
 * `values`: the numbers of the first level, thing by thing, if the caller has them already.
 */
export function ranked(
  things: ArrayLike<number>,
  keys: RankKeys,
  from: number,
  to: number,
  values: Float64Array | null = null,
): readonly number[] {
  const end = Math.min(to, things.length)
  return from < end ? pick(things, keys, 0, from, end, values) : []
}

/** Ranks among things that are equal on all levels above `level`. */
function pick(
  things: ArrayLike<number>,
  keys: RankKeys,
  level: number,
  from: number,
  to: number,
  known: Float64Array | null = null,
): readonly number[] {
  if (from >= to) return []
  if (things.length <= SORTED_MAX || level === keys.levels.length)
    return sorted(Array.from(things), keys, level).slice(from, to)
  const values = known ?? valuesOf(things, keys.levels[level])
  const { low, high } = valuesAt(values, from, to - 1)
  let below = 0
  const between: number[] = []
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value < low) below += 1
    else if (value > low && value < high) between.push(things[i])
  }
  const equalLow = thingsOf(things, values, low)
  if (low === high) return pick(equalLow, keys, level + 1, from - below, to - below)
  const behind = to - below - equalLow.length - between.length
  return [
    ...pick(equalLow, keys, level + 1, from - below, equalLow.length),
    ...sorted(between, keys, level),
    ...pick(thingsOf(things, values, high), keys, level + 1, 0, behind),
  ]
}

function valuesOf(things: ArrayLike<number>, number: (thing: number) => number): Float64Array {
  const values = new Float64Array(things.length)
  for (let i = 0; i < values.length; i++) values[i] = number(things[i])
  return values
}

/** The things that have a value. */
function thingsOf(
  things: ArrayLike<number>,
  values: Float64Array,
  value: number,
): ArrayLike<number> {
  let count = 0
  for (let i = 0; i < values.length; i++) count += Number(values[i] === value)
  const found = new Float64Array(count)
  let place = 0
  for (let i = 0; place < count; i++) if (values[i] === value) found[place++] = things[i]
  return found
}

/** The values of two ranks, the lower one first. */
function valuesAt(values: Float64Array, from: number, last: number) {
  const moved = copied(values)
  const end = moved.length - 1
  select(moved, from, 0, end)
  // Nothing behind `from` is less than what stands there now.
  if (last > from) select(moved, last, from + 1, end)
  return { low: moved[from], high: moved[last] }
}

/** A copy that is good until the next one: buffers of megabytes for each page would be garbage to collect. */
function copied(values: Float64Array): Float64Array {
  if (values.length > KEPT_COPY_MAX) return values.slice()
  if (values.length > copy.length) copy = sharedF64(values.length)
  copy.set(values)
  return copy.subarray(0, values.length)
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

/**
 * Moves numbers (no NaN) from `left` to `right`, so that the one of rank `rank` stands there as if all
 * were sorted, none behind it is less and none before it greater. Linear, whatever the numbers.
 * A loop of its own over doubles: a function that compares takes five times as long.
 */
export function select(numbers: Float64Array, rank: number, left: number, right: number): void {
  while (right > left) {
    if (right - left > SAMPLED_FROM) narrow(numbers, rank, left, right)
    const pivot = numbers[rank]
    let low = left
    let high = right
    while (low <= high) {
      while (numbers[low] < pivot) low++
      while (numbers[high] > pivot) high--
      if (low > high) break
      const moved = numbers[low]
      numbers[low++] = numbers[high]
      numbers[high--] = moved
    }
    // What stands between the two is the pivot.
    if (rank <= high) right = high
    else if (rank >= low) left = low
    else return
  }
}

/** Makes it likely that the number at `rank` is the one that belongs there. */
function narrow(numbers: Float64Array, rank: number, left: number, right: number): void {
  const count = right - left + 1
  const place = rank - left + 1
  const log = Math.log(count)
  const size = 0.5 * Math.exp((2 * log) / 3)
  const side = place < count / 2 ? -1 : 1
  const spread = 0.5 * Math.sqrt((log * size * (count - size)) / count) * side
  const from = Math.max(left, Math.floor(rank - (place * size) / count + spread))
  const to = Math.min(right, Math.floor(rank + ((count - place) * size) / count + spread))
  select(numbers, rank, from, to)
}

/**
 * The places of numbers of 0 and more in batches, greatest first: what is in a batch is greater than
 * all behind it, and stands in no order; NaN and what is below 0 stand last. A pass of comparisons
 * for each batch, where sorting would move all. Each batch is some twice as long as the one before.
 */
export function* greatestFirst(
  values: Float64Array,
  firstBatch = FIRST_BATCH,
): Generator<readonly number[]> {
  // No number is NaN or more: nothing is above the first batch.
  let above = Number.NaN
  for (const least of values.length > firstBatch ? boundsOf(values, firstBatch) : []) {
    const batch: number[] = []
    for (let place = 0; place < values.length; place++)
      if (values[place] >= least && !(values[place] >= above)) batch.push(place)
    yield batch
    above = least
  }
  const rest: number[] = []
  for (let place = 0; place < values.length; place++)
    if (!(values[place] >= above)) rest.push(place)
  yield rest
}

/** The least value of each batch but the last, descending: as a sample of the values has them. */
function boundsOf(values: Float64Array, firstBatch: number): readonly number[] {
  const step = Math.max(1, Math.floor(values.length / SAMPLE))
  const sample = new Float64Array(Math.ceil(values.length / step))
  for (let i = 0; i < sample.length; i++) sample[i] = Math.max(0, values[i * step] || 0)
  sample.sort()
  const bounds: number[] = []
  let before = Number.POSITIVE_INFINITY
  for (let size = firstBatch, end = 0; ; size *= 2) {
    end += size
    const bound = sample[sample.length - 1 - Math.floor(end / step)] ?? 0
    if (bound === 0) return bounds
    if (bound < before) bounds.push(bound)
    before = bound
  }
}
