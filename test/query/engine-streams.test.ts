import { expect, test, vi } from 'vitest'
import { Budget } from '../../src/base/budget.ts'
import { RECENT_ARRIVALS_MAX } from '../../src/protocol/queries.ts'
import { STREAM_CHANNELS } from '../../src/protocol/wire.ts'
import { EngineService } from '../../src/query/engine-service.ts'
import { SNAPSHOT_MESSAGES } from '../../src/query/engine-streams.ts'
import { NO_TIME } from '../budgets.ts'
import { created, migrated, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { engineOf } from '../store/restoring.ts'

const EACH = 5
const KEYS = {
  update_mint_info: 'mint 0',
  mint_migration: '',
  new_launched_pool: '',
  wallet_trades: 'alice',
  all_trades: '',
  alerts: '',
} as const

function served() {
  const engine = engineOf('event')
  const service = new EngineService(
    engine,
    () => {},
    () => 'e1',
    undefined,
    {
      liveHead: () => EACH,
      liveSince: (after, most) =>
        Array.from({ length: EACH }, (_, n) => `{"n":${n}}`).slice(after, after + most),
      livePage: () => ({ first: 0, alerts: [] }),
    },
  )
  return { engine, service, sources: service.streams.sources }
}

/** Five messages of each channel, and a trade of a second wallet. */
function told() {
  const all = served()
  all.service.attach()
  all.engine.events([price(150)])
  for (let i = 0; i < EACH; i += 1) {
    const mint = `mint ${i}`
    const at = { slot: 2_000 + i, txIndex: 1, timestamp: START_SECOND + i }
    all.engine.events([
      created({ ...at, mint, signature: `created ${i}` }),
      swap({ ...at, txIndex: 2, mint: 'mint 0' }),
      migrated({ ...at, txIndex: 3, mint, signature: `migrated ${i}` }),
    ])
  }
  all.engine.events([
    swap({ slot: 2_100, timestamp: START_SECOND + 9, mint: 'mint 1', signer: 'bob' }),
  ])
  return all
}

test('streams are ready, and arrivals take memory, from the end of the recovery on', () => {
  const { streams } = served().service
  expect([streams.isReady(), streams.memory.bytes]).toEqual([false, 0])
  const { service } = told()
  expect(service.streams.isReady()).toBe(true)
  expect(service.streams.memory.bytes).toBeGreaterThan(RECENT_ARRIVALS_MAX)
})

test.each(STREAM_CHANNELS)(
  'as many messages of %s are told as are asked for, no more',
  (channel) => {
    const source = told().sources[channel]
    const key = KEYS[channel]
    const seqs = (after: number, max: number) => {
      const frames = source.since(key, after, max)
      return typeof frames === 'string' ? frames : frames.map((frame) => JSON.parse(frame).seq)
    }
    const head = channel === 'all_trades' ? EACH + 1 : EACH
    expect(source.head(key)).toBe(head)
    expect(seqs(0, 3)).toEqual([1, 2, 3])
    expect(seqs(3, 1)).toEqual([4])
    expect(seqs(0, 0)).toEqual([])
    expect(seqs(head - 1, 10)).toEqual([head])
    expect(seqs(head, 10)).toEqual([])
  },
)

test('arrivals of before the start are too old, and those behind them are not', () => {
  const { engine, service, sources } = served()
  engine.events([swap({ slot: 10 }), swap({ slot: 11 })])
  service.attach()
  engine.events([swap({ slot: 12 })])
  for (const [channel, key] of [['all_trades', ''] as const, ['wallet_trades', 'alice'] as const]) {
    expect(sources[channel].since(key, 1, 10)).toBe('too_old')
    expect(sources[channel].since(key, 2, 10)).toHaveLength(1)
  }
})

test('an arrival that gave its place to a newer one is too old, and the one behind it is not', () => {
  const { engine, service, sources } = served()
  service.attach()
  for (let i = 0; i < RECENT_ARRIVALS_MAX + 3; i += 1)
    engine.events([swap({ slot: 1_000 + i, txIndex: 0, signature: `arrival ${i}` })])
  expect(sources.all_trades.since('', 2, 1)).toBe('too_old')
  const [frame = ''] = sources.all_trades.since('', 3, 1)
  expect(JSON.parse(frame)).toMatchObject({ seq: 4, data: { signature: 'arrival 3' } })
})

test('a snapshot of launches has the newest of them', () => {
  const { engine, sources } = served()
  const mints = Array.from({ length: SNAPSHOT_MESSAGES + 2 }, (_, i) => `mint ${i}`)
  for (const [i, mint] of mints.entries())
    engine.events([created({ slot: 1_000 + i, mint, signature: mint })])
  const { data } = JSON.parse(sources.new_launched_pool.snapshot('', false, Budget.unlimited))
  expect(data.map(({ mint }: { mint: string }) => mint)).toEqual(mints.slice(2))
})

test('a snapshot that takes long is read in pieces', () => {
  const { service, sources } = told()
  const detail = vi.spyOn(service.answers, 'detail').mockReturnValue('{}')
  const tokens = vi.spyOn(service.answers, 'walletTokens').mockReturnValue('{}')
  sources.update_mint_info.snapshot('mint 0', false, NO_TIME)
  sources.wallet_trades.snapshot('alice', false, NO_TIME)
  expect(detail.mock.lastCall).toEqual(['mint 0', NO_TIME])
  expect(tokens.mock.lastCall).toEqual(['alice', expect.anything(), NO_TIME])
})

test('a snapshot of all trades tells how large the market is, one of an unknown mint nothing', () => {
  const { sources } = told()
  // The creator of the tokens is the third wallet.
  const data = { tokens: EACH, wallets: 3, swaps: EACH + 1, sol_price_usd: 150 }
  const snapshot: unknown = JSON.parse(sources.all_trades.snapshot('', false, Budget.unlimited))
  expect(snapshot).toEqual({
    ...{ channel: 'all_trades', type: 'snapshot', seq: EACH + 1, epoch: 'e1' },
    position: 3 * EACH + 2,
    data: { ...data, time: START_SECOND + 9 },
  })
  const unknown: unknown = JSON.parse(
    sources.update_mint_info.snapshot('unknown', false, Budget.unlimited),
  )
  expect(unknown).toMatchObject({ mint: 'unknown', seq: 0, data: null })
})

test('another engine is read and published once it is used, and nothing of the one before', () => {
  const { engine, service } = told()
  const heard: number[] = []
  service.live.onTrade((trade) => heard.push(trade.tradeSeq))
  service.attach()
  const other = engineOf('event')
  other.events([price(10), created({ mint: 'mint 9', signature: 'created 9' })])
  const tables = service.answers.tables({ type: 'new', filters: {}, limit: 9 })
  const version = service.answers.version()
  service.use(other)
  expect(service.answers.version()).not.toBe(version)
  expect(service.answers.tables({ type: 'new', filters: {}, limit: 9 })).not.toBe(tables)
  expect(service.answers.detail('mint 0')).toBe(null)
  expect(service.streams.sources.new_launched_pool.head('')).toBe(1)
  expect(service.streams.sources.all_trades.since('', 0, 9)).toEqual([])
  engine.accept(swap({ slot: 2_200, mint: 'mint 0' }))
  expect(heard).toEqual([])
  other.accept(swap({ slot: 2_300, mint: 'mint 9' }))
  expect(heard).toEqual([1])
  expect(service.streams.sources.all_trades.since('', 0, 9)).toHaveLength(1)
})
