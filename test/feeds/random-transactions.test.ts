import { expect, test } from 'vitest'
import { eventLineText } from '../../src/events/event.ts'
import { parseEventLine } from '../../src/events/event-lines.ts'
import { EVENT_LAYOUTS } from '../../src/feeds/chain/layouts/decode-event.ts'
import type { FieldType, FieldValue } from '../../src/feeds/chain/layouts/event-layout.ts'
import { canonicalPoolAddress } from '../../src/feeds/chain/layouts/program-address.ts'
import { WRAPPED_SOL_MINT } from '../../src/feeds/chain/layouts/programs.ts'
import { byLength } from '../lengths.ts'
import { eventBytes } from './peers/event-bytes.ts'
import { address, DecodingFeed } from './peers/told-transaction.ts'
import { SeededRandom } from './seeded-random.ts'

const ROUNDS = byLength(500, 3_000)
/** Most known events are administration, of which nothing is folded. */
const READ = EVENT_LAYOUTS.filter(({ indexes }) => indexes.has('pool') || indexes.has('mint'))
const MINTS = [7, 8, 9].map(address)
/** Mints are quoted in SOL or in one another, in circles too. */
const POOLS = MINTS.flatMap((mint) =>
  [WRAPPED_SOL_MINT, ...MINTS].flatMap((quote) => canonicalPoolAddress(mint, quote) ?? []),
)
const ADDRESSES = [...MINTS, ...POOLS, address(0), address(20), address(21)]
const AMOUNTS = [0n, 1n, 2n, 1_000n, 2n ** 53n, 2n ** 63n - 1n]

test('transactions of random events, lengths, owners and quotes become events that a line can carry, or counts', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  console.log(`random transactions with SEED=${seed}`)
  const random = new SeededRandom(seed)
  const pick = <T>(from: readonly T[]): T => from[random.below(from.length)]
  const randomValue = (type: FieldType): FieldValue | undefined => {
    if (type === 'pubkey') return pick(ADDRESSES)
    if (type === 'u64' || type === 'i64' || type === 'i128') return pick(AMOUNTS)
    if (type === 'u8') return random.below(256)
    return type === 'bool' ? random.below(2) === 1 : undefined
  }
  const told = new DecodingFeed()
  let events = 0
  for (let round = 0; round < ROUNDS; round++) {
    const emitted = Array.from({ length: 1 + random.below(6) }, () => {
      const layout = pick(random.below(4) === 0 ? EVENT_LAYOUTS : READ)
      const values: Record<string, FieldValue> = {}
      for (const [n, name] of layout.names.entries()) {
        const value = name === 'timestamp' ? 1_791_500_000n : randomValue(layout.types[n])
        if (value !== undefined) values[name] = value
      }
      const whole = eventBytes(layout, values)
      const end = random.below(4) === 0 ? random.below(whole.length) : whole.length
      const tail = random.bytes(random.below(8) === 0 ? random.below(20) : 0)
      const bytes = Buffer.concat([whole.subarray(0, end), tail])
      return { program: layout.program, bytes }
    })
    const balances = Array.from({ length: random.below(8) }, () => ({
      ...{ owner: pick([...ADDRESSES, 'nobody']), mint: pick(MINTS) },
      ...{ beforeRaw: pick(AMOUNTS), afterRaw: pick(AMOUNTS), decimals: random.below(256) },
    }))
    const signers = random.below(2) === 0 ? [] : [pick(ADDRESSES)]
    for (const event of told.events(emitted, { balances, signers })) {
      events++
      expect(parseEventLine(eventLineText(event)), eventLineText(event)).not.toHaveProperty('error')
    }
  }
  expect(events).toBeGreaterThan(ROUNDS / 2)
  const { unknownTails, unusableEvents, contradictoryEvents, badDecimals } = told.counters
  const counts = [unknownTails, unusableEvents, contradictoryEvents, badDecimals]
  for (const count of counts) expect(count).toBeGreaterThan(0)
})
