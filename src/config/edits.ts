/** Letters wrong, left out, added or changed places between two words: the optimal string alignment distance. */
export function editsBetween(a: string, b: string): number {
  let beforeLast: readonly number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isOther = a[i - 1] === b[j - 1] ? 0 : 1
      const edits = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + isOther)
      const areSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(areSwapped ? Math.min(edits, beforeLast[j - 2] + 1) : edits)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]
}
