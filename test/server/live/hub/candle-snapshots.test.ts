import { expect, test, vi } from 'vitest'
import { EngineService } from '../../../../src/query/engine-service.ts'
import { LiveCandles } from '../../../../src/server/live/hub/followed-candles.ts'
import { candleSnapshot } from '../../../model/candle-snapshot.ts'
import { created, price, START_SECOND, swap } from '../../../oracle/fixtures.ts'
import { engineOf } from '../../../store/restoring.ts'

const MINT = 'a mint of many bars'
const BARS = 3_000

test('a snapshot of candles is the text of the chart, which is not read and written again', () => {
  const engine = engineOf('event', 1 << 13)
  const service = new EngineService(
    engine,
    () => {},
    () => 'e1',
  )
  engine.accept(price(150))
  engine.accept(created({ mint: MINT }))
  for (let i = 0; i < BARS; i += 1) {
    const virtualQuoteRaw = 30_000_000_000n + BigInt((i * 7_919) % 1_000_003)
    const place = { slot: 1_100 + i, timestamp: START_SECOND + 100 + i, signature: `swap ${i}` }
    engine.accept(swap({ ...place, mint: MINT, virtualQuoteRaw }))
  }
  service.attach()
  const candles = new LiveCandles(MINT, '1S', service.answers, service.streams)
  const [read, write] = [vi.spyOn(JSON, 'parse'), vi.spyOn(JSON, 'stringify')]
  const snapshot = candleSnapshot(candles, 5_000, service)
  const charactersRead = read.mock.calls.reduce((sum, [text]) => sum + text.length, 0)
  const charactersWritten = write.mock.results.reduce((sum, { value }) => sum + value.length, 0)
  vi.restoreAllMocks()
  const ofTimes = BARS * '1700000000,'.length
  expect(snapshot.length).toBeGreaterThan(10 * ofTimes)
  expect(charactersRead).toBeLessThan(2 * ofTimes)
  expect(charactersWritten).toBeLessThan(2 * ofTimes)
  const { data, final }: { data: { t: number[] }; final: boolean[] } = JSON.parse(snapshot)
  const chart = service.answers.chart({
    mint: MINT,
    resolution: '1S',
    from: 0,
    to: START_SECOND + BARS + 1_000,
    countback: 5_000,
    continuous: false,
    fill: 'none',
    udf: false,
  })
  expect(snapshot).toContain(`"data":${chart},"final":`)
  expect(data.t.length).toBe(BARS)
  expect(final.length).toBe(BARS)
  expect(final[0]).toBe(true)
  expect(final[BARS - 1]).toBe(false)
})
