/** `lateEvents` as `late_events`: names of counters as metrics and event lines have them. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
