import { expect, test } from 'vitest'
import { UNFINISHED } from '../../../src/base/budget.ts'
import { accept } from '../../../src/protocol/requests/parsers.ts'
import { collectGarbage } from '../../../src/server/admin/admin-server.ts'
import { jsonReply, type Reply, textOf } from '../../../src/server/http/reply.ts'
import {
  type Answered,
  MAX_CACHED_REQUEST_CHARACTERS,
  ResponseCache,
} from '../../../src/server/http/response-cache.ts'
import { fakeAnswers, startFake } from '../fake-service.ts'

function replyIn(answer: Answered): Reply {
  if (answer instanceof Promise || answer === UNFINISHED || !answer.ok)
    throw new Error('the answer is not there')
  return answer.value
}

test('an answer is made once for a state, and made anew for the next', () => {
  let version = 1
  let made = 0
  const cache = new ResponseCache(() => version, 1 << 20)
  const ask = (key: string) =>
    textOf(replyIn(cache.answer(key, () => accept(jsonReply(`${key} ${++made}`)))))
  expect([ask('a'), ask('b'), ask('a'), ask('b')]).toEqual(['a 1', 'b 2', 'a 1', 'b 2'])
  version = 2
  expect([ask('a'), ask('a')]).toEqual(['a 3', 'a 3'])
  expect(cache.figures()).toMatchObject({
    answer_cache_hits_total: 3,
    answer_cache_misses_total: 3,
  })
})

test('an answer that takes several turns counts as one miss, whatever the turns', () => {
  const cache = new ResponseCache(() => 1, 1 << 20)
  for (let turn = 0; turn < 5; turn++) expect(cache.answer('a', () => UNFINISHED)).toBe(UNFINISHED)
  expect(textOf(replyIn(cache.answer('a', () => accept(jsonReply('made')))))).toBe('made')
  expect(cache.figures()).toMatchObject({
    answer_cache_hits_total: 0,
    answer_cache_misses_total: 1,
  })
})

test('long requests, which V8 hashes by their length alone from 16,384 characters on, are answered anew and not cached', () => {
  const cache = new ResponseCache(() => 0, 1 << 20)
  let made = 0
  const ask = (characters: number) =>
    cache.answer('x'.repeat(characters), () => {
      made += 1
      return accept(jsonReply('[]'))
    })
  for (const characters of [16_384, 16_384, 20_000, MAX_CACHED_REQUEST_CHARACTERS + 1])
    ask(characters)
  expect(made).toBe(4)
  expect(cache.figures()).toMatchObject({ answer_cache_bytes: 0, answer_cache_misses_total: 4 })
  for (let times = 0; times < 2; times++) ask(MAX_CACHED_REQUEST_CHARACTERS)
  expect(made).toBe(5)
})

test('the bodies of tables that are remembered as parsed are short', async () => {
  const parsed = async (characters: number) => {
    const body = `{"limit":1${' '.repeat(characters - 11)}}`
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(`${service.server.url}/api/v2/meme`, {
      method: 'POST',
      headers,
      body,
    })
    expect(response.status).toBe(200)
    return service.calls.pop()?.args[0]
  }
  const service = await startFake()
  expect(await parsed(MAX_CACHED_REQUEST_CHARACTERS)).toBe(
    await parsed(MAX_CACHED_REQUEST_CHARACTERS),
  )
  expect(await parsed(16_384)).not.toBe(await parsed(16_384))
  await service.server.stop()
})

test('the cache stays within its bytes, the answer unasked for longest goes first', () => {
  const cache = new ResponseCache(() => 0, 50_000)
  let made = 0
  const ask = (key: number) =>
    cache.answer(String(key), () => {
      made += 1
      return accept(jsonReply('x'.repeat(1_000)))
    })
  for (let key = 0; key < 1_000; key++) ask(key)
  expect(cache.figures().answer_cache_bytes).toBeLessThanOrEqual(50_000)
  expect(made).toBe(1_000)
  ask(999)
  expect(made).toBe(1_000)
  ask(0)
  expect(made).toBe(1_001)
})

test('short answers, of which millions fit by their bytes, take no more memory than is theirs', () => {
  const maxBytes = 4 << 20
  const cache = new ResponseCache(() => 0, maxBytes)
  const heapBytes = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = heapBytes()
  const head = `200 OK\r\n${'x'.repeat(540)}`
  for (let key = 0; key < 40_000; key++) {
    const { body } = replyIn(cache.answer(`key ${key}`, () => accept(jsonReply('[]'))))
    // Once it goes out it has its ETag and its first lines, as one flat text.
    if (typeof body !== 'string') Buffer.byteLength(body.withTag(head))
  }
  expect(heapBytes() - before).toBeLessThan(1.5 * maxBytes)
  expect(cache.figures().answer_cache_bytes).toBeGreaterThan(0.9 * maxBytes)
})

test('a cached answer lies in memory of its own, and so do its compressed forms', () => {
  const cache = new ResponseCache(() => 0, 1 << 20)
  for (const characters of [2, 300, 3_000, 30_000]) {
    const text = 'x'.repeat(characters)
    for (const [key, json] of [
      [`text ${characters}`, text] as const,
      [`bytes ${characters}`, Buffer.from(text)] as const,
    ]) {
      const { body } = replyIn(cache.answer(key, () => accept(jsonReply(json))))
      if (typeof body === 'string') throw new Error('it is not cached as bytes')
      const forms = [
        body.bytes,
        ...(['br', 'gzip'] as const).flatMap((coding) => body.compressed(coding) ?? []),
      ]
      expect(forms.length).toBe(characters < 1024 ? 1 : 3)
      for (const { buffer, length } of forms) expect(buffer.byteLength).toBe(length)
      expect(body.bytes.toString()).toBe(text)
    }
  }
})

test('of requests of one state each gets the answer to its own path, query and body', async () => {
  const { server } = await startFake({ answers: sameVersion() })
  const get = (path: string) => fetch(`${server.url}/api/v2/search/tokens/${path}`)
  const headers = { 'Content-Type': 'application/json' }
  const post = (body: string) =>
    fetch(`${server.url}/api/v2/meme`, { method: 'POST', headers, body })
  const ask = [
    () => get('detailed?query=a'),
    () => get('detailed?query=b'),
    () => get('a/swaps'),
    () => post('{}'),
    () => post('{"type":"new"}'),
  ]
  for (let times = 0; times < 2; times += 1)
    for (const [place, asked] of ask.entries())
      expect(await (await asked()).text()).toBe(`[${place + 1}]`)
  await server.stop()
})

test('an answer that is cached has the status and the position of each request', async () => {
  let seq = 1
  const position = { epoch: () => 'e1', seq: () => seq }
  const { server } = await startFake({ answers: sameVersion(), position })
  const ask = async (tag = '') => {
    const headers = { 'If-None-Match': tag }
    const answer = await fetch(`${server.url}/api/v2/search/tokens/detailed?query=a`, { headers })
    const told = ['x-mintfeed-seq', 'etag'].map((name) => answer.headers.get(name))
    return [answer.status, await answer.text(), ...told]
  }
  const [, , , tag] = await ask()
  expect(await ask()).toEqual([200, '[1]', '1', tag])
  expect(await ask(String(tag))).toEqual([304, '', '1', tag])
  expect(await ask()).toEqual([200, '[1]', '1', tag])
  seq = 2
  expect(await ask()).toEqual([200, '[1]', '2', tag])
  await server.stop()
})

test('a refusal is never cached', async () => {
  const { server, calls } = await startFake()
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${server.url}/api/v2/search/tokens/detailed`)
    expect(answer.status).toBe(400)
  }
  expect(calls).toEqual([])
  await server.stop()
})

test('the check of cached answers finds one that is not a fresh one', async () => {
  const [stale, checked] = await Promise.all([
    startFake({ answers: sameVersion() }),
    startFake({ answers: sameVersion(), checksCache: true }),
  ])
  const ask = async (url: string) => {
    const answer = await fetch(`${url}/api/v2/search/tokens/detailed?query=a`)
    return [answer.status, answer.status === 200 ? await answer.text() : '']
  }
  expect([await ask(stale.server.url), await ask(stale.server.url)]).toEqual([
    [200, '[1]'],
    [200, '[1]'],
  ])
  expect([await ask(checked.server.url), await ask(checked.server.url)]).toEqual([
    [200, '[1]'],
    [500, ''],
  ])
  await Promise.all([stale.server.stop(), checked.server.stop()])
})

test.each([
  '/api/v2/meme/chart/ohlcv?mint=A&from=0&to=9&resolution=1S',
  '/udf/history?symbol=A&from=0&to=9&resolution=1S',
])(
  'a chart of before the last event is 5 s old at most, although nothing comes after (%s)',
  async (path) => {
    let events = 0
    const answers = { ...fakeAnswers([], () => `[${events}]`), version: () => events }
    const fake = await startFake({ answers, checksCache: true })
    const ask = async () => (await fetch(fake.server.url + path)).text()
    expect(await ask()).toBe('[0]')
    events = 1
    fake.nowMs += 4_999
    expect(await ask()).toBe('[0]')
    fake.nowMs += 1
    expect(await ask()).toBe('[1]')
    await fake.server.stop()
  },
)

/** Answers that change although they say that nothing did. */
function sameVersion() {
  let made = 0
  return { ...fakeAnswers([], () => `[${++made}]`), version: () => 7 }
}
