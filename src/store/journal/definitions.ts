import { ADDRESS_BYTES_MAX, type AddressBook } from '../../engine/state/address-book.ts'
import { StoreError } from '../disk/failure.ts'
import type { FrameWriter } from '../format/frame-writer.ts'
import { Kind } from '../format/journal-format.ts'

/**
 * What records name by number: [first address, addresses, first token, tokens, first wallet,
 * wallets] as u32, then the address id of each token and of each wallet, then each address as its
 * length (u16) and its UTF-8.
 */
const COUNTS = 6
/** Entries of one kind in one frame. */
const ENTRIES_MAX = 1 << 12

/** Adds frames that define what came to the book since `known`. */
export function addDefinitions(
  frames: FrameWriter,
  seq: number,
  book: AddressBook,
  known: AddressBook['counts'],
): void {
  const all = book.counts
  const at = { ...known }
  while (at.addresses < all.addresses || at.tokens < all.tokens || at.wallets < all.wallets) {
    const addresses = Math.min(ENTRIES_MAX, all.addresses - at.addresses)
    // Roles name addresses: those of this frame and before, so they wait for the last addresses.
    const isLast = at.addresses + addresses === all.addresses
    const tokens = isLast ? Math.min(ENTRIES_MAX, all.tokens - at.tokens) : 0
    const wallets = isLast ? Math.min(ENTRIES_MAX, all.wallets - at.wallets) : 0
    frames.add(Kind.definitions, seq, 0, encode(book, at, { addresses, tokens, wallets }))
    at.addresses += addresses
    at.tokens += tokens
    at.wallets += wallets
  }
}

function encode(
  book: AddressBook,
  first: AddressBook['counts'],
  counts: AddressBook['counts'],
): Uint8Array {
  const { addresses, tokens, wallets } = first
  makeRoom(counts)
  const heads = [addresses, counts.addresses, tokens, counts.tokens, wallets, counts.wallets]
  let at = 0
  for (const head of heads) at = scratch.writeUInt32LE(head, at)
  for (let i = 0; i < counts.tokens; i++)
    at = scratch.writeUInt32LE(book.addressOfToken(tokens + i), at)
  for (let i = 0; i < counts.wallets; i++)
    at = scratch.writeUInt32LE(book.addressOfWallet(wallets + i), at)
  for (let i = 0; i < counts.addresses; i++) {
    const length = book.copyText(addresses + i, scratch, at + 2)
    scratch.writeUInt16LE(length, at)
    at += 2 + length
  }
  return scratch.subarray(0, at)
}

/** Holds a payload; most have a few entries, the longest one takes 2 MB. */
let scratch = Buffer.alloc(0)

function makeRoom({ addresses, tokens, wallets }: AddressBook['counts']): void {
  const most = (COUNTS + tokens + wallets) * 4 + addresses * (2 + ADDRESS_BYTES_MAX)
  if (most > scratch.length) scratch = Buffer.alloc(Math.max(most, scratch.length * 2))
}

/** @throws StoreError when the definitions do not go on where the book stands */
export function applyDefinitions(payload: Uint8Array, book: AddressBook): void {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const { counts } = book
  const addresses = entries(view, 0, counts.addresses)
  const tokens = entries(view, 1, counts.tokens)
  const wallets = entries(view, 2, counts.wallets)
  const rolesAt = COUNTS * 4
  let at = rolesAt + (tokens + wallets) * 4
  for (let i = 0; i < addresses; i++) {
    const length = view.getUint16(at, true)
    book.addressOfBytes(payload, at + 2, at + 2 + length)
    at += 2 + length
  }
  for (let i = 0; i < tokens; i++) book.giveToken(view.getUint32(rolesAt + i * 4, true))
  for (let i = 0; i < wallets; i++)
    book.giveWallet(view.getUint32(rolesAt + (tokens + i) * 4, true))
}

/** How many entries of a kind are defined, which have to go on behind the `known` ones. */
function entries(view: DataView, kind: number, known: number): number {
  const first = view.getUint32(kind * 8, true)
  if (first === known) return view.getUint32(kind * 8 + 4, true)
  throw new StoreError(
    'damaged',
    `The journal defines ${KINDS[kind]} ${first} where the state knows ${known}: journal and ` +
      'snapshot are not of one run, put back the files of one.',
  )
}

const KINDS = ['address', 'token', 'wallet']
