/** Longer runs are narrowed first, by what a sample says (Floyd and Rivest). */
const SAMPLED_FROM = 600

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
