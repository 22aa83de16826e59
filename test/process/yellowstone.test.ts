import { expect, test } from 'vitest'
import { lastSlot } from '../feeds/peers/chain-blocks.ts'
import { replayOf } from '../feeds/peers/feed-run.ts'
import { GeyserPeer } from '../feeds/peers/geyser-peer.ts'
import { transactionLines } from '../feeds/peers/rpc-forms.ts'
import { syntheticChain } from '../feeds/peers/synthetic-chain.ts'
import { newFolder } from '../new-folder.ts'
import { type Program, startProgram, until } from './program.ts'

async function figuresOf({ url }: Program): Promise<Record<string, unknown>> {
  return (await fetch(`${url}/readyz`)).json() as Promise<Record<string, unknown>>
}

test('a program that is killed goes on at its slot: nothing of the chain is missing or counted twice', async () => {
  const chain = syntheticChain(11, 400)
  const peer = new GeyserPeer({ chain, token: 'secret' })
  const settings = {
    FEED: 'yellowstone',
    YELLOWSTONE_URL: await peer.start(),
    YELLOWSTONE_TOKEN: 'secret',
    SOL_PRICE: 'fixed:150',
    // The times of this chain are long gone.
    CLOCK: 'event',
    DATA_DIR: newFolder(),
  }
  const playing = peer.play()
  const reached = (program: Program, slot: number) =>
    until(`slot ${slot}`, async () => {
      const figures = await figuresOf(program)
      return Number(figures.feed_slot) >= slot ? figures : null
    })
  const program = await startProgram(settings)
  await reached(program, chain.blocks[60].slot)
  await program.end('SIGKILL')
  const again = await startProgram(settings)
  const figures = await reached(again, lastSlot(chain))
  const { events } = replayOf(transactionLines(chain))
  expect(figures).toMatchObject({
    swaps: events.filter((event) => event.type === 'swap').length,
    tokens: new Set(events.map((event) => ('mint' in event ? event.mint : ''))).size,
    feed_yellowstone_connected: 1,
    feed_slots_given_up_total: 0,
    status: 'ready',
  })
  const metrics = await (await fetch(`${again.url}/metrics`)).text()
  expect(metrics).toContain('mintfeed_feed_yellowstone_replays_total 1')
  expect(await again.end('SIGTERM')).toBe(0)
  peer.stop()
  await playing
})
