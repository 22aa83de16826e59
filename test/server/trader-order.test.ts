import { expect, test } from 'vitest'
import { isRecord } from '../../src/base/json-access.ts'
import { swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'

/** A state of a former version may have it: dollars of such swaps are more than a double holds. */
const SOL_PRICE_USD = 1e300
/** More than are simply sorted. */
const TRADERS = 90
const LIMIT = 7

test('traders whose dollars are beyond all numbers are each on one page, in the order of what is told', async () => {
  const service = await EngineServer.start()
  service.engine.state.feedSolPriceUsd = SOL_PRICE_USD
  const signers = Array.from({ length: TRADERS }, (_, i) => `w${i}`)
  for (const signer of signers)
    for (const direction of ['buy', 'sell'] as const)
      service.feed([swap({ signer, direction, quoteRaw: 2n ** 64n - 1n })])
  const told: { readonly pnl: number; readonly wallet: string }[] = []
  for (let page = 1; page <= Math.ceil(TRADERS / LIMIT); page += 1) {
    const path = `/api/v2/search/traders/tokens/mint?page=${page}&limit=${LIMIT}`
    const body = await service.json(path)
    if (!isRecord(body) || !Array.isArray(body.items)) throw new Error(`${path} is no page`)
    for (const item of body.items) told.push({ pnl: Number(item.pnl), wallet: String(item.wallet) })
  }
  expect(told.map(({ wallet }) => wallet).toSorted()).toEqual(signers.toSorted())
  const sorted = told.toSorted((a, b) => b.pnl - a.pnl || (a.wallet < b.wallet ? -1 : 1))
  expect(told).toEqual(sorted)
  service.server.stop()
})
