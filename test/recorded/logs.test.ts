import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { dataFile, hasData, withData } from '../feeds/data-folder.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import { checkAll } from '../model/full-check.ts'
import { Pair } from '../model/pair.ts'
import { replayInto } from './engine-sink.ts'

const LOGS = ['jouleka-memecoin-bot', 'logs_subscribe_pumpfun.jsonl'] as const

test.skipIf(!hasData)(
  `the recorded logs end in 37 traded mints, 93 swaps and 19 creations${withData}`,
  async () => {
    const engine = new Engine({ clock: 'event' })
    const { events, counters, reported } = await replayInto(engine, dataFile(...LOGS))
    expect(counters).toMatchObject({ failedTransactions: 47, badLines: 0 })
    expect(reported).toEqual([])
    expect(engine.counts).toMatchObject({ swaps: 93, duplicates: 0, lateRefused: 0 })
    const traded = new Set(events.flatMap((e) => (e.type === 'swap' ? [e.mint] : [])))
    const created = new Set(events.flatMap((e) => (e.type === 'token_created' ? [e.mint] : [])))
    expect([traded.size, created.size]).toEqual([37, 19])
    const answers = new EngineQueries(engine, () => {})
    const rows: { tx_24h: number }[] = JSON.parse(answers.marketData([...traded]))
    expect(rows).toHaveLength(37)
    expect(rows.reduce((sum, { tx_24h }) => sum + tx_24h, 0)).toBe(93)
    const named: { creator: string; name: string }[] = JSON.parse(answers.marketData([...created]))
    expect(named.filter(({ creator, name }) => creator !== '' && name !== '')).toHaveLength(19)
  },
)

test.skipIf(!hasData)(
  `engine and oracle agree on the recorded logs after every tenth event${withData}`,
  async () => {
    const { events } = await replayInto(new Engine({ clock: 'event' }), dataFile(...LOGS))
    const pair = new Pair('event')
    for (const [index, event] of events.entries()) {
      pair.apply(event)
      if (index % 10 === 0 || index === events.length - 1)
        expect(checkAll(pair, index), `event ${index}`).toBeNull()
    }
  },
)

test.skipIf(!hasData)(`the recorded logs folded twice change nothing${withData}`, async () => {
  const engine = new Engine({ clock: 'event' })
  const { events } = await replayInto(engine, dataFile(...LOGS))
  const once = everyRead(engine, events)
  await replayInto(engine, dataFile(...LOGS))
  expect(firstUnlike(everyRead(engine, events), once)).toBeNull()
  // Beside the swaps two curves are told to be mayhem ones.
  expect(engine.counts).toMatchObject({ swaps: 93, duplicates: 95, secondCreations: 19 })
})
