import { expect, test } from 'vitest'
import { type LiveRequest, parseLiveMessage } from '../../../../src/protocol/live/live-messages.ts'
import {
  type LiveConnection,
  MAX_MESSAGE_BYTES_PER_SECOND,
  MessageBudget,
  type MessageLimits,
  MessageRate,
} from '../../../../src/server/live/connection/connection.ts'

/** Limits of the server, private to their files. */
const MAX_MESSAGE_BYTES = 64 * 1024

type Sender = Pick<LiveConnection, 'rate' | 'load'>

const WIDE: MessageLimits = {
  messagesPerSecond: 1e9,
  messagesPerSecondPerAddress: 1e9,
  subscriptionsPerSecondPerAddress: 1e9,
}
const OF_CONNECTION = 'too many messages in one second'
const OF_ADDRESS = 'too many messages of one address in one second'
const KEYS_OF_ADDRESS = 'too many subscriptions of one address in one second'

/** So many connections of one address. */
function connections(count: number): readonly Sender[] {
  const load = { connections: count, rate: new MessageRate() }
  return Array.from({ length: count }, () => ({ rate: new MessageRate(), load }))
}

/** A connection of this machine. */
const ofThisMachine = (): Sender => ({ rate: new MessageRate(), load: null })

/** How many messages pass before the first refusal, and what it says. */
function passed(refusal: () => string | null): readonly [number, string] {
  for (let count = 0; count < 1e6; count++) {
    const why = refusal()
    if (why !== null) return [count, why]
  }
  throw new Error('nothing was refused')
}

test('a connection may send so many messages a second, and as many again in the next one', () => {
  const budget = new MessageBudget({ ...WIDE, messagesPerSecond: 5 })
  for (const from of [ofThisMachine(), connections(1)[0]])
    for (const beganMs of [0, 1000, 2000]) {
      expect(passed(() => budget.messageRefusal(from, 1, beganMs))).toEqual([5, OF_CONNECTION])
      expect(budget.messageRefusal(from, 1, beganMs + 999)).toBe(OF_CONNECTION)
    }
})

test('a connection may send 16 MiB a second, also one of this machine', () => {
  const budget = new MessageBudget(WIDE)
  const most = MAX_MESSAGE_BYTES_PER_SECOND / MAX_MESSAGE_BYTES
  expect(most).toBe(256)
  for (const from of [ofThisMachine(), connections(1)[0]])
    for (const nowMs of [0, 1000])
      expect(passed(() => budget.messageRefusal(from, MAX_MESSAGE_BYTES, nowMs))).toEqual([
        most,
        OF_CONNECTION,
      ])
})

test('an address may send 16 MiB a second on all of its connections, and who sends little stays', () => {
  const budget = new MessageBudget(WIDE)
  const [quiet, ...floods] = connections(4)
  const most = MAX_MESSAGE_BYTES_PER_SECOND / MAX_MESSAGE_BYTES
  let next = 0
  const flood = () => budget.messageRefusal(floods[next++ % floods.length], MAX_MESSAGE_BYTES, 0)
  expect(passed(flood)).toEqual([most, OF_ADDRESS])
  expect(budget.messageRefusal(quiet, 1_000, 1)).toBe(null)
  expect(budget.messageRefusal(floods[0], 1, 1_000)).toBe(null)
})

test('past the messages of an address those are refused that sent more than an equal part', () => {
  const budget = new MessageBudget({ ...WIDE, messagesPerSecondPerAddress: 100 })
  const [quiet, equal, flood, other] = connections(4)
  const send = (from: Sender, count: number) =>
    Array.from({ length: count }, () => budget.messageRefusal(from, 1, 0)).filter(Boolean).length
  expect([send(equal, 24), send(flood, 60), send(other, 16)]).toEqual([0, 0, 0])
  expect([send(quiet, 25), send(equal, 1)]).toEqual([0, 0])
  expect([send(quiet, 1), send(equal, 1), send(flood, 1), send(other, 1)]).toEqual([1, 1, 1, 0])
})

test('each mint, wallet, table and chart that is asked for counts, and pings count for none', () => {
  const budget = new MessageBudget({ ...WIDE, subscriptionsPerSecondPerAddress: 10 })
  const read = (event: string, data: object): LiveRequest =>
    parseLiveMessage(
      JSON.stringify({ event, data: { action: 'subscribe', id: 'me', ...data } }),
      'me',
      () => true,
    )
  const mints = (count: number) => Array.from({ length: count }, (_, n) => `m${n}`)
  const requests: readonly (readonly [LiveRequest, number])[] = [
    [read('update_mint_info', { mints: mints(3) }), 3],
    [read('update_mint_info', { mints: mints(4), seq: true }), 4],
    [read('wallet_trades', { wallets: mints(2) }), 2],
    [read('mint_migration', {}), 1],
    [read('candles', { mint: 'A', resolution: '1S' }), 1],
  ]
  for (const [request, keys] of requests) {
    expect(request.kind).not.toBe('refused')
    const [from] = connections(1)
    const most = Math.floor(10 / keys)
    for (const nowMs of [0, 1000])
      expect(passed(() => budget.requestRefusal(from, request, nowMs))).toEqual([
        most,
        KEYS_OF_ADDRESS,
      ])
  }
  const [from] = connections(1)
  const free = ['{"type":"ping"}', 'x'].map((text) => parseLiveMessage(text, 'me', () => true))
  for (let n = 0; n < 100; n++)
    for (const request of free) expect(budget.requestRefusal(from, request, 0)).toBe(null)
  const here = ofThisMachine()
  for (let n = 0; n < 100; n++) expect(budget.requestRefusal(here, requests[0][0], 0)).toBe(null)
})
