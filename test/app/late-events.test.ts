import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Durability } from '../../src/app/durability.ts'
import { HistoryBuild } from '../../src/app/history-build.ts'
import { HistoryBuilds } from '../../src/app/history-builds.ts'
import { Service } from '../../src/app/service.ts'
import { Random } from '../../src/base/random.ts'
import { readConfig } from '../../src/config/config.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { fixedPrice, PricedSink } from '../../src/feeds/sol-price/priced-sink.ts'
import { answersOf, replayOf } from '../feeds/peers/feed-run.ts'
import { transactionLines } from '../feeds/peers/rpc-forms.ts'
import { syntheticChain } from '../feeds/peers/synthetic-chain.ts'
import { byLength } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'

const BLOCKS = 160
const SEEDS = byLength(2, 20)
const PATIENCE_MS = 60_000
const PRICE = fixedPrice(150)
/** A stop in order makes a snapshot: two later the journal would begin behind what is late. */
const KEPT = { JOURNAL_KEEP: 'all' }

function eventsOf(seed: number): readonly FeedEvent[] {
  return replayOf(transactionLines(syntheticChain(seed, BLOCKS))).events
}

/** Some events come so many places later: far behind what LATE_SLOTS takes. */
function withLate(events: readonly FeedEvent[], random: Random): readonly FeedEvent[] {
  return events
    .map((event, at) => ({ event, at: random.chance(0.05) ? at + random.between(120, 400) : at }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event)
}

/** Answers of an engine that gets all in order. */
function expected(events: readonly FeedEvent[]): string {
  const service = new Service(readConfig([], { CLOCK: 'event' }))
  new PricedSink(service, PRICE).events(events)
  return answersOf(service.engine, events)
}

/** A service with its folder, as the program puts it together. */
class Run {
  readonly warnings: string[] = []
  hasRoom = true
  readonly late = { waitMs: 1, everyMs: 0 }
  readonly #folder: string
  readonly #config
  service: Service
  durability!: Durability
  builds!: HistoryBuilds
  taken = 0

  constructor(folder: string, settings: Readonly<Record<string, string>> = {}) {
    this.#folder = folder
    const own = { DATA_DIR: folder, CLOCK: 'event', FEED: 'stdin' }
    this.#config = readConfig([], { ...own, ...settings })
    this.service = new Service(this.#config)
  }

  get about() {
    return {
      ...{ config: this.#config, folder: this.#folder },
      log: {
        info: () => {},
        error: () => {},
        warn: (_about: object, text: string) => void this.warnings.push(text),
      },
      ...{ onDiskCall: () => {}, onFailure: () => {}, onSeeding: () => {}, nowMs: Date.now },
    }
  }

  async open(): Promise<this> {
    this.durability = await Durability.open({ ...this.about, service: this.service })
    this.builds = new HistoryBuilds({
      ...this.about,
      live: () => ({ service: this.service, durability: this.durability }),
      late: this.late,
      hasRoom: () => this.hasRoom,
      take: (built) => this.take(built),
    })
    await this.builds.begin()
    return this
  }

  take({ service, durability }: { service: Service; durability: Durability }): void {
    this.service = service
    const options = { ...this.about, service }
    this.durability = Durability.replaced(options, this.durability, durability)
    this.taken += 1
  }

  async feed(events: readonly FeedEvent[], from: number, to: number): Promise<void> {
    const sink = {
      events: (batch: readonly FeedEvent[]) => this.service.events(batch),
      records: () => {},
    }
    const priced = from === 0 ? new PricedSink(sink, PRICE) : sink
    for (let at = from; at < to; at += 20) {
      priced.events(events.slice(at, Math.min(at + 20, to)))
      await turn()
    }
  }

  get isUnderWay(): boolean {
    return this.builds.isUnderWay
  }

  /** Until nothing is out of its place any more. */
  async settled(): Promise<void> {
    const untilMs = performance.now() + PATIENCE_MS
    do {
      await this.builds.look()
      while (this.isUnderWay && performance.now() < untilMs) await sleep(2)
    } while (this.service.engine.late.count > 0 && performance.now() < untilMs)
    expect(this.isUnderWay).toBe(false)
  }

  async close(): Promise<void> {
    await this.builds.stop()
    await this.durability.close()
  }
}

/** A run that has taken the events of a chain, some of them too late. */
async function fed(seed: number) {
  const events = eventsOf(seed)
  const run = await new Run(newFolder()).open()
  await run.feed(withLate(events, new Random(seed, 61)), 0, events.length)
  return { run, events }
}

test('events that come too late are put in their place, and no answer knows that they were late', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = new Random(seed, 61)
    const events = eventsOf(seed)
    const given = withLate(events, random)
    const run = await new Run(newFolder()).open()
    const half = given.length >> 1
    await run.feed(given, 0, half)
    // From a snapshot on, where what is late lies behind it, and from the beginning where it does not.
    if (random.chance(0.5)) await run.durability.snapshot()
    await run.builds.look()
    await run.feed(given, half, given.length)
    await run.settled()
    expect(run.taken, `seed ${seed}`).toBeGreaterThan(0)
    expect(answersOf(run.service.engine, events), `seed ${seed}`).toBe(expected(events))
    expect(run.warnings).toEqual([])
    await run.close()
  }
})

test('a start goes on with what a run before has begun to put in its place', async () => {
  const folder = newFolder()
  const events = eventsOf(31)
  const given = withLate(events, new Random(31, 61))
  const run = await new Run(folder).open()
  await run.feed(given, 0, given.length)
  await run.builds.look()
  expect(run.isUnderWay).toBe(true)
  await run.close()
  const again = await new Run(folder).open()
  while (again.isUnderWay) await sleep(2)
  expect(again.taken).toBe(1)
  expect(answersOf(again.service.engine, events)).toBe(expected(events))
  await again.close()
})

test('stopped again and again while more comes too late, it puts in its place what had come before', async () => {
  const folder = newFolder()
  const events = eventsOf(32)
  const given = withLate(events, new Random(32, 61))
  const part = Math.ceil(given.length / byLength(4, 8))
  let taken = 0
  for (let from = 0; from < given.length; from += part) {
    const run = await new Run(folder, KEPT).open()
    await run.feed(given, from, Math.min(from + part, given.length))
    await run.builds.look()
    // Of a build that has begun something is folded by then, and not all.
    await sleep((from / part) * 3)
    taken += run.taken
    await run.close()
  }
  const last = await new Run(folder, KEPT).open()
  while (last.isUnderWay) await sleep(2)
  // What came since the last build began is put in its place by another.
  await last.settled()
  expect(taken + last.taken).toBeGreaterThan(1)
  expect(answersOf(last.service.engine, events)).toBe(expected(events))
  await last.close()
})

test('events in any order come to the state of their own order', async () => {
  const events = eventsOf(41)
  const random = new Random(41, 61)
  const given = events
    .map((event) => ({ event, at: random.unit() }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event)
  const run = await new Run(newFolder()).open()
  await run.feed(given, 0, given.length)
  const { service, durability } = run
  const build = HistoryBuild.ofLate({ ...run.about, live: { service, durability } }, 0)
  build?.run((built) => run.take(built))
  while (build?.isUnderWay) await sleep(2)
  expect(run.taken).toBe(1)
  expect(answersOf(run.service.engine, events)).toBe(expected(events))
  await run.close()
})

test('a creation that comes too late is put in its place though the engine takes it', async () => {
  const events = eventsOf(61)
  const creation = events.find(({ type }) => type === 'token_created')
  if (creation === undefined) throw new Error('the chain has a creation')
  const given = [...events.filter((event) => event !== creation), creation]
  const run = await new Run(newFolder()).open()
  await run.feed(given, 0, given.length)
  expect(run.service.engine.counts.lateRefused).toBe(0)
  await run.settled()
  expect(run.taken).toBe(1)
  expect(answersOf(run.service.engine, events)).toBe(expected(events))
  await run.close()
})

test('a long gap does not wait for late events, which are put in their place behind it', async () => {
  const { run, events } = await fed(63)
  run.late.waitMs = 600_000
  await run.builds.look()
  // Nothing is fetched while they wait.
  expect(run.builds.figures()).toEqual({})
  const { newestSlot } = run.service.engine
  const gap = { from: newestSlot + 1, to: newestSlot + 9_000, seconds: 1_790_000_100 }
  expect(run.builds.fill(gap)).toBe(true)
  while (run.isUnderWay) await sleep(2)
  run.late.waitMs = 1
  await run.settled()
  expect(run.taken).toBe(1)
  expect(answersOf(run.service.engine, events)).toBe(expected(events))
  await run.close()
})

test('without memory for a second engine late events stay left out, with a line in the log', async () => {
  const { run } = await fed(62)
  run.hasRoom = false
  const { counts, late, state } = run.service.engine
  expect([counts.lateRefused > 0, state.unseen.lastSlot]).toEqual([true, -1])
  await run.builds.look()
  expect([run.isUnderWay, run.warnings.length]).toEqual([false, 1])
  // No token that was there before is known whole any more.
  expect(state.unseen.lastSlot).toBe(late.toSlot)
  await run.close()
})

test('what lies before the journal stays left out, with a line in the log', async () => {
  const events = eventsOf(51)
  const late = events.slice(30, 33)
  const given = events.filter((event) => !late.includes(event))
  const run = await new Run(newFolder()).open()
  await run.feed(given, 0, 200)
  await run.durability.snapshot()
  await run.feed(given, 200, 400)
  await run.durability.snapshot()
  await run.feed(given, 400, given.length)
  await run.durability.snapshot()
  await run.feed(late, 1, late.length)
  await run.settled()
  expect(run.taken).toBe(0)
  expect(run.warnings).toEqual(['events that came too late stay left out'])
  const slots = late.slice(1).map((event) => ('slot' in event ? event.slot : null))
  expect(run.service.engine.state.unseen.lastSlot).toBe(Math.max(...slots.map(Number)))
  await run.close()
})
