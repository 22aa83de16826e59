import type { Random } from '../../../src/base/random.ts'
import {
  LIVE_ACTIONS,
  LIVE_EVENTS,
  parseLiveMessage,
} from '../../../src/protocol/live/live-messages.ts'
import { RESOLUTIONS } from '../../../src/protocol/queries.ts'
import { liveErrorFrame } from '../../../src/protocol/wire.ts'
import { randomJson } from '../mutations.ts'
import { type FuzzTarget, holds } from '../target.ts'
import { tableBodies } from './table-bodies.ts'

const ID = 'fuzz'
const WORDS = [
  ...LIVE_EVENTS,
  ...LIVE_ACTIONS,
  'event',
  'data',
  'action',
  'id',
  'mint',
  'mints',
  'wallet',
  'wallets',
  'seq',
  'from_seq',
  'epoch',
  'snapshot',
  'filter',
  'table',
  'resolution',
  'countback',
  ID,
  'type',
  'ping',
]

/** Stands for a value as deep as a message may be long. */
const NESTED = 'nested'
const NESTED_MAX = 32_000

const UTF8 = new TextDecoder()

/** Text frames of the live feed. */
export const liveMessages: FuzzTarget = {
  name: 'live-messages',
  words: WORDS.map((word) => `"${word}"`),
  make(random) {
    if (random.chance(0.2)) return Buffer.from(JSON.stringify(randomJson(random, WORDS)))
    const data: Record<string, unknown> = { action: random.pick(LIVE_ACTIONS), id: ID }
    const mint = () =>
      random.chance(0.8) ? `mint${random.below(9)}` : randomJson(random, WORDS, 1)
    const event = random.pick(LIVE_EVENTS)
    if (random.chance(0.4)) data.mint = mint()
    if (random.chance(0.4)) data.mints = Array.from({ length: random.below(5) }, mint)
    if (random.chance(0.7)) Object.assign(data, wordsOf(event, random))
    if (random.chance(0.05)) data.filter = NESTED
    const text = JSON.stringify({ event, data })
    const depth = random.below(NESTED_MAX)
    return Buffer.from(text.replace(`"${NESTED}"`, '['.repeat(depth) + ']'.repeat(depth)))
  },
  run(input) {
    const request = parseLiveMessage(UTF8.decode(input), ID, () => input.length % 4 > 0)
    if (request.kind === 'refused') {
      holds(request.message.length > 0 && request.message.length < 2000, 'a refusal says why')
      JSON.parse(liveErrorFrame(request.code, request.message))
    }
  },
}

/** What an event may be asked with beside mints. */
function wordsOf(event: (typeof LIVE_EVENTS)[number], random: Random): Record<string, unknown> {
  const seq = () => random.pick([0, 1, 7, random.below(1000), Number.MAX_SAFE_INTEGER])
  switch (event) {
    case 'meme_tables':
      if (random.chance(0.2)) return { table: '0123456789abcdef' }
      return { filter: JSON.parse(tableBodies.make(random).toString()) }
    case 'candles':
      return { resolution: random.pick(RESOLUTIONS), countback: 1 + random.below(5100) }
    case 'wallet_trades':
      if (random.chance(0.5))
        return { wallet: `wallet${random.below(9)}`, ...options(random, seq()) }
      return {
        wallets: ['wallet1', 'wallet2'],
        ...options(random, { wallet1: seq(), wallet3: seq() }),
      }
    default:
      return options(random, random.chance(0.5) ? seq() : { mint1: seq(), mint2: seq() })
  }
}

function options(random: Random, from: unknown): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  if (random.chance(0.5)) given.seq = random.chance(0.8)
  if (random.chance(0.5)) given.from_seq = from
  if (random.chance(0.2)) given.epoch = random.pick(['', 'another', 'x'.repeat(129)])
  if (random.chance(0.5)) given.snapshot = random.chance(0.8)
  return given
}
