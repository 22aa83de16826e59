import { snakeCase } from '../base/snake-case.ts'
import type { FeedEvent } from '../engine/event.ts'

/** The event line of an event (contract section 7); `parseFoldedLine` gives the same event back. */
export function eventLineText(event: FeedEvent): string {
  const line: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(event))
    line[lineKey(key)] = typeof value === 'bigint' ? String(value) : value
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
