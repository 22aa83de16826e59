/** Snipers, bundlers, fresh wallets and pro traders, at the edges of their thresholds. */
import { Engine } from '../../../src/engine/engine.ts'
import type { Swap } from '../../../src/events/event.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { difference } from '../../model/difference.ts'
import { created, price, START_SECOND, swap, TRADERS } from '../../oracle/fixtures.ts'
import { Oracle } from '../../oracle/oracle.ts'
import type { Case } from '../check.ts'
import { story } from '../story.ts'

const DAY = 86_400
const FLOOR = 50_000_000n

const buy = (signer: string, slot: number, over: Partial<Swap> = {}): Swap =>
  swap({ signer, slot, ...over })

const sniperSlots = story('snipers by slot', [
  created(),
  buy('creator', 101, { quoteRaw: 1000n }),
  ...[102, 103, 104].map((slot) => buy(`wallet of ${slot}`, slot, { quoteRaw: 1000n })),
])

const sniperSeconds = story('snipers by second', [
  created({ slot: null }),
  ...[12, 1, 2, 3, 1].map((after, index) =>
    swap({ signer: `wallet ${index % 4}`, slot: null, timestamp: START_SECOND + after }),
  ),
])

const bundles = story('bundles by floor and slot', [
  created(),
  buy('under', 100, { quoteRaw: FLOOR - 1n }),
  buy('exactly', 100, { quoteRaw: FLOOR }),
  buy('second', 100, { quoteRaw: FLOOR }),
  buy('under two', 101, { quoteRaw: FLOOR - 1_000_000n }),
  buy('over two', 101, { quoteRaw: FLOOR * 2n }),
  created({ mint: 'other', slot: 200, signature: 'create other' }),
  buy('creator', 201, { mint: 'other', quoteRaw: FLOOR }),
  buy('with creator', 201, { mint: 'other', quoteRaw: FLOOR }),
  buy('too late', 202, { mint: 'other', quoteRaw: FLOOR }),
  buy('too late too', 202, { mint: 'other', quoteRaw: FLOOR }),
  created({ mint: 'alone', slot: 300, signature: 'create alone' }),
  buy('single', 300, { mint: 'alone', quoteRaw: FLOOR }),
  buy('single', 301, { mint: 'alone', quoteRaw: FLOOR }),
  buy('poor', 301, { mint: 'alone', quoteRaw: 1n }),
  buy('together', 400, { mint: 'alone', quoteRaw: 1n, signature: 'one', ordinal: 0, txIndex: 1 }),
  buy('with it', 400, { mint: 'alone', quoteRaw: 1n, signature: 'one', ordinal: 1, txIndex: 1 }),
])

const freshTrades = story('fresh by earlier trades', [
  created(),
  created({ mint: 'other', slot: 100, txIndex: 1, signature: 'create other' }),
  ...Array.from({ length: 10 }, (_, index) => buy('busy', 110 + index)),
  buy('busy', 130, { mint: 'other' }),
  ...Array.from({ length: 9 }, (_, index) => buy('less busy', 140 + index)),
  buy('less busy', 160, { mint: 'other' }),
])

const freshTime = story('fresh by time', [
  created(),
  ...['a day', 'nearly a day'].map((signer) => buy(signer, 110)),
  created({ mint: 'other', slot: 200, signature: 'create other', timestamp: START_SECOND + DAY }),
  buy('a day', 210, { mint: 'other', timestamp: START_SECOND + 4 + DAY }),
  buy('nearly a day', 220, { mint: 'other', timestamp: START_SECOND + 3 + DAY }),
])

/** 20 mints, 100 trades and a profit, by the thresholds as they are shipped. */
function proTrader(): string | null {
  const oracle = new Oracle({ clock: 'event' })
  const engine = new Engine({ clock: 'event' })
  const answers = new EngineQueries(engine, () => {})
  const mints = Array.from({ length: 20 }, (_, index) => `mint ${index}`)
  const trades = Array.from({ length: 104 }, (_, index) =>
    swap({
      mint: mints[index % mints.length],
      signer: 'trader',
      slot: 110 + index,
      direction: index < 40 || index % 3 > 0 ? 'buy' : 'sell',
      baseRaw: index < 40 ? 1_000_000n : 10_000n,
      quoteRaw: 1_000_000n,
    }),
  )
  for (const event of [price(100), ...trades]) {
    oracle.apply(event)
    engine.accept(event)
    if (engine.counts.swaps < 96) continue
    for (const mint of mints) {
      const traders = JSON.parse(answers.tokenTraders(mint, TRADERS))
      const found =
        difference(traders, oracle.tokenTraders(mint, TRADERS)) ??
        difference(JSON.parse(answers.marketData([mint])), oracle.marketData([mint]))
      if (found !== null) return `after ${engine.counts.swaps} trades, ${mint}${found}`
    }
  }
  return null
}

export const cases: readonly Case[] = [
  sniperSlots,
  sniperSeconds,
  bundles,
  freshTrades,
  freshTime,
  { name: 'pro traders', run: proTrader },
]
