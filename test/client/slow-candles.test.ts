import { afterEach, expect, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { isRecord } from '../../src/base/json-access.ts'
import { waitUntil } from '../server/raw-http.ts'
import { ScriptedService } from './scripted-service.ts'

let service: ScriptedService
let client: Mintfeed
afterEach(async () => {
  client.close()
  await service.stop()
})

const SERIES = ['o', 'h', 'l', 'c', 'v', 'o_sol', 'h_sol', 'l_sol', 'c_sol', 'v_sol']

/** A frame with flat bars of the seconds `from` to `to`, at the position of the newest one. */
function barsFrame(type: 'snapshot' | 'delta', step: number, from: number, to: number): string {
  const t = Array.from({ length: to - from }, (_, i) => from + i)
  const data = { t, ...Object.fromEntries(SERIES.map((name) => [name, t.map(() => 1)])) }
  const about = { channel: 'candles', type, mint: 'A', resolution: '1S', step, seq: to }
  return JSON.stringify({ ...about, epoch: 'e1', time: to, data, final: t.map(() => false) })
}

const SUBSCRIBED = '{"type":"subscribed","event":"candles","mint":"A","resolution":"1S","seq":1}'

test('bars of a reader that sleeps are joined, and read anew when they are too many', async () => {
  let asked = 0
  let isLeft = false
  service = await ScriptedService.start((socket, message) => {
    if (!isRecord(message) || !isRecord(message.data)) return
    if (message.data.action === 'unsubscribe') isLeft = true
    if (message.data.action !== 'subscribe') return
    asked += 1
    socket.send(SUBSCRIBED)
    const to = asked === 1 ? 4_000 : 20_000
    socket.send(barsFrame('snapshot', 1, to - 4_000, to))
    if (asked > 1) return
    for (let step = 2; step <= 7; step += 1)
      socket.send(barsFrame('delta', step, step * 2_000, step * 2_000 + 2_000))
  })
  client = new Mintfeed(service.url, { liveUrl: service.url.replace('http', 'ws') })
  const candles = client.live.candles('A', '1S', { countback: 5_000 })
  await waitUntil(() => isLeft)
  const first = await candles.next()
  expect(first.value).toMatchObject({ kind: 'bars', isWhole: true, step: 4 })
  const second = await candles.next()
  expect(second.value).toMatchObject({ kind: 'bars', isWhole: true, step: 1 })
  const lengths = [first, second].map(({ value }) => value?.kind === 'bars' && value.bars.length)
  expect(lengths).toEqual([10_000, 4_000])
  expect(asked).toBe(2)
})
