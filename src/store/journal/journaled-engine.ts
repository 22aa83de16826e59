import type { Engine } from '../../engine/engine.ts'
import { ADDRESS_BYTES_MAX, type AddressBook } from '../../engine/state/address-book.ts'
import { eventLineText, type FeedEvent } from '../../events/event.ts'
import type { EventSink } from '../../events/event-sink.ts'
import { RecordBatch, SWAP_RECORD_BYTES } from '../../events/swap-record.ts'
import { StoreError } from '../disk/failure.ts'
import { type FrameWriter, Kind } from '../format/journal-format.ts'
import { EventPacker } from '../format/packed-event.ts'

/** Events of a feed written and folded at once; a longer batch is cut into several. */
const EVENTS_PER_WRITE = 1_024
/** Records of one frame: what a torn write can cost at most, and what fits a message of the stream. */
const RECORDS_PER_FRAME = 256

/**
 * Of so many events at most the sync begins behind the turn of the loop, which sends their trades: to begin one wakes a
 * thread, which held them up by 10 to 30 µs. Of more it begins before the fold, and runs beside it.
 */
const FOLDED_FIRST_EVENTS = 32

type Frames = Pick<FrameWriter, 'add' | 'addText'>

/** Where a batch is put as frames before it is folded: the journal on the disk, or the replicated stream. */
export interface EventLog {
  /** Events that it has taken. */
  readonly seq: number
  /** Why it takes no more, or null. */
  readonly failure: StoreError | null
  /** Begins a batch. */
  begin(): Frames
  /**
   * Takes the batch, which ends before this seq.
   * @throws StoreError when it takes no more
   */
  commit(endSeq: number): void
  /** Begins to make a batch last: at once before a long one is folded, and behind the turn of the loop once one is. */
  keepSyncing(begin: 'now' | 'behindTurn'): void
}

/**
 * The engine behind its journal: a batch is encoded, written, then folded and so published. When
 * the disk has refused, batches are left out and counted; what was folded stays readable.
 */
export class JournaledEngine implements EventSink {
  readonly #engine: Engine
  readonly #journal: EventLog
  readonly #isWallClock: boolean
  readonly #records = new RecordBatch(EVENTS_PER_WRITE)
  readonly #packer = new EventPacker()
  readonly #clock = new Float64Array(1)
  readonly #chooseEvictions: (events: number) => readonly number[]
  /** Tokens that the frames being written evict to the cold store. */
  #evicted: readonly number[] = []
  /** What of the address book the journal knows, or will know by folding. */
  #known: AddressBook['counts']
  /** Events left out because the disk had refused. */
  leftOut = 0

  /** `chooseEvictions` names the tokens that become dormant before so many events are folded. */
  constructor(
    engine: Engine,
    journal: EventLog,
    chooseEvictions: (events: number) => readonly number[] = () => [],
  ) {
    this.#chooseEvictions = chooseEvictions
    this.#engine = engine
    this.#journal = journal
    this.#isWallClock = engine.settings.clock === 'wall'
    this.#known = engine.state.book.counts
  }

  /** Writes how the engine is set: first of all of a run, once. */
  settings(): void {
    const frames = this.#journal.begin()
    const text = JSON.stringify(this.#engine.settings)
    frames.addText(Kind.settings, this.#journal.seq, 0, text)
    this.#write(0)
  }

  events(batch: readonly FeedEvent[]): void {
    const records = this.#records
    for (let from = 0; from < batch.length; from += EVENTS_PER_WRITE) {
      const part = batch.slice(from, from + EVENTS_PER_WRITE)
      if (this.#isOver(part.length)) continue
      records.clear()
      for (const event of part)
        if (event.type === 'swap') records.addSwap(event, this.#engine.state.book)
        else records.addOther(event)
      this.#take(records)
    }
  }

  records(batch: RecordBatch): void {
    if (!this.#isOver(batch.events)) this.#take(batch)
  }

  /** Writes a batch, and folds it when the disk has taken it. */
  #take(batch: RecordBatch): void {
    this.#encode(batch)
    if (!this.#write(batch.events)) return
    if (batch.events > FOLDED_FIRST_EVENTS) this.#journal.keepSyncing('now')
    try {
      if (this.#evicted.length > 0) this.#engine.coldStore.evict(this.#evicted)
      this.#engine.records(batch)
      this.#known = this.#engine.state.book.counts
    } finally {
      this.#journal.keepSyncing('behindTurn')
    }
  }

  /** Without `walk` and its two functions for each batch, which took 1 % of the fold at 16 swaps a batch. */
  #encode(batch: RecordBatch): void {
    const frames = this.#begin(batch.events)
    let { seq } = this.#journal
    let from = 0
    for (const { before, event } of batch.others) {
      if (before > from) addRecords(frames, seq, batch, from, before)
      seq += before - from
      from = before
      this.#addOther(frames, seq++, event)
    }
    if (batch.count > from) addRecords(frames, seq, batch, from, batch.count)
  }

  #addOther(frames: Frames, seq: number, event: FeedEvent): void {
    const packed = this.#packer.pack(event)
    if (packed !== null) frames.add(Kind.packed, seq, 1, packed)
    else frames.addText(Kind.event, seq, 1, eventLineText(event))
  }

  /** Had the disk refused before? The batch is left out, its names do not even get numbers. */
  #isOver(events: number): boolean {
    if (this.#journal.failure === null) return false
    this.leftOut += events
    return true
  }

  /**
   * Starts the frames of a batch: the clock when it has moved, what records name, then the tokens that
   * become dormant before it.
   */
  #begin(events: number): Frames {
    const frames = this.#journal.begin()
    const { seq } = this.#journal
    const { now } = this.#engine.state
    if (this.#isWallClock && now !== this.#clock[0]) {
      this.#clock[0] = now
      frames.add(Kind.clock, seq, 0, new Uint8Array(this.#clock.buffer))
    }
    addDefinitions(frames, seq, this.#engine.state.book, this.#known)
    this.#evicted = this.#chooseEvictions(events)
    if (this.#evicted.length > 0)
      frames.add(Kind.rest, seq, 0, new Uint8Array(new Uint32Array(this.#evicted).buffer))
    return frames
  }

  /** False when the disk has refused, now or before: the batch must not be folded. */
  #write(events: number): boolean {
    try {
      this.#journal.commit(this.#journal.seq + events)
      return true
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      this.leftOut += events
      // The end of what fills a gap never comes then.
      this.#engine.endFill()
      return false
    }
  }
}

function addRecords(
  frames: Frames,
  seq: number,
  batch: RecordBatch,
  from: number,
  to: number,
): void {
  for (let first = from; first < to; first += RECORDS_PER_FRAME) {
    const end = Math.min(to, first + RECORDS_PER_FRAME)
    const bytes = batch.bytes.subarray(first * SWAP_RECORD_BYTES, end * SWAP_RECORD_BYTES)
    frames.add(Kind.records, seq + first - from, end - first, bytes)
  }
}

/**
 * What records name by number: [first address, addresses, first token, tokens, first wallet,
 * wallets] as u32, then the address id of each token and of each wallet, then each address as its
 * length (u16) and its UTF-8.
 */
const COUNTS = 6
/** Entries of one kind in one frame; all of them fit a message of the stream. */
const ENTRIES_MAX = 1 << 10

/** Adds frames that define what came to the book since `known`. */
export function addDefinitions(
  frames: Frames,
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

/**
 * Defines what is new; what the book has already must be the same, as where a message of the stream comes twice.
 * @throws StoreError when the definitions do not go on where the book stands
 */
export function applyDefinitions(payload: Uint8Array, book: AddressBook): void {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const { counts } = book
  const addresses = entries(view, 0, counts.addresses)
  const tokens = entries(view, 1, counts.tokens)
  const wallets = entries(view, 2, counts.wallets)
  const rolesAt = COUNTS * 4
  let at = rolesAt + (tokens.count + wallets.count) * 4
  for (let i = 0; i < addresses.count; i++) {
    const end = at + 2 + view.getUint16(at, true)
    const address = book.addressOfBytes(payload, at + 2, end)
    if (i < addresses.known && address !== addresses.first + i) throw otherRun(0, addresses)
    at = end
  }
  const role = (i: number) => view.getUint32(rolesAt + i * 4, true)
  for (let i = 0; i < tokens.count; i++) {
    if (i >= tokens.known) book.giveToken(role(i))
    else if (book.addressOfToken(tokens.first + i) !== role(i)) throw otherRun(1, tokens)
  }
  for (let i = 0; i < wallets.count; i++) {
    const address = role(tokens.count + i)
    if (i >= wallets.known) book.giveWallet(address)
    else if (book.addressOfWallet(wallets.first + i) !== address) throw otherRun(2, wallets)
  }
}

/** The entries of a kind that are defined, and how many of them the book has already. */
interface Entries {
  readonly first: number
  readonly count: number
  readonly known: number
  /** Those that the book has of this kind. */
  readonly held: number
}

function entries(view: DataView, kind: number, held: number): Entries {
  const first = view.getUint32(kind * 8, true)
  const count = view.getUint32(kind * 8 + 4, true)
  const found = { first, count, known: held - first, held }
  if (first > held) throw otherRun(kind, found)
  return found
}

function otherRun(kind: number, { first, held }: Entries): StoreError {
  return new StoreError(
    'damaged',
    `The journal defines ${KINDS[kind]} ${first} where the state knows ${held}: journal and ` +
      'snapshot are not of one run, put back the files of one.',
  )
}

const KINDS = ['address', 'token', 'wallet']
