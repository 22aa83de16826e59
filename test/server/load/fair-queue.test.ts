import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from '../../../src/server/load/loop-scheduler.ts'

/** Limits of the server, private to their files. */
const CLIENT_DEBT_MS = 10
const CLIENT_SLICE_MS = 0.5

interface Item {
  readonly client: string
  readonly index: number
  readonly costMs: number
}

/** A queue before a clock that only work moves. */
class Loop {
  nowMs = 0
  readonly served: Item[] = []
  readonly queue = new FairQueue<Item>(() => this.nowMs)
  readonly #counts = new Map<string, number>()

  add(client: string, costMs: number): void {
    const index = this.#counts.get(client) ?? 0
    this.#counts.set(client, index + 1)
    this.queue.add(client, { client, index, costMs })
  }

  serveOne(): Item | undefined {
    const before = this.served.length
    this.queue.serveOne((item) => {
      this.nowMs += item.costMs
      this.served.push(item)
      return false
    })
    return this.served[before]
  }

  serveAll(): void {
    while (this.queue.size > 0) this.serveOne()
  }
}

const LONGEST_MS = 2
/** Sums of binary fractions are exact. */
const FINEST_MS = 1 / 1024
const costs = fc.integer({ min: 1, max: LONGEST_MS / FINEST_MS }).map((count) => count * FINEST_MS)
const names = fc.integer({ min: 0, max: 9 }).map((index) => `client ${index}`)

test('everything is served once, what is of one client in the order in which it came', () => {
  const steps = fc.oneof(fc.tuple(names, costs), fc.constant(null))
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 300, size: 'max' }), (commands) => {
      const loop = new Loop()
      let added = 0
      for (const command of commands) {
        if (command === null) {
          const hadWork = loop.queue.size > 0
          expect(loop.serveOne() !== undefined).toBe(hadWork)
        } else {
          loop.add(...command)
          added++
          expect(loop.queue.has(command[0])).toBe(true)
        }
        expect(loop.queue.size).toBe(added - loop.served.length)
      }
      loop.serveAll()
      expect(loop.served.length).toBe(added)
      const next = new Map<string, number>()
      for (const { client, index } of loop.served) {
        expect(index).toBe(next.get(client) ?? 0)
        next.set(client, index + 1)
      }
      expect(loop.queue.clientCount).toBe(0)
    }),
  )
})

test('one thing at a time waits for two slices at most, however many want a thousand', () => {
  const floods = fc.array(fc.array(costs, { minLength: 20, maxLength: 40 }), {
    minLength: 1,
    maxLength: 30,
  })
  fc.assert(
    fc.property(floods, fc.array(costs, { minLength: 1, maxLength: 5 }), (flooders, asked) => {
      const loop = new Loop()
      for (const [index, items] of flooders.entries())
        for (const costMs of items) loop.add(`flood ${index}`, costMs)
      const seen = new Set<string>()
      while (seen.size < flooders.length) seen.add(loop.serveOne()?.client ?? '')
      for (const [index, costMs] of asked.entries()) {
        if (loop.queue.size === 0) return
        const came = loop.nowMs
        loop.add(`quiet ${index}`, costMs)
        for (let item = loop.serveOne(); item?.client !== `quiet ${index}`; item = loop.serveOne())
          expect(item).toBeDefined()
        const waitedMs = loop.nowMs - came - costMs
        expect(waitedMs).toBeLessThanOrEqual(2 * (CLIENT_SLICE_MS + LONGEST_MS))
      }
    }),
  )
})

test('new clients, however many, leave the others half of the turns', () => {
  const loop = new Loop()
  for (let index = 0; index < 100; index++) loop.add('old', CLIENT_SLICE_MS)
  loop.serveOne()
  for (let index = 0; index < 10_000 && loop.queue.has('old'); index++) {
    loop.add(`new ${2 * index}`, CLIENT_SLICE_MS)
    loop.add(`new ${2 * index + 1}`, CLIENT_SLICE_MS)
    loop.serveOne()
  }
  expect(loop.served.length).toBeLessThanOrEqual(202)
  // Those who were served are forgotten again.
  expect(loop.queue.clientCount).toBeLessThanOrEqual(loop.queue.size + 2)
  loop.serveAll()
  expect(loop.queue.clientCount).toBe(0)
})

test('clients that want more than there is get the same time, whatever their steps cost', () => {
  const steps = fc.array(costs, { minLength: 2, maxLength: 8 })
  fc.assert(
    fc.property(steps, (costOf) => {
      const loop = new Loop()
      const tookMs = costOf.map(() => 0)
      for (const [index, costMs] of costOf.entries())
        for (let count = 0; count * costMs < 60; count++) loop.add(String(index), costMs)
      while (costOf.every((_, index) => loop.queue.has(String(index)))) {
        const item = loop.serveOne()
        if (item !== undefined) tookMs[Number(item.client)] += item.costMs
      }
      const apart = Math.max(...tookMs) - Math.min(...tookMs)
      expect(apart).toBeLessThanOrEqual(2 * (CLIENT_SLICE_MS + LONGEST_MS))
    }),
  )
})

/** As long as a slice, somewhat less and much more, so that turns change. */
const sliceCosts = fc.constantFrom(0, 0.5, 1, 1, 2.5).map((slices) => slices * CLIENT_SLICE_MS)
const fewNames = fc.integer({ min: 0, max: 3 }).map((index) => `client ${index}`)

test('whatever there was, as long as something waits something is served, and a queue that ran dry is a new one', () => {
  const steps = fc.array(fc.option(fc.tuple(fewNames, sliceCosts)), { maxLength: 60 })
  fc.assert(
    fc.property(steps, steps, (before, behind) => {
      const [used, fresh] = [new Loop(), new Loop()]
      for (const [loop, commands] of [
        [used, before],
        [used, behind],
        [fresh, behind],
      ] as const) {
        if (commands === behind) loop.served.length = 0
        for (const command of commands)
          if (command !== null) loop.add(...command)
          else {
            const hadWork = loop.queue.size > 0
            expect(loop.serveOne() !== undefined).toBe(hadWork)
          }
        for (let most = commands.length; loop.queue.size > 0 && most >= 0; most--) loop.serveOne()
        expect(loop.queue.size).toBe(0)
      }
      const order = ({ served }: Loop) => served.map(({ client, costMs }) => [client, costMs])
      expect(order(used)).toEqual(order(fresh))
    }),
  )
})

test.each([
  ['at once', 0, 1],
  ['when another was served', 1, 0.5],
])('who asks anew %s after it was served has no more time than others', (_, laterTurns, slices) => {
  const others = 9
  const rounds = 50
  const loop = new Loop()
  for (let index = 0; index < others; index++)
    for (let count = 0; count < 2 * rounds; count++) loop.add(`flood ${index}`, CLIENT_SLICE_MS)
  let askedAt = 0
  for (let turn = 0; turn < rounds * (others + 1); turn++) {
    if (turn === askedAt) loop.add('eager', slices * CLIENT_SLICE_MS)
    if (loop.serveOne()?.client === 'eager') askedAt = turn + 1 + laterTurns
  }
  const turns = loop.served.filter(({ client }) => client === 'eager').length
  expect(turns).toBeGreaterThan(rounds / 2)
  expect(turns * slices).toBeLessThanOrEqual(rounds + 2)
})

test('what is not done goes on behind the rest of its client, and a long step is waited off', () => {
  let nowMs = 0
  const queue = new FairQueue<string>(() => nowMs)
  const served: string[] = []
  const serve = (hasMore: boolean, costMs: number) =>
    queue.serveOne((item) => {
      served.push(item)
      nowMs += costMs
      return hasMore
    })
  queue.add('a', 'a1')
  queue.add('a', 'a2')
  serve(true, 2 * CLIENT_DEBT_MS)
  queue.add('b', 'b1')
  queue.add('b', 'b2')
  for (let index = 0; index < 4; index++) serve(false, 0.01)
  expect(served).toEqual(['a1', 'b1', 'b2', 'a2', 'a1'])
  expect(queue.size).toBe(0)
  serve(false, 0)
  expect(served.length).toBe(5)
})

test('a step that throws takes the place of no other', () => {
  const queue = new FairQueue<string>(() => 0)
  queue.add('a', 'a1')
  queue.add('a', 'a2')
  const fail = () => {
    throw new Error('defect')
  }
  expect(() => queue.serveOne(fail)).toThrow('defect')
  expect(queue.size).toBe(1)
  const served: string[] = []
  queue.serveOne((item) => served.push(item) < 0)
  expect(served).toEqual(['a2'])
})
