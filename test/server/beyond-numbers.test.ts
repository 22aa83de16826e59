import { expect, test } from 'vitest'
import { created, swap } from '../oracle/fixtures.ts'
import { USDC } from '../oracle/market.ts'
import { EngineServer } from './engine-server.ts'

/** A state of a former version may have it: what a swap is worth is then more than a double holds. */
const SOL_PRICE_USD = 1e308

test('a creation in USDC told after swaps whose dollars are beyond all numbers is folded, and all of the mint can be read', async () => {
  const service = await EngineServer.start()
  const swaps = ['alice', 'bob'].map((signer) =>
    swap({ slot: 10, signer, quoteRaw: 2n ** 64n - 1n }),
  )
  service.engine.state.feedSolPriceUsd = SOL_PRICE_USD
  service.feed([...swaps, created({ slot: 11, quoteMint: USDC }), swap({ slot: 12 })])
  for (const path of [
    '/api/v2/search/tokens/detailed?query=mint',
    '/api/v2/search/tokens/mint/market-data',
    '/api/v2/search/tokens/mint/swaps',
    '/api/v2/search/traders/tokens/mint',
    '/api/v2/meme/chart/ohlcv?mint=mint&from=0&to=4294967295&resolution=1',
    '/api/v2/tokens/mint',
  ])
    expect(numbersOf(await service.json(path)).filter(isUnknown), path).toEqual([])
  expect(await service.json('/api/v2/search/tokens/mint/swaps')).toMatchObject({ total: 3 })
  await service.server.stop()
})

test('a volume that is told as 0, its dollars being beyond all numbers, passes the filters that 0 passes', async () => {
  const service = await EngineServer.start()
  service.engine.state.feedSolPriceUsd = SOL_PRICE_USD
  service.feed([swap({ slot: 10, quoteRaw: 2n ** 64n - 1n }), swap({ slot: 11, solPriceUsd: 150 })])
  const rows = async (range: object) => {
    const body = JSON.stringify({ type: 'new', newPools: { volumeUsd: range } })
    const headers = { 'Content-Type': 'application/json' }
    return service.json('/api/v2/meme', { method: 'POST', headers, body })
  }
  for (const range of [{ min: 0 }, { max: 0 }, { max: 1 }])
    expect(await rows(range), JSON.stringify(range)).toMatchObject({ new: [{ vol_24h: 0 }] })
  expect(await rows({ min: 1 })).toEqual({ new: [] })
  await service.server.stop()
})

test('a market cap that is told as 0, being beyond all numbers, passes the filters that 0 passes and stands behind others', async () => {
  const service = await EngineServer.start()
  service.engine.state.feedSolPriceUsd = SOL_PRICE_USD
  service.feed([
    created({ slot: 10, mint: 'vast', symbol: 'X', signature: 'a' }),
    created({ slot: 10, mint: 'small', symbol: 'X', signature: 'b', quoteMint: USDC }),
    swap({ slot: 11, mint: 'vast' }),
    swap({ slot: 11, mint: 'small', signature: 'c' }),
  ])
  const rows = async (range: object) => {
    const body = JSON.stringify({ type: 'new', newPools: { mCapUsd: range } })
    const headers = { 'Content-Type': 'application/json' }
    return service.json('/api/v2/meme', { method: 'POST', headers, body })
  }
  expect(await rows({ max: 0 })).toMatchObject({ new: [{ mint: 'vast', market_cap: 0 }] })
  expect(await rows({ min: 1 })).toMatchObject({ new: [{ mint: 'small' }] })
  const found = await service.json('/api/v2/search/tokens/detailed?query=X')
  expect(found).toMatchObject([{ mint: 'small' }, { mint: 'vast' }])
  await service.server.stop()
})

/** Every value of an answer that stands where a number has to be, by the keys whose text is none. */
function numbersOf(value: unknown, key = ''): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => numbersOf(item, key))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, item]) => numbersOf(item, name))
  return /sol|usd|price(?!d)|volume|pnl|^[ohlcv]$/.test(key) ? [value] : []
}

function isUnknown(value: unknown): boolean {
  return typeof value !== 'number' || !Number.isFinite(value)
}
