import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  FetchQueue,
  QUEUE_LIMITS,
  type RunningFetch,
} from '../../../src/feeds/metadata/fetch-queue.ts'
import { refusal } from '../../../src/feeds/metadata/safe-fetch.ts'

const CID = 'QmNXRiSFc83i6ZJvS56kBobFpj7bUAN2b7mRE18tpiSpZe'
const GATEWAYS = ['https://one.test', 'https://two.test']

function newQueue(): FetchQueue {
  return new FetchQueue(GATEWAYS)
}

function uri(host: number, page = 0): string {
  return `https://h${host}.test/${page}`
}

/** Everything that may begin at a time. */
function takeAll(queue: FetchQueue, nowMs: number): RunningFetch[] {
  const turns: RunningFetch[] = []
  for (let turn = queue.take(nowMs); turn !== null; turn = queue.take(nowMs)) turns.push(turn)
  return turns
}

function must(turn: RunningFetch | null): RunningFetch {
  if (turn === null) throw new Error('nothing may begin')
  return turn
}

test('the oldest is first, but what is traded more goes before it', () => {
  const queue = newQueue()
  for (let mint = 0; mint < 4; mint++) queue.add(`m${mint}`, uri(mint), 0)
  for (let trade = 0; trade < 12; trade++) queue.touch('m2')
  for (let trade = 0; trade < 3; trade++) queue.touch('m3')
  queue.touch('nobody')
  expect(takeAll(queue, 0).map(({ job }) => job.mints[0])).toEqual(['m2', 'm3', 'm0', 'm1'])
})

test('one uri is fetched once for all its mints, also when it is written in two ways', () => {
  const queue = newQueue()
  queue.add('a', `ipfs://${CID}`, 0)
  queue.add('b', `https://ipfs.io/ipfs/${CID}`, 0)
  queue.add('c', uri(1), 0)
  queue.add('d', ` ${uri(1)}`, 0)
  const turns = takeAll(queue, 0)
  expect(turns.map(({ url }) => url)).toEqual([`https://one.test/ipfs/${CID}`, uri(1)])
  expect(turns.map(({ job }) => job.mints)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
})

test('of the mints of one uri so many are told together, those beyond are counted', () => {
  const queue = newQueue()
  for (let mint = 0; mint < 70; mint++) queue.add(`m${mint}`, uri(1), 0)
  expect(must(queue.take(0)).job.mints).toEqual(Array.from({ length: 64 }, (_, n) => `m${n}`))
  expect(queue.dropped).toBe(6)
})

test('of a fetch that is over nothing stays', () => {
  const queue = newQueue()
  queue.add('a', uri(1), 0)
  const turn = must(queue.take(0))
  queue.settle(turn, null, 0)
  queue.touch('a')
  expect(turn.job.trades).toBe(0)
})

test.each([
  ['the gateways have', (mint: number) => `ipfs://${'Qm'.padEnd(46, String(10_000 + mint))}`],
  ['one slow host has', (mint: number) => uri(1, mint)],
])('thousands of uris that %s are not read again at each look while they wait', (_, uriOf) => {
  const queue = newQueue()
  for (let mint = 0; mint < QUEUE_LIMITS.uris; mint++) queue.add(`m${mint}`, uriOf(mint), 0)
  expect(queue.length).toBe(QUEUE_LIMITS.uris)
  takeAll(queue, 0)
  const reading = vi.spyOn(URL, 'parse')
  onTestFinished(() => reading.mockRestore())
  expect(queue.take(0)).toBeNull()
  expect(reading).not.toHaveBeenCalled()
  queue.add('another', uri(2), 0)
  expect(reading).toHaveBeenCalledOnce()
})

test('tries again after 1 s, 5 s, 30 s and 5 min, then gives up', () => {
  const queue = newQueue()
  queue.add('a', `ipfs://${CID}`, 0)
  let nowMs = 0
  const hosts: string[] = []
  for (const waitMs of [1_000, 5_000, 30_000, 300_000]) {
    const turn = must(queue.take(nowMs))
    hosts.push(turn.host)
    expect(queue.settle(turn, refusal('time', false), nowMs)).toBe(false)
    expect(queue.take(nowMs + waitMs - 1)).toBeNull()
    nowMs += waitMs
  }
  expect(queue.settle(must(queue.take(nowMs)), refusal('time', false), nowMs)).toBe(true)
  expect(queue.length).toBe(0)
  // Each try begins with another gateway.
  expect(hosts).toEqual(['one.test', 'two.test', 'one.test', 'two.test'])
})

test('a second try waits for the first tries of others', () => {
  const queue = newQueue()
  queue.add('again', uri(1), 0)
  queue.settle(must(queue.take(0)), refusal('time', false), 0)
  queue.add('new', uri(2), 1_000)
  expect(takeAll(queue, 1_000).map(({ job }) => job.mints[0])).toEqual(['new', 'again'])
})

test('what is final or done is over at once', () => {
  for (const refused of [refusal('address', true), null]) {
    const queue = newQueue()
    queue.add('a', uri(1), 0)
    expect(queue.settle(must(queue.take(0)), refused, 0)).toBe(true)
    expect([queue.length, queue.running]).toEqual([0, 0])
  }
})

test('what every gateway refuses for good is over', () => {
  const queue = newQueue()
  queue.add('a', `ipfs://${CID}`, 0)
  expect(queue.settle(must(queue.take(0)), refusal('status', true), 0)).toBe(false)
  expect(queue.settle(must(queue.take(1_000)), refusal('status', true), 1_000)).toBe(true)
  expect(queue.length).toBe(0)
})

test('one host gets four at once, a rate, and a pause when it fails again and again', () => {
  const queue = newQueue()
  for (let page = 0; page < 40; page++) queue.add(`m${page}`, uri(1, page), 0)
  expect(takeAll(queue, 0)).toHaveLength(4)
  const fast = newQueue()
  for (let page = 0; page < 40; page++) fast.add(`m${page}`, uri(1, page), 0)
  let begun = 0
  for (let turn = fast.take(0); turn !== null; turn = fast.take(0)) {
    begun += 1
    fast.settle(turn, null, 0)
  }
  expect(begun).toBe(20)
  expect(fast.take(99)).toBeNull()
  expect(fast.take(100)).not.toBeNull()
  const failing = newQueue()
  for (let page = 0; page < 10; page++) failing.add(`m${page}`, uri(1, page), 0)
  for (let failure = 0; failure < 5; failure++)
    failing.settle(must(failing.take(0)), refusal('network', false), 0)
  expect(failing.take(59_999)).toBeNull()
  expect(failing.take(60_000)).not.toBeNull()
})

test('a host that asks to wait is left alone for as long', () => {
  const queue = newQueue()
  queue.add('a', uri(1, 1), 0)
  queue.add('b', uri(1, 2), 0)
  queue.settle(must(queue.take(0)), { ...refusal('status', false), retryAfterMs: 7_000 }, 0)
  expect(queue.take(6_999)).toBeNull()
  expect(queue.take(7_000)).not.toBeNull()
})

test('where a redirect leads has its own pace, and what happens there is its own', () => {
  const queue = newQueue()
  for (let host = 1; host <= 6; host++) queue.add(`m${host}`, uri(host), 0)
  const turns = takeAll(queue, 0)
  expect(turns.map((turn) => queue.leadTo(turn, 'led.test', 0))).toEqual([
    ...[true, true, true, true],
    ...[false, false],
  ])
  expect(queue.leadTo(turns[0], 'led.test', 0)).toBe(true)
  queue.settle(turns[0], { ...refusal('status', false), retryAfterMs: 90_000 }, 0)
  queue.settle(turns[1], null, 0)
  // That host asked to be left alone, not the one that led to it.
  expect(queue.leadTo(turns[4], 'led.test', 89_999)).toBe(false)
  queue.add('again', uri(1, 1), 0)
  expect(queue.take(0)?.host).toBe('h1.test')
  expect(queue.leadTo(turns[4], 'led.test', 90_000)).toBe(true)
  expect(queue.leadTo(turns[4], 'h5.test', 90_000)).toBe(true)
})

test('a host that redirects to a slower one is asked no faster than that answers', () => {
  const queue = newQueue()
  for (let page = 0; page < 8; page++) queue.add(`m${page}`, uri(1, page), 0)
  const turns = takeAll(queue, 0)
  expect(turns).toHaveLength(4)
  for (const turn of turns) expect(queue.leadTo(turn, 'slow.test', 0)).toBe(true)
  expect(queue.take(1_000)).toBeNull()
  queue.settle(turns[0], null, 1_000)
  expect(queue.leadTo(must(queue.take(1_000)), 'slow.test', 1_000)).toBe(true)
  // On to a third one, and back to the first.
  expect(queue.leadTo(turns[1], 'third.test', 1_000)).toBe(true)
  expect(queue.leadTo(turns[1], 'h1.test', 1_000)).toBe(true)
  queue.settle(turns[1], null, 1_000)
  expect(takeAll(queue, 2_000)).toHaveLength(1)
})

test('a host that takes the time and then leads to another one does not have that paused', () => {
  const queue = newQueue()
  for (let page = 0; page < 6; page++) queue.add(`m${page}`, uri(1, page), 0)
  for (let late = 0; late < 6; late++) {
    const turn = must(queue.take(0))
    expect(queue.leadTo(turn, 'healthy.test', 0)).toBe(true)
    queue.settle(turn, refusal('time', false), 0)
  }
  queue.add('honest', 'https://healthy.test/1', 0)
  expect(queue.take(0)?.host).toBe('healthy.test')
})

test('hosts that strangers chose cannot take every place', () => {
  const queue = newQueue()
  for (let host = 0; host < 50; host++) queue.add(`m${host}`, uri(host), 0)
  expect(takeAll(queue, 0)).toHaveLength(QUEUE_LIMITS.foreignRunning)
  queue.add('a', `ipfs://${CID}`, 0)
  expect(queue.take(0)?.host).toBe('one.test')
})

test('hosts that strangers chose cannot take every place by redirects of gateways either', () => {
  const queue = newQueue()
  for (let page = 0; page < 4; page++) queue.add(`a${page}`, `ipfs://${CID}/${page}`, 0)
  const turns = takeAll(queue, 0)
  for (let host = 1; host < QUEUE_LIMITS.foreignRunning; host++) queue.add(`m${host}`, uri(host), 0)
  const foreign = takeAll(queue, 0)
  expect(queue.leadTo(turns[0], 'led.test', 0)).toBe(true)
  expect(queue.leadTo(turns[1], 'led.test', 0)).toBe(false)
  // To another gateway, and from one host of strangers to the next, it goes on as it is.
  expect(queue.leadTo(turns[1], 'two.test', 0)).toBe(true)
  expect(queue.leadTo(turns[0], 'on.test', 0)).toBe(true)
  expect(queue.leadTo(foreign[0], 'one.test', 0)).toBe(false)
  expect(queue.leadTo(foreign[0], 'on.test', 0)).toBe(true)
  queue.settle(turns[0], null, 0)
  expect(queue.leadTo(turns[2], 'led.test', 0)).toBe(true)
  for (const turn of [turns[1], turns[2], turns[3], ...foreign]) queue.settle(turn, null, 0)
  for (let host = 20; host < 50; host++) queue.add(`n${host}`, uri(host), 0)
  expect(takeAll(queue, 0)).toHaveLength(QUEUE_LIMITS.foreignRunning)
})

test('a gateway is not paused for content that is nowhere', () => {
  const queue = newQueue()
  for (let page = 0; page < 8; page++) {
    queue.add(`m${page}`, `ipfs://${CID}/${page}`, 0)
    queue.settle(must(queue.take(0)), refusal('time', false), 0)
  }
  queue.add('good', `ipfs://${CID}`, 0)
  expect(queue.take(0)).toMatchObject({ host: 'one.test', job: { mints: ['good'] } })
})

test('a full queue gives up the least wanted of the oldest and counts it', () => {
  const queue = newQueue()
  for (let mint = 0; mint < QUEUE_LIMITS.uris; mint++) queue.add(`m${mint}`, uri(mint), 0)
  for (let trade = 0; trade < 5; trade++) queue.touch('m0')
  queue.add('new', uri(1_000_000), 0)
  expect([queue.length, queue.dropped]).toEqual([QUEUE_LIMITS.uris, 1])
  expect(queue.take(0)?.job.mints).toEqual(['m0'])
  expect(queue.take(0)?.job.mints).toEqual(['m2'])
})

test('whatever comes, no bound is passed and nothing is lost from sight', () => {
  const step = fc.record({
    host: fc.nat(6),
    page: fc.nat(30),
    isIpfs: fc.boolean(),
    ending: fc.constantFrom('done', 'again', 'final', 'wait'),
    passMs: fc.nat(3_000),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = newQueue()
      const running: RunningFetch[] = []
      let nowMs = 0
      for (const [index, { host, page, isIpfs, ending, passMs }] of steps.entries()) {
        nowMs += passMs
        queue.add(`m${index}`, isIpfs ? `ipfs://${CID}/${page}` : uri(host, page), nowMs)
        running.push(...takeAll(queue, nowMs))
        expect(queue.running).toBe(running.length)
        expect(running.length).toBeLessThanOrEqual(QUEUE_LIMITS.running)
        for (const turn of running)
          expect(running.filter((other) => other.host === turn.host).length).toBeLessThanOrEqual(4)
        const turn = ending === 'wait' ? undefined : running.shift()
        const refused = ending === 'done' ? null : refusal('time', ending === 'final')
        if (turn !== undefined) queue.settle(turn, refused, nowMs)
      }
      for (let round = 0; round < 400 && queue.length > 0; round++) {
        for (const turn of running.splice(0)) queue.settle(turn, null, nowMs)
        nowMs += 60_000
        running.push(...takeAll(queue, nowMs))
      }
      expect([queue.length, queue.running]).toEqual([0, 0])
    }),
  )
})
