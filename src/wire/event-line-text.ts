import type { FeedEvent } from '../engine/event.ts'

/** The event line of an event (contract section 7); `parseEventLine` gives the same event back. */
export function eventLineText(event: FeedEvent): string {
  const line: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(event))
    line[key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] =
      typeof value === 'bigint' ? String(value) : value
  return JSON.stringify(line)
}
