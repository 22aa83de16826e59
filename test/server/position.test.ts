import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeService, startFake } from './fake-service.ts'

let fake: FakeService
let seq = 41
beforeAll(async () => {
  fake = await startFake({ position: { epoch: () => 'e1', seq: () => seq } })
})
afterAll(() => fake.server.stop())

const positionOf = ({ headers }: Response) => [
  headers.get('x-mintfeed-seq'),
  headers.get('x-mintfeed-epoch'),
]

test('an unchanged body is a 304 that tells the newer stream position', async () => {
  const url = `${fake.server.url}/api/v2/search/tokens/detailed?query=a`
  const first = await fetch(url)
  expect(positionOf(first)).toEqual(['41', 'e1'])
  seq = 42
  const again = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
  expect(positionOf(again)).toEqual(['42', 'e1'])
})

test('errors and POST answers of the API tell the stream position, other paths do not', async () => {
  expect(positionOf(await fetch(`${fake.server.url}/api/v2/nope`))).toEqual([String(seq), 'e1'])
  const headers = { 'content-type': 'application/json' }
  const tables = await fetch(`${fake.server.url}/api/v2/meme`, {
    method: 'POST',
    headers,
    body: '{}',
  })
  expect(positionOf(tables)).toEqual([String(seq), 'e1'])
  expect(positionOf(await fetch(`${fake.server.url}/healthz`))).toEqual([null, null])
})
