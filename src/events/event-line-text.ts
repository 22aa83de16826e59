import { snakeCase } from '../base/snake-case.ts'
import type { EventFields, FeedEvent } from './event.ts'

/** The event line of an event (contract section 7); `parseFoldedLine` gives the same event back. */
export function eventLineText(event: FeedEvent): string {
  const fields: EventFields<FeedEvent> = event
  return lineOf(fields)
}

/** Without an array of entries, which the journal felt (docs/performance-tried.md). */
function lineOf(fields: Readonly<Record<string, unknown>>): string {
  const line: Record<string, unknown> = {}
  for (const key in fields) {
    const value = fields[key]
    line[lineKey(key)] = typeof value === 'bigint' ? String(value) : value
  }
  return JSON.stringify(line)
}

/** Names of the lines by those of the events; there are some forty. */
const lineKeys = new Map<string, string>()

function lineKey(key: string): string {
  const known = lineKeys.get(key)
  if (known !== undefined) return known
  const made = snakeCase(key)
  lineKeys.set(key, made)
  return made
}
