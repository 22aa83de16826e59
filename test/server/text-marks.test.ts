import { expect, test } from 'vitest'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'

/** A byte order mark: invisible, and dropped by readers of UTF-8 that are not told otherwise. */
const MARK = '\u{feff}'

test('a text that begins with a byte order mark is told as it came', async () => {
  const service = await EngineServer.start()
  const mint = `${MARK}mint`
  const signature = `${MARK}signature`
  const texts = { name: `${MARK}Name`, symbol: `${MARK}${MARK}`, uri: `${MARK}uri` }
  const about = { description: `${MARK}Description` }
  service.feed([
    created({ mint, creator: `${MARK}creator`, ...texts }),
    { type: 'metadata', timestamp: START_SECOND, mint, ...about },
    swap({ mint, signature, signer: `${MARK}signer` }),
  ])
  const path = encodeURIComponent(mint)
  const [detail, swaps] = await Promise.all([
    service.json(`/api/v2/tokens/${path}`),
    service.json(`/api/v2/search/tokens/${path}/swaps`),
  ])
  expect(detail).toMatchObject({ mint, creator: `${MARK}creator`, ...texts, ...about })
  expect(swaps).toMatchObject({ items: [{ mint, signature, signer: `${MARK}signer` }] })
  service.server.stop()
})
