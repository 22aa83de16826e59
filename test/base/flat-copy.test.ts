import { expect, test } from 'vitest'
import { readTokenTexts } from '../../src/feeds/metadata/token-texts.ts'
import { parseEventStream, parseLiveId } from '../../src/protocol/live/event-stream.ts'
import { parseQueryString } from '../../src/protocol/requests/parsers.ts'
import { collectGarbage } from '../../src/server/admin/admin-server.ts'

const KEPT = 300
/** What stands around the text that is kept; each of its kinds of text may be that long. */
const AROUND = 15_000

/** Bytes of the heap that one kept thing takes. */
function bytesEach(make: (index: number) => unknown): number {
  const kept: unknown[] = []
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < KEPT; index++) kept.push(make(index))
  collectGarbage()
  const bytes = (process.memoryUsage().heapUsed - before) / KEPT
  expect(kept.length).toBe(KEPT)
  return bytes
}

/** A query string as it comes out of uWebSockets.js: in one piece. */
function query(text: string): string {
  return Buffer.from(`pad=${'x'.repeat(AROUND)}&${text}`).toString()
}

test.each<[string, (index: number) => unknown]>([
  ['an id of a live connection', (index) => parseLiveId(query(`id=client-number-${index}`))],
  [
    'a stream of server-sent events',
    (index) => {
      const parameters = parseQueryString(
        query(`channel=wallet_trades&wallet=wallet-number-${index}`),
      )
      return parameters.ok ? parseEventStream(parameters.value, '', () => true) : parameters
    },
  ],
  [
    'a cut description',
    (index) => readTokenTexts(JSON.stringify({ description: `${index}${'y'.repeat(AROUND)}` })),
  ],
  [
    'a link behind blanks',
    (index) => readTokenTexts(`{"website":"${' '.repeat(AROUND)}https://a.example/${index}"}`),
  ],
])('%s keeps nothing of the text that it was cut out of', (_what, make) => {
  expect(bytesEach(make)).toBeLessThan(4_000)
})
