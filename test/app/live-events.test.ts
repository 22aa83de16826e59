import { expect, onTestFinished, test } from 'vitest'
import { Durability } from '../../src/app/durability.ts'
import { LiveEvents } from '../../src/app/live-events.ts'
import { Service } from '../../src/app/service.ts'
import { readConfig } from '../../src/config/config.ts'
import type { FeedEvent, Gap, Swap } from '../../src/events/event.ts'
import { newFolder } from '../new-folder.ts'
import { created, price, swap } from '../oracle/fixtures.ts'

const GAP = { from: 0, to: 999, seconds: 1_700_000_000 }
const gap = (state: Gap['state'], fromSlot: number, toSlot: number): Gap => ({
  ...{ type: 'gap', state, fromSlot, toSlot, timestamp: 1_700_000_000 },
})
const trade = (n: number) => swap({ slot: 1_100 + n, txIndex: n, signature: `trade ${n}` })
const wordOf = (event: FeedEvent) =>
  event.type === 'gap' ? `${event.state} ${event.fromSlot}-${event.toSlot}` : event.type

async function live() {
  const folder = newFolder()
  const config = readConfig([], { DATA_DIR: folder, CLOCK: 'event' })
  const service = new Service(config)
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const durability = await Durability.open({
    ...{ config, folder, service, log, onFailure: () => {}, onSeeding: () => {} },
    ...{ onDiskCall: () => {} },
  })
  onTestFinished(() => durability.close())
  const plan = { gap: GAP, from: 0, live: { seq: 0, segment: 0 }, filledSeq: 0 }
  const events = new LiveEvents(service, durability, plan, new AbortController().signal)
  return { service, events, durability }
}

test('live events come in their order, out of the journal and behind it, without what they say of the gap', async () => {
  const { service, events } = await live()
  const arrived: string[] = []
  const arrive = (trade: Swap) => {
    arrived.push(trade.signature)
    return trade
  }
  service.events([gap('lost', 0, 999), price(150), created(), arrive(trade(1))])
  service.events([gap('open', 990, 1_105), arrive(trade(9))])
  const taken: FeedEvent[] = []
  let more = 10
  const take = (batch: readonly FeedEvent[]) => {
    taken.push(...batch)
    // Some come while the journal is read.
    if (more-- > 0) service.events([arrive(trade(20 - more))])
  }
  let ends = 0
  const beforeEnd = async () => {
    ends += 1
    service.events([arrive(trade(50))])
  }
  await events.all(() => 0, take, beforeEnd)
  expect(ends).toBe(1)
  expect(taken.slice(0, 5).map(wordOf)).toEqual([
    ...['sol_price', 'token_created', 'swap', 'open 1000-1105', 'swap'],
  ])
  const signatures = taken.flatMap((event) => (event.type === 'swap' ? [event.signature] : []))
  expect(signatures).toHaveLength(2 + 10 + 1)
  expect(new Set(signatures).size).toBe(13)
  expect(signatures).toEqual(arrived)
  events.end()
})

test('those that were taken before are passed over', async () => {
  const { service, events } = await live()
  service.events([gap('lost', 0, 999), price(150), created(), trade(1), trade(2), trade(3)])
  const taken: FeedEvent[] = []
  await events.all(
    () => 3,
    (batch) => taken.push(...batch),
    async () => {},
  )
  expect(taken.map((event) => ('signature' in event ? event.signature : ''))).toEqual([
    ...[trade(2).signature, trade(3).signature],
  ])
  events.end()
})

test('more events than may wait are read out of the journal', async () => {
  const { service, events } = await live()
  service.events([price(150), created(), trade(0)])
  const seen = new Set<string>()
  let passes = 0
  const take = (batch: readonly FeedEvent[]) => {
    for (const event of batch) if (event.type === 'swap') seen.add(event.signature)
    if (seen.size === 1 && passes++ === 0)
      for (let n = 1; n <= 60; n++)
        service.events(Array.from({ length: 1_000 }, (_, i) => trade(n * 1_000 + i)))
  }
  let taken = 0
  await events.all(
    () => taken,
    (batch) => {
      taken += batch.length
      take(batch)
    },
    async () => {},
  )
  expect(seen.size).toBe(60_001)
  events.end()
})

test('only what is on the disk is handed over, up to the end', async () => {
  const { service, events, durability } = await live()
  service.events([price(150), created(), trade(0)])
  let handed = 0
  let isEnding = false
  let more = 200
  await events.all(
    () => handed,
    (batch) => {
      handed += batch.length
      if (!isEnding) expect(handed).toBeLessThanOrEqual(durability.lastingSeq)
      if (more-- > 0) service.events([trade(1_000 - more), trade(2_000 - more)])
    },
    async () => {
      isEnding = true
    },
  )
  expect(handed).toBe(durability.seq)
  events.end()
})
