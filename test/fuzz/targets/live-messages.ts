import {
  acknowledgement,
  LIVE_ACTIONS,
  LIVE_EVENTS,
  liveErrorFrame,
  parseLiveMessage,
} from '../../../src/wire/live-messages.ts'
import { randomJson } from '../mutations.ts'
import { type FuzzTarget, holds } from '../target.ts'

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
    if (random.chance(0.4)) data.mint = mint()
    if (random.chance(0.4)) data.mints = Array.from({ length: random.below(5) }, mint)
    if (random.chance(0.05)) data.filter = NESTED
    const text = JSON.stringify({ event: random.pick(LIVE_EVENTS), data })
    const depth = random.below(NESTED_MAX)
    return Buffer.from(text.replace(`"${NESTED}"`, '['.repeat(depth) + ']'.repeat(depth)))
  },
  run(input) {
    const request = parseLiveMessage(UTF8.decode(input), ID)
    if (request.kind === 'refused') {
      holds(request.message.length > 0 && request.message.length < 2000, 'a refusal says why')
      JSON.parse(liveErrorFrame(request.code, request.message))
    } else if (request.kind === 'trades' || request.kind === 'broadcast') {
      JSON.parse(acknowledgement(request))
    }
  },
}
