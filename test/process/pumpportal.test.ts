import { expect, test } from 'vitest'
import { MockSocketServer } from '../feeds/mock-socket-server.ts'
import { portalMarket } from '../feeds/pumpportal/portal-market.ts'
import { SeededRandom } from '../feeds/seeded-random.ts'
import { newFolder } from '../new-folder.ts'
import { type Program, startProgram, until } from './program.ts'

async function figuresOf({ url }: Program): Promise<Record<string, unknown>> {
  return (await fetch(`${url}/readyz`)).json() as Promise<Record<string, unknown>>
}

test('the program reads PumpPortal, prices it as it is told to, shows the quality and keeps it all', async () => {
  const server = await MockSocketServer.listen()
  const settings = {
    FEED: 'pumpportal',
    PUMPPORTAL_URL: server.url,
    SOL_PRICE: 'fixed:150.5',
    DATA_DIR: newFolder(),
  }
  const program = await startProgram(settings)
  await server.until(() => server.received.length === 2)
  const market = portalMarket(new SeededRandom(21))
  for (const { text } of market) server.say(text)
  const creations = market.filter(({ kind }) => kind === 'create').length
  const figures = await until('the frames', async () => {
    const now = await figuresOf(program)
    return now.feed_pumpportal_frames_total === market.length ? now : null
  })
  expect(figures).toMatchObject({
    tokens: creations,
    sol_price_usd: 150.5,
    feed_pumpportal_degraded: 1,
    feed_pumpportal_connected: 1,
    feed_pumpportal_continuity_percent: 100,
  })
  server.say({ errors: 'no funds' })
  await program.seen(/it refuses a subscription: no funds/)
  const metrics = await (await fetch(`${program.url}/metrics`)).text()
  expect(metrics).toContain('mintfeed_feed_pumpportal_continuity_ratio 1')
  await program.end('SIGKILL')
  await server.close()
  // Nobody is there to ask again: what comes back was journaled.
  const again = await startProgram(settings)
  const back = await figuresOf(again)
  expect(back).toMatchObject({ tokens: creations, swaps: figures.swaps, sol_price_usd: 150.5 })
  const lost = await until('it says that nobody is there', async () => {
    const { status, reason } = await figuresOf(again)
    return status === 'ready' ? null : String(reason)
  })
  expect(lost).toMatch(/^No feed is connected \(pumpportal: /)
  expect(await again.end('SIGTERM')).toBe(0)
})
