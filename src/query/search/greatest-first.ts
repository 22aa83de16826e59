/** Values looked at to guess how great those of a batch are. */
const SAMPLE = 1_024
/** Places of the first batch, more or less, where many are looked through for few. */
const FIRST_BATCH = 2_048

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
