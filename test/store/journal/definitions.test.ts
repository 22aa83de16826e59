import { expect, test } from 'vitest'
import { ADDRESS_BYTES_MAX, AddressBook } from '../../../src/engine/state/address-book.ts'
import {
  FRAME,
  FRAME_HEADER_BYTES,
  FrameWriter,
  frameBytes,
  Kind,
} from '../../../src/store/format/journal-format.ts'
import { addDefinitions, applyDefinitions } from '../../../src/store/journal/journaled-engine.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { Random } from '../../oracle/random.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121)
const BOOKS = 30
const STEPS = 6
/** Entries of one kind in one frame. */
const ENTRIES_MAX = 1_024

/** Brings a book addresses, and tokens and wallets among those it knew, as many as no frame or a few hold. */
function grow(book: AddressBook, random: Random): void {
  for (const give of [addAddress, addToken, addWallet]) {
    const most = random.pick([0, 0, 3, 3, ENTRIES_MAX, 2 * ENTRIES_MAX + 1])
    for (let i = 0; i < most; i++) give(book, random)
  }
}

function addAddress(book: AddressBook): void {
  book.address(`address ${book.counts.addresses}`)
}

function addToken(book: AddressBook, random: Random): void {
  const { addresses, tokens } = book.counts
  if (tokens < addresses) book.giveToken(random.integer(0, addresses - 1))
}

function addWallet(book: AddressBook, random: Random): void {
  const { addresses, wallets } = book.counts
  if (wallets < addresses) book.giveWallet(random.integer(0, addresses - 1))
}

/** Payloads of frames that are all of definitions. */
function payloadsOf(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const payloads: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at + FRAME.payloadBytes, true)
    expect(view.getUint32(at + FRAME.kind, true)).toBe(Kind.definitions)
    expect(view.getUint32(at + FRAME.events, true)).toBe(0)
    payloads.push(bytes.slice(at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + length))
    at += frameBytes(length)
  }
  return payloads
}

test('a book that is given what came to another one is the same, in as few frames as hold it', () => {
  const random = new Random(SEED)
  let framesMost = 0
  for (let i = 0; i < BOOKS; i++) {
    const [book, again] = [new AddressBook(), new AddressBook()]
    for (let step = 0; step < STEPS; step++) {
      const known = book.counts
      grow(book, random)
      const frames = new FrameWriter()
      frames.begin(0, 0)
      addDefinitions(frames, 0, book, known)
      const payloads = payloadsOf(frames.bytes)
      for (const payload of payloads) applyDefinitions(payload, again)
      const said = `seed ${SEED}, book ${i}, step ${step}`
      expect(again.counts, said).toEqual(book.counts)
      expect(stateDigest(again.parts), said).toBe(stateDigest(book.parts))
      expect(payloads.length, said).toBe(framesFor(known, book.counts))
      framesMost = Math.max(framesMost, payloads.length)
    }
  }
  expect(framesMost).toBeGreaterThan(3)
})

/** Roles go with the last of the addresses, or behind it. */
function framesFor(before: AddressBook['counts'], after: AddressBook['counts']): number {
  const framesOf = (kind: keyof typeof before) =>
    Math.ceil((after[kind] - before[kind]) / ENTRIES_MAX)
  const ofRoles = Math.max(framesOf('tokens'), framesOf('wallets'))
  const ofAddresses = framesOf('addresses')
  return ofRoles === 0 || ofAddresses === 0 ? ofRoles + ofAddresses : ofRoles + ofAddresses - 1
}

test('a frame has room for as many addresses as it may hold, each as long as may be, and tokens and wallets of all', () => {
  const [book, again] = [new AddressBook(), new AddressBook()]
  for (let i = 0; i < ENTRIES_MAX; i++) {
    const address = String(i).padEnd(ADDRESS_BYTES_MAX, '-')
    book.token(address)
    book.wallet(address)
  }
  const frames = new FrameWriter()
  frames.begin(0, 0)
  addDefinitions(frames, 0, book, again.counts)
  const payloads = payloadsOf(frames.bytes)
  expect(payloads).toHaveLength(1)
  applyDefinitions(payloads[0], again)
  expect(stateDigest(again.parts)).toBe(stateDigest(book.parts))
})

test('definitions that do not go on where a book stands are refused, and leave it as it was', () => {
  const book = new AddressBook()
  book.token('mint')
  book.wallet('wallet')
  const frames = new FrameWriter()
  frames.begin(0, 0)
  addDefinitions(frames, 0, book, { addresses: 0, tokens: 0, wallets: 0 })
  const [payload] = payloadsOf(frames.bytes)
  for (const [kind, name] of ['address', 'token', 'wallet'].entries()) {
    const other = new Uint8Array(payload)
    new DataView(other.buffer).setUint32(kind * 8, 1, true)
    const again = new AddressBook()
    expect(() => applyDefinitions(other, again)).toThrow(
      `The journal defines ${name} 1 where the state knows 0`,
    )
    expect(again.counts).toEqual({ addresses: 0, tokens: 0, wallets: 0 })
  }
})
