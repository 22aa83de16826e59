import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRecord } from '../../src/base/json-access.ts'
import { eventLineText, RESERVES_REASONS } from '../../src/events/event.ts'
import { parseEventLine } from '../../src/events/event-lines.ts'
import { lineSchemas } from '../../src/events/line-schemas.ts'
import { ROOT } from '../tidy/source-files.ts'

const PAGE = readFileSync(join(ROOT, 'docs/feeds.md'), 'utf8')
const PLACE = ['slot?', 'tx_index?', 'ordinal?', 'signature', 'mint']
const WITHOUT_PLACE = ['sol_price', 'metadata', 'gap']

const examples = [...PAGE.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, text]) =>
  text.replaceAll('\n', ''),
)

/** The keys that the page lists of each type, those that may be absent with a question mark. */
function listedKeys(): Map<string, string[]> {
  const listed = new Map<string, string[]>()
  let type = ''
  const [, table = ''] = PAGE.split('| type | keys |')
  for (const [, name, keys] of table.split('\n\n')[0].matchAll(/^\| (?:`(\w+)` )?\| (.*) \|$/gm)) {
    type = name ?? type
    const found = [...keys.matchAll(/`(\w+\??)`/g)].map(([, key]) => key)
    listed.set(type, [...(listed.get(type) ?? []), ...found])
  }
  return listed
}

test('the page of event lines lists every type with its keys, as they are judged', () => {
  const judged = Object.entries(lineSchemas('feed')).map(([type, { properties, required }]) => {
    const keys = Object.keys(properties).filter((key) => key !== 'timestamp')
    const isRequired: readonly string[] = required
    return [type, keys.map((key) => `${key}${isRequired.includes(key) ? '' : '?'}`).sort()] as const
  })
  const listed = listedKeys()
  const wholes = [...listed].map(([type, keys]) => {
    const place = WITHOUT_PLACE.includes(type) ? [] : PLACE
    return [type, [...place, ...keys].sort()] as const
  })
  expect(new Map(wholes)).toEqual(new Map(judged))
})

test('each example of the page is a line that is taken, and comes back as it was written', () => {
  expect(examples.length).toBeGreaterThanOrEqual(4)
  const types = new Set<string>()
  for (const text of examples) {
    const event = parseEventLine(text)
    expect(event, text).not.toHaveProperty('error')
    if ('error' in event) continue
    types.add(event.type)
    const given: unknown = JSON.parse(text)
    if (!isRecord(given)) throw new Error('an example is no object')
    const { cashback_raw, ...others } = given
    // A fee of 0 is the same as none.
    const written = cashback_raw === '0' ? others : given
    expect(JSON.parse(eventLineText(event))).toEqual(written)
  }
  expect([...types].sort()).toEqual(['balance', 'reserves', 'swap', 'token_state'])
})

test('the page says of every reason of reserves what happened', () => {
  const [, table = ''] = PAGE.split('| `reason` | what happened |')
  const named = [...table.split('\n\n')[0].matchAll(/^\| (.*?) \| /gm)].flatMap(([, names]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  expect(named).toEqual([...RESERVES_REASONS])
})
