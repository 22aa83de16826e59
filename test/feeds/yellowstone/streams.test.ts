import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { expect, test } from 'vitest'
import { AMM_PROGRAM, PUMP_PROGRAM } from '../../../src/feeds/chain/layouts/programs.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { YellowstoneSource } from '../../../src/feeds/yellowstone/yellowstone-source.ts'
import { listening } from '../../process/free-port.ts'
import { replayOf } from '../peers/feed-run.ts'
import { GeyserPeer } from '../peers/geyser-peer.ts'
import { transactionLines } from '../peers/rpc-forms.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'
import { SILENT_RECEIVER } from '../silent-receiver.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { until } from '../until.ts'
import { runYellowstone } from './yellowstone-run.ts'

/** As it goes over the wire. */
const CONFIRMED = 1
const NEVER = new AbortController().signal

test('both programs are asked for, without what failed and without what may be taken back', async () => {
  const chain = syntheticChain(1, 20)
  const { peer } = await runYellowstone({ chain })
  expect(peer.asked).toHaveLength(1)
  expect(peer.asked[0]).toMatchObject({
    slots: { slots: { interslotUpdates: true } },
    transactions: {
      pump: { vote: false, failed: false, accountInclude: [PUMP_PROGRAM, AMM_PROGRAM] },
    },
    blocksMeta: { blocks: {} },
    commitment: CONFIRMED,
    fromSlot: chain.blocks[0].slot - 1,
  })
})

test('slots without transactions that the server cannot tell again are given up, and said', async () => {
  const chain = syntheticChain(3, 60)
  const { figures, reports } = await runYellowstone({
    ...{ chain, isEmptyFrom: 10, firstAvailable: null, blockMs: 400 },
  })
  const lost = reports.flatMap((report) => {
    const [, from, to] = report.match(/slots (\d+) to (\d+) are given up/) ?? []
    return from === undefined ? [] : [[Number(from), Number(to)]]
  })
  // From the last slot that had transactions on: there may be more of it.
  const [had, { slot: empty }] = chain.blocks.slice(9, 11)
  expect(lost.find(([from, to]) => from <= empty && empty <= to)?.[0]).toBe(had.slot)
  expect(figures.feed_slots_given_up_total).toBeGreaterThan(10)
})

test('a stream behind one without transactions is none that works before one comes', async () => {
  const chain = syntheticChain(3, 200)
  const peer = new GeyserPeer({ chain, isEmptyFrom: 0, isEmptyTo: 200 })
  const url = await peer.start()
  const playing = peer.play()
  const timers = new VirtualTimers()
  const source = new YellowstoneSource({
    ...{ peer: { url, token: '' }, counters: newFeedCounters(), timers },
  })
  const heard: string[] = []
  const receiver = {
    ...SILENT_RECEIVER,
    connected: () => heard.push('connected'),
    alive: () => heard.push('alive'),
    slotComplete: () => heard.push('slot'),
  }
  const times = (what: string) => heard.filter((one) => one === what).length
  const { slot } = chain.blocks[0]
  const first = source.connect(receiver, slot, NEVER).catch(({ message }) => message)
  await until(() => times('slot') > 2)
  expect(times('connected')).toBe(1)
  await timers.pass(5_001)
  expect(await first).toBe('slots came without a transaction for 5 s')
  heard.length = 0
  const stopping = new AbortController()
  const second = source.connect(receiver, slot, stopping.signal)
  await until(() => times('alive') > 20)
  expect([times('connected'), times('slot')]).toEqual([0, 0])
  stopping.abort()
  await second
  peer.stop()
  await playing
})

test('a back-fill that goes on for longer than five seconds is not given up', async () => {
  const chain = syntheticChain(2, 40)
  let mayGoOn = false
  const pace = () =>
    until(() => {
      const may = mayGoOn
      mayGoOn = false
      return may
    })
  const peer = new GeyserPeer({ chain, pace })
  const url = await peer.start()
  const playing = peer.play()
  const timers = new VirtualTimers()
  const counters = newFeedCounters()
  const source = new YellowstoneSource({ peer: { url, token: '' }, counters, timers })
  let isOver = false
  const [{ slot: from }, { slot: to }] = [chain.blocks[0], chain.blocks[30]]
  const ended = source.backfill(from, to, SILENT_RECEIVER, NEVER).finally(() => {
    isOver = true
  })
  while (!isOver) {
    const { lines } = counters
    await until(() => {
      mayGoOn = true
      return isOver || counters.lines > lines
    })
    if (!isOver) await timers.pass(3_000)
  }
  await ended
  expect(timers.nowMs()).toBeGreaterThan(5_000)
  peer.stop()
  mayGoOn = true
  await playing
})

test('of a stream that is over no connection stays', async () => {
  const chain = syntheticChain(2, 40)
  const peer = new GeyserPeer({ chain })
  const { port } = new URL(await peer.start())
  const playing = peer.play()
  let open = 0
  const proxy = createServer((socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
    pipeline(socket, connect(Number(port), '127.0.0.1'), socket, () => {})
  })
  const url = `http://127.0.0.1:${await listening(proxy)}`
  const source = new YellowstoneSource({ peer: { url, token: '' }, counters: newFeedCounters() })
  const stopping = new AbortController()
  const slots: number[] = []
  const receiver = { ...SILENT_RECEIVER, slotComplete: (slot: number) => slots.push(slot) }
  const ended = source.connect(receiver, null, stopping.signal)
  await until(() => slots.length > 3)
  await source.backfill(chain.blocks[0].slot, chain.blocks[1].slot, receiver, NEVER)
  stopping.abort()
  await ended
  await until(() => open === 0)
  proxy.close()
  peer.stop()
  await playing
})

test('a stream that the server ends in good order is made anew, and one of a back-fill has not told everything', async () => {
  const chain = syntheticChain(3, 40)
  const { digest, reports } = await runYellowstone({ chain, endsAt: 10 })
  expect(reports).toEqual(['yellowstone: the peer ended the connection'])
  expect(digest).toBe(replayOf(transactionLines(chain)).digest)

  const peer = new GeyserPeer({ chain, endsAt: 10 })
  const url = await peer.start()
  const playing = peer.play()
  const source = new YellowstoneSource({ peer: { url, token: '' }, counters: newFeedCounters() })
  const { slot: from } = chain.blocks[5]
  const { slot: to } = chain.blocks[20]
  const backfill = source.backfill(from, to, SILENT_RECEIVER, NEVER)
  await expect(backfill).rejects.toThrow('the server ended the stream too early')
  peer.stop()
  await playing
})
