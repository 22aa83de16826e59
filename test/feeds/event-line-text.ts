import type { FeedEvent } from '../../src/events/event.ts'

const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The event line of an event, as any program would write it. */
export function eventLineText(event: FeedEvent): string {
  const entries = Object.entries(event).map(([key, value]) => [
    snake(key),
    typeof value === 'bigint' ? String(value) : value,
  ])
  return JSON.stringify(Object.fromEntries(entries))
}
