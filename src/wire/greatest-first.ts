/** Values are told apart by sign, exponent and the first bits of the fraction. */
const CLASSES = 1 << 16
/** Places of the first batch, unless one class alone has more; each one after is twice as long. */
const FIRST_BATCH = 1_024

/**
 * The places of numbers of 0 and more in batches, greatest first: what is in a batch is greater than
 * all behind it, and stands in no order. A pass for each batch, where sorting would compare all.
 */
export function* greatestFirst(values: Float64Array): Generator<readonly number[]> {
  const halves = new Uint16Array(values.buffer, values.byteOffset, values.length * 4)
  // The greatest bits of such a number grow with it; NaN and what is below 0 stand last.
  const classOf = (place: number) => (values[place] > 0 ? halves[place * 4 + 3] : 0)
  const counts = new Uint32Array(CLASSES)
  for (let place = 0; place < values.length; place++) counts[classOf(place)] += 1
  let size = FIRST_BATCH
  for (let above = CLASSES; above > 0; size *= 2) {
    let from = above
    let count = 0
    while (from > 0 && count < size) count += counts[--from]
    const batch: number[] = []
    for (let place = 0; place < values.length && batch.length < count; place++) {
      const own = classOf(place)
      if (own >= from && own < above) batch.push(place)
    }
    yield batch
    above = from
  }
}
