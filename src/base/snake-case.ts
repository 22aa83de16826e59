/** `lateEvents` as `late_events`: names of counters as metrics and event lines have them. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Counters as figures: `hugeFrames` is `huge_frames_total` behind the prefix. */
export function totals(counters: object, prefix = ''): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counters).map(([name, n]) => [`${prefix}${snakeCase(name)}_total`, Number(n)]),
  )
}
