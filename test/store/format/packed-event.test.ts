import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { parseFoldedValue } from '../../../src/events/event-lines.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { listDataFiles } from '../../../src/store/folder/data-folder.ts'
import { Kind } from '../../../src/store/format/journal-format.ts'
import { EventPacker, unpackedLine } from '../../../src/store/format/packed-event.ts'
import { walkJournal } from '../../../src/store/journal/journal-scan.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { anyEvent } from '../../feeds/arbitrary-events.ts'
import { byLength } from '../../lengths.ts'
import { created, migrated, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { begun, FOLDER, recovered, refusal, SIZES } from '../damage/folder.ts'
import { ImageDisk } from '../damage/image-disk.ts'

/** Where payloads lie in lanes: not at their beginning, as in a segment. */
const PAYLOAD_AT = 40
const LINKS: FeedEvent = {
  type: 'metadata',
  timestamp: START_SECOND,
  mint: 'mint',
  image: null,
  twitter: '',
  description: 'ünï 🚀',
  dexPaid: false,
}

const packer = new EventPacker()

function packed(event: FeedEvent): Uint8Array {
  const bytes = packer.pack(event)
  if (bytes === null) throw new Error('it has no room for the event')
  return bytes.slice()
}

function inLanes(bytes: Uint8Array): Parameters<typeof unpackedLine>[0] {
  const { buffer } = new Uint8Array(PAYLOAD_AT + Math.ceil(bytes.length / 8) * 8)
  const payload = new Uint8Array(buffer, PAYLOAD_AT, bytes.length)
  payload.set(bytes)
  return {
    payload,
    payloadAt: PAYLOAD_AT,
    u32: new Uint32Array(buffer),
    f64: new Float64Array(buffer),
  }
}

const unpacked = (bytes: Uint8Array) => unpackedLine(inLanes(bytes))

/** With one u32 of the header, or of what follows it, another. */
function changed(bytes: Uint8Array, lane: number, value: number): Uint8Array {
  const copy = bytes.slice()
  new DataView(copy.buffer).setUint32(lane * 4, value, true)
  return copy
}

test('every event that is no swap comes back as it was', () => {
  fc.assert(
    fc.property(
      anyEvent.filter(({ type }) => type !== 'swap'),
      (event) => {
        expect(parseFoldedValue(unpacked(packed(event)))).toEqual(event)
      },
    ),
    { numRuns: byLength(800, 4_000) },
  )
})

test.each([
  ['what is cleared, empty and missing', LINKS],
  ['halves of characters', created({ name: 'a\ud800', symbol: '\udfff', uri: '\udfff\u0000' })],
  ['texts of more bytes than there is room for', created({ name: 'ö'.repeat(20_000) })],
  ['the longest amounts', created({ supplyRaw: 2n ** 64n - 1n, realBaseRaw: 0n })],
  ['no slot', created({ slot: null, txIndex: null, ordinal: 2 ** 40 })],
  ['a part of a second, below 0', created({ timestamp: -0.25 })],
])('an event comes back with %s', (_, event) => {
  expect(parseFoldedValue(unpacked(packed(event)))).toEqual(event)
})

test('the types of the format keep their numbers, and new fields come last', () => {
  const place = { slot: 1, txIndex: 2, ordinal: 3, signature: 's', timestamp: 4, mint: 'm' }
  const reserves: FeedEvent = {
    ...{ type: 'reserves', ...place, source: 'pump', reason: 'mayhem', virtualBaseRaw: 1n },
    ...{ virtualQuoteRaw: 2n, realBaseRaw: 3n, realQuoteRaw: 4n, supplyRaw: 5n },
  }
  const balance: FeedEvent = { type: 'balance', ...place, wallet: 'w', balanceRaw: 0n }
  const completion: FeedEvent = { type: 'completed', ...place, bondingCurve: 'b' }
  const creation = created({ quoteMint: 'q', quoteDecimals: 6 })
  const heads = [creation, completion, migrated(), LINKS, reserves, balance].map((event) => {
    const { u32, payloadAt } = inLanes(packed(event))
    return [event.type, u32[payloadAt / 4], u32[payloadAt / 4 + 1].toString(2)]
  })
  expect(heads).toEqual([
    ['token_created', 1, '11111001111111111111'],
    ['completed', 2, '1111111'],
    ['migrated', 3, '11111111'],
    ['metadata', 5, '1100010111'],
    ['reserves', 6, '1111111111111'],
    ['balance', 7, '11111111'],
  ])
})

test('events one after the other have nothing of each other', () => {
  const long = created({ name: 'ö'.repeat(100), quoteMint: 'quote', supplyRaw: 5n, decimals: 6 })
  for (const event of [long, created(), LINKS, created({ supplyRaw: 7n }), long])
    expect(parseFoldedValue(unpacked(packed(event)))).toEqual(event)
})

test('a text of ASCII takes a byte a character, any other one two', () => {
  const bytes = (description: string) => packed({ ...LINKS, description }).length
  expect(bytes('abcd') - bytes('abc')).toBe(1)
  expect(bytes('äbcd') - bytes('äbc')).toBe(2)
})

test.each([
  ['an amount of more than 64 bits', created({ supplyRaw: 2n ** 64n })],
  ['an amount below 0', created({ virtualBaseRaw: -1n })],
  ['a text for a number', Object.assign(created(), { slot: '1' })],
  ['a number for a text', Object.assign(created(), { name: 1 })],
  ['a number for an amount', Object.assign(created(), { supplyRaw: 1 })],
  ['a flag for a number', Object.assign(created(), { decimals: true })],
  ['an amount for a flag', Object.assign(created(), { isMayhemMode: 1n })],
])('there is no room for %s', (_, event) => {
  expect(packer.pack(event)).toBeNull()
})

test.each([
  ['no type', changed(packed(LINKS), 0, 0)],
  ['a type behind the last', changed(packed(LINKS), 0, 8)],
  ['units of 3 bytes', changed(packed(LINKS), 3, 3)],
  ['more fields than lanes', changed(packed({ type: 'sol_price', timestamp: 1, usd: 2 }), 0, 1)],
  ['half a header', packed(LINKS).subarray(0, 8)],
  ['half a unit', packed(LINKS).subarray(0, -1)],
  ['a text that ends before', packed(LINKS).subarray(0, -2)],
  ['a text behind the last', new Uint8Array([...packed(LINKS), 0, 0])],
])('what is whole and makes no sense is no event: %s', (_, bytes) => {
  const line = unpacked(bytes)
  expect(line === null || 'error' in parseFoldedValue(line)).toBe(true)
})

/** Kinds of the frames that events lie in, those of records left out. */
function kindsOf(disk: ImageDisk): number[] {
  const kinds: number[] = []
  const visit: Parameters<typeof walkJournal>[3] = ({ kind, events }) =>
    events > 0 && kinds.push(kind)
  runToEnd(walkJournal(disk, listDataFiles(disk, FOLDER), 0, visit))
  return kinds.filter((kind) => kind !== Kind.records)
}

test('an event that there is no room for is in the journal as its line, and all others packed', () => {
  const disk = new ImageDisk()
  const { engine, journal, journaled } = begun(disk, {}, new Engine(SIZES))
  journaled.settings()
  journaled.events([created(), created({ mint: 'odd', supplyRaw: -1n }), swap(), LINKS])
  journal.close()
  expect(kindsOf(disk)).toEqual([Kind.packed, Kind.event, Kind.packed])
  expect(stateDigest(recovered(disk).engine.parts)).toBe(stateDigest(engine.parts))
})

test.each([
  ['bytes that are none', new Uint8Array(24)],
  ['a field that is missing', changed(packed(created()), 1, 1)],
])('a packed event of %s stops the start', (_, payload) => {
  const disk = new ImageDisk()
  const { journal, journaled } = begun(disk)
  journaled.settings()
  journal.begin().add(Kind.packed, journal.seq, 1, payload)
  journal.commit(journal.seq + 1)
  journal.close()
  const { code, message } = refusal(disk)
  expect(code).toBe('damaged')
  expect(message).toMatch(/frame at seq 0 \(kind 8, byte \d+\) is whole but cannot be read/)
})

test('whatever the bytes are, they are an event or none', () => {
  const random = new Random(11)
  const events = [LINKS, created(), { type: 'sol_price', timestamp: 1, usd: 2 } as const]
  for (let round = 0; round < 20_000; round++) {
    const bytes = packed(events[round % events.length])
    for (let flips = random.integer(0, 3); flips >= 0; flips--)
      bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255)
    const line = unpacked(bytes.subarray(0, random.integer(0, bytes.length)))
    if (line !== null) expect(parseFoldedValue(line)).toBeDefined()
  }
})
