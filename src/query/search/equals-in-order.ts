import { greatestFirst } from './greatest-first.ts'

/** Batches up to here are looked at as they are. */
const WHOLE_MAX = 4_096
/** Places looked at to see whether one value stands in many. */
const SAMPLE = 64
/** That many of them equal, and those that have the value come by order. */
const TIED = 8

/**
 * The places of a batch of `greatestFirst` in smaller batches where many of its values are equal, as those
 * of tokens that nobody traded: the greater first, then the equal ones, of which what comes in a batch has
 * a less order than all behind it (`precedences`: the less the order of a place, the greater), then the others.
 */
export function* equalsInOrder(
  batch: readonly number[],
  values: Float64Array,
  precedences: () => Float64Array,
): Generator<readonly number[]> {
  const value = batch.length > WHOLE_MAX ? commonValue(batch, values) : null
  if (value === null) {
    yield batch
    return
  }
  const equal: number[] = []
  const greater: number[] = []
  const others: number[] = []
  for (const place of batch)
    if (values[place] === value) equal.push(place)
    else if (values[place] > value) greater.push(place)
    else others.push(place)
  yield* equalsInOrder(greater, values, precedences)
  const all = precedences()
  // By hand: `from` asks a function for each of a hundred thousand.
  const own = new Float64Array(equal.length)
  for (let at = 0; at < equal.length; at++) own[at] = all[equal[at]]
  for (const batchOfEqual of greatestFirst(own)) yield batchOfEqual.map((at) => equal[at])
  yield* equalsInOrder(others, values, precedences)
}

/** The value that most of a sample have, if they are many; null when they are few. */
function commonValue(batch: readonly number[], values: Float64Array): number | null {
  const step = batch.length / SAMPLE
  const sample = Float64Array.from(
    { length: SAMPLE },
    (_, i) => values[batch[Math.floor(i * step)]],
  )
  sample.sort()
  let most = 0
  let common: number | null = null
  let run = 0
  for (let i = 0; i < SAMPLE; i++) {
    run = i > 0 && sample[i] === sample[i - 1] ? run + 1 : 1
    if (run <= most) continue
    most = run
    common = sample[i]
  }
  return most >= TIED ? common : null
}
