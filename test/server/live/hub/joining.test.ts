import { afterEach, expect, test } from 'vitest'
import { Random } from '../../../oracle/random.ts'
import { swapLate, trades } from '../../../properties/late-trades.ts'
import { EngineServer } from '../../engine-server.ts'
import { LiveClient } from '../../live-client.ts'
import { waitUntil } from '../../raw-http.ts'

const MINT = 'mint'
const PAGE = `/api/v2/search/tokens/${MINT}/swaps?limit=200`

let running: EngineServer | null = null
afterEach(() => running?.server.stop())

interface Read {
  readonly epoch: string
  readonly total: number
  readonly swaps: number
  readonly signatures: readonly string[]
}

/** What a program reads before it follows: the mint's swaps, and its detail. */
async function readOf({ server }: EngineServer): Promise<Read> {
  const page = await fetch(server.url + PAGE)
  const { total, items }: { total: number; items: { signature: string }[] } = JSON.parse(
    await page.text(),
  )
  const detail = await fetch(`${server.url}/api/v2/tokens/${MINT}`)
  const { swaps }: { swaps: number } = JSON.parse(await detail.text())
  const epoch = page.headers.get('x-mintfeed-epoch') ?? ''
  return { epoch, total, swaps, signatures: items.map(({ signature }) => signature) }
}

const signatureOf = (message: unknown) => {
  const { data }: { data?: { signature: string } } = Object(message)
  return data?.signature ?? ''
}

test('who follows from the total of a page of swaps, or the swaps of a detail, gets what is not in it and nothing else', async () => {
  const seed = Number(process.env.SEED ?? 20_261_123)
  console.log(`seed ${seed}`)
  const random = new Random(seed)
  for (let round = 0; round < 8; round++) {
    const service = await EngineServer.start()
    running = service
    const events = swapLate(trades(seed + round, 150), random)
    const [readAt, followAt] = [random.integer(3, 60), random.integer(60, 120)]
    service.feed(events.slice(0, readAt))
    const { epoch, total, swaps, signatures } = await readOf(service)
    expect(swaps).toBe(total)
    service.feed(events.slice(readAt, followAt))
    const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
    const data = { action: 'subscribe', id: 'me', mint: MINT, from_seq: total, epoch }
    const answer = await client.ask({ event: 'update_mint_info', data })
    expect(answer).toMatchObject({ type: 'subscribed', seq: total })
    service.feed(events.slice(followAt))
    await waitUntil(() => client.received.length === 1 + 150 - total)
    const followed = client.received.slice(1).map(signatureOf)
    const whole = await readOf(service)
    expect([...signatures, ...followed].sort()).toEqual([...whole.signatures].sort())
    client.close()
    await service.server.stop()
  }
})
