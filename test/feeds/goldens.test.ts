import { expect, test } from 'vitest'
import {
  DISCRIMINATOR_BYTES,
  decodeEvent,
  defaultOf,
} from '../../src/feeds/chain/layouts/decode-event.ts'
import { ChainNormaliser } from '../../src/feeds/chain/normalise.ts'
import type { EmittedBytes } from '../../src/feeds/chain/transactions/program-logs.ts'
import { decodeTransaction } from '../../src/feeds/chain/transactions/transaction.ts'
import { newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { hasData, withData } from './data-folder.ts'
import { decodedOrFail, type Golden, logGoldens, mainnetGoldens, presentFields } from './goldens.ts'
import { SeededRandom } from './seeded-random.ts'

const goldens: Golden[] = hasData ? [...logGoldens(), ...mainnetGoldens()] : []

function transactionWith(selfCpi: readonly EmittedBytes[]) {
  return {
    slot: 1,
    txIndex: 0,
    signature: 'test',
    failed: false,
    blockTime: null,
    signers: [],
    selfCpi,
    logs: null,
    feeRaw: null,
    balances: [],
  }
}

test.skipIf(!hasData)(`the 78 goldens of logs and of 2026 decode exactly${withData}`, () => {
  expect(goldens).toHaveLength(78)
  for (const golden of goldens) {
    const event = decodedOrFail(golden.emitted)
    expect(event.layout.name, golden.label).toBe(golden.event)
    if (event.layout.types.length === 0) continue
    // What was unknown when the goldens were made is a field now.
    const newer = golden.unknownTailHex === '' ? 0 : 1
    expect(presentFields(event, newer), golden.label).toEqual(golden.decoded)
    expect(event.unknownTailBytes, golden.label).toBe(0)
    if (newer === 0) continue
    const tail = Buffer.from(golden.unknownTailHex, 'hex')
    const last = event.toObject()[event.layout.names[event.fieldsPresent - 1]]
    expect(BigInt(String(last)), golden.label).toBe(littleEndian(tail))
  }
})

function littleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

test.skipIf(!hasData)(`goldens cut anywhere have defaults after the cut${withData}`, () => {
  let borders = 0
  const normaliser = new ChainNormaliser(newFeedCounters())
  for (const { emitted, label } of goldens) {
    const whole = decodedOrFail(emitted)
    let before = -1
    for (let size = DISCRIMINATOR_BYTES; size <= emitted.bytes.length; size++) {
      const cut = decodeEvent(emitted.program, emitted.bytes.subarray(0, size))
      if (cut === null) throw new Error(`${label} is no event at ${size} bytes`)
      expect(cut.fieldsPresent).toBeGreaterThanOrEqual(before)
      if (cut.fieldsPresent === before) continue
      before = cut.fieldsPresent
      borders++
      const expected = whole.layout.types.map((type, index) =>
        index < cut.fieldsPresent ? whole.values[index] : defaultOf(type),
      )
      expect(cut.values, `${label} at ${size} bytes`).toEqual(expected)
      normaliser.events(transactionWith([{ ...emitted, bytes: emitted.bytes.subarray(0, size) }]))
    }
    expect(before).toBe(whole.fieldsPresent)
  }
  console.log(`${borders} field borders cut`)
})

test.skipIf(!hasData)(
  `1 to 64 bytes after a golden change nothing and are counted${withData}`,
  () => {
    const seed = Number(process.env.SEED ?? 20_261_008)
    console.log(`bytes after goldens with SEED=${seed}`)
    const random = new SeededRandom(seed)
    for (const { emitted, label } of goldens) {
      const plain = decodedOrFail(emitted)
      // An older event that ends early would take the bytes for its missing fields.
      const { types } = plain.layout
      if (types.length === 0 || plain.fieldsPresent < types.length) continue
      for (let length = 1; length <= 64; length++) {
        const bytes = Buffer.concat([emitted.bytes, random.bytes(length)])
        const counters = newFeedCounters()
        const [event] = decodeTransaction(transactionWith([{ ...emitted, bytes }]), counters)
        expect(event.values, label).toEqual(plain.values)
        expect(event.unknownTailBytes).toBe(plain.unknownTailBytes + length)
        expect(counters.unknownTails).toBe(1)
      }
    }
  },
)
