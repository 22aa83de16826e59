import { foldedAgain } from '../../engine/index/search-entry.ts'
import { StateError } from '../../engine/memory/state-part.ts'
import { bytesOf, lanesOf } from '../../engine/memory/views.ts'
import { StoreError } from '../disk/failure.ts'
import type { ChunkCrcs } from '../format/snapshot-format.ts'
import type { SavedPart } from './saved-part.ts'
import { WiderImages, widerRows } from './wider-births.ts'

/** A frame of the journal in the form of the next version. */
export interface UpgradedFrame {
  readonly kind: number
  readonly payload: Uint8Array
}

/** How frames of a version read in the next one. Header and trailer of a frame never change. */
export interface JournalUpgrade {
  readonly from: number
  /** Left out where frames are what they were. */
  readonly frame?: (kind: number, payload: Uint8Array) => readonly UpgradedFrame[]
}

/** How a snapshot of a version reads in the next one. */
export interface SnapshotUpgrade {
  readonly from: number
  /** The table of contents, where it says something else; the parts it lists stay as they are in the file. */
  readonly contents?: (contents: unknown) => unknown
  /**
   * Begins a snapshot: what it gives reads one part after the other, in the order of the file; they
   * come out in the next one's order. Left out where the layout is the same.
   */
  readonly parts?: () => (part: SavedPart) => readonly SavedPart[]
}

/**
 * How blocks of a chunk of a version read in the next one. A chunk is shared by the snapshots that refer to
 * it by the crc of its header, so it stays as it is and is brought up where it is read; records keep their
 * width.
 */
interface ChunkUpgrade {
  readonly from: number
  /** Changes whole records where they lie; left out where the form is the same. */
  readonly swaps?: (lanes: Uint32Array) => void
  readonly positions?: (lanes: Uint32Array) => void
}

/** What reads the files of older versions: one step for each, from a version to the next. */
export interface FormatUpgrades {
  readonly journal: readonly JournalUpgrade[]
  readonly snapshots: readonly SnapshotUpgrade[]
}

/** The order in which launches and migrations were told is kept from version 2 on. */
const announcementsAdded: SnapshotUpgrade = {
  from: 1,
  parts: () => (part) => {
    const announcements = { name: 'announcements', facts: [0, 0], bytes: new Uint8Array(0) }
    return part.name === 'progress' ? [part, announcements] : [part]
  },
}

/** Version 2 has one kind of frame more; all others are what they were. */
const restsAdded: JournalUpgrade = { from: 1 }

/** Tokens may be dormant from version 3 on; what links the positions of a wallet lies beside them. */
const dormantAdded: SnapshotUpgrade = {
  from: 2,
  parts: () => (part) => {
    if (part.name === 'positions') return withLinks(part)
    if (part.name === 'position slots') return [part, ...nothingDormant()]
    return [part]
  },
}

function nothingDormant(): SavedPart[] {
  const bytes = new Uint8Array(0)
  return [
    { name: 'dormant runs', facts: [0, 0, 0], bytes },
    { name: 'dormant wallets', facts: [0], bytes },
    { name: 'dormant tape', facts: [0, 0], bytes },
  ]
}

/** u32 lanes of a position, and the one that named the next of its wallet, up to version 2. */
const POSITION_LANES = 40
const NEXT_IN_WALLET = 31

/** Links in both directions out of those that were in the rows. */
function withLinks({ name, facts, bytes }: SavedPart): SavedPart[] {
  const [count] = facts
  const rows = lanesOf(bytes)
  const links = new Uint32Array(count * 2)
  for (let row = 0; row < count; row++) {
    const at = row * POSITION_LANES + NEXT_IN_WALLET
    const next = rows[at]
    if (next > count) throw new StateError(`position ${row} names position ${next} of ${count}`)
    links[row * 2] = next
    if (next !== 0) links[(next - 1) * 2 + 1] = row + 1
    rows[at] = 0
  }
  return [
    { name, facts: [count, 0, 0], bytes: bytesOf(rows) },
    { name: 'position links', facts: [count], bytes: bytesOf(links) },
  ]
}

/**
 * From version 4 on texts of the search are folded in full, ß as ss and every sigma as one, and births
 * without a slot keep the order in which they came.
 */
const foldedAndArrived: SnapshotUpgrade = {
  from: 3,
  parts: () => {
    const images = new WiderImages()
    return (part) => {
      if (part.name === 'search') return [foldedSearch(part)]
      if (part.name === 'births') return [widerRows(part)]
      if (part.name === 'undo') return [images.log(part)]
      return [part.name === 'order ring' ? images.ring(part) : part]
    }
  },
}

/** The texts, where the entries in them begin, then what entries and tokens have of each other. */
function foldedSearch({ name, facts, bytes }: SavedPart): SavedPart {
  const [length, entries, tokens] = facts
  const lists = lanesOf(bytes.subarray(length))
  const texts: Uint8Array[] = []
  let place = 0
  for (let entry = 0; entry < entries; entry++) {
    const from = lists[entry]
    const end = entry + 1 < entries ? lists[entry + 1] : length
    if (from > end || end > length)
      throw new StateError(`search entry ${entry} ends before it begins`)
    const text = foldedAgain(bytes.subarray(from, end))
    texts.push(text)
    lists[entry] = place
    place += text.length
  }
  const folded = Buffer.concat([...texts, bytesOf(lists)])
  return { name, facts: [place, entries, tokens], bytes: folded }
}

/**
 * From version 3 of the journal and 5 of snapshots on, records may tell the quote of their mint, in bits
 * and a lane that were zero (swap-record.ts). Chunks of the tape, which are reached through these, have
 * the same form.
 */
const quoteToldInJournal: JournalUpgrade = { from: 2 }
const quoteToldInSnapshots: SnapshotUpgrade = { from: 4 }

/**
 * From version 6 on a text that is told again is not kept again. The layout is the same, and what an older
 * one has twice stays; but a fold of the same events comes to other bytes than it did before.
 */
const textsKeptOnce: SnapshotUpgrade = { from: 5 }

/**
 * From version 7 on half a micro-USD is a half of the price as it is written, not of the double next to it.
 * The layout is the same; a fold of the same events comes to other dollars now and then.
 */
const halvesAsWritten: SnapshotUpgrade = { from: 6 }

/**
 * From version 8 on nothing is kept of events for late ones while no slot is known: none can come late. The
 * layout is the same, and what an older one kept goes with the next event.
 */
const nothingLateWithoutSlots: SnapshotUpgrade = { from: 7 }

/**
 * From version 9 on the contents tell the chunks that the snapshot leaves records to. Of an older one they
 * are those that are there when it is loaded.
 */
const chunksTold: SnapshotUpgrade = {
  from: 8,
  contents: (contents) => {
    const chunks: ChunkCrcs = { swaps: [], positions: [] }
    return typeof contents === 'object' ? { ...contents, chunks } : null
  },
}

/** Version 4 has one kind of frame more, for events that were lines; these are read as they were. */
const eventsPacked: JournalUpgrade = { from: 3 }

/**
 * From version 5 of the journal on records may tell an LP fee, cashback, the hop of a route and the decimals
 * of a quote, in lanes and bits that every writer before left zero; reserves and balances are packed, and so
 * are decimals of a creation's quote.
 */
const octoberInJournal: JournalUpgrade = { from: 4 }

/** From version 10 of snapshots and 2 of chunks on folded records keep LP fee, cashback and hop. */
const octoberInSnapshots: SnapshotUpgrade = {
  from: 9,
  parts: () => {
    const positions = new CountedPositions()
    return (part) => {
      if (part.name === 'tokens') positions.take(part)
      return octoberPart(part.name === 'metadata' ? positions.counted(part) : part)
    }
  },
}
const octoberInChunks: ChunkUpgrade = { from: 1, swaps: upgradeFoldedRecords }

/** Parts that came with version 10 follow, zeroed, the one that they stand behind. */
const OCTOBER_PARTS: ReadonlyMap<string, readonly SavedPart[]> = new Map([
  ['globals', [{ name: 'quote coins', facts: [0], bytes: new Uint8Array(0) }]],
  [
    'clamp count',
    [
      { name: 'clamp balances', facts: [16], bytes: new Uint8Array(256) },
      { name: 'last burn', facts: [1], bytes: new Uint8Array(24) },
      { name: 'route sales', facts: [64], bytes: new Uint8Array(1_024) },
    ],
  ],
])

function octoberPart(part: SavedPart): readonly SavedPart[] {
  const upgraded = part.name === 'tape' ? upgradedTape(part) : part
  return [upgraded, ...(OCTOBER_PARTS.get(part.name) ?? [])]
}

/** u32 lanes of a token and of its metadata, and those that count: traders, and (version 10) positions. */
const TOKEN_LANES = 52
const TRADERS = 43
const METADATA_LANES = 10
const POSITIONS = 9

/** From version 10 on tokens count their positions: before, every one of them was a trader's. */
class CountedPositions {
  #traders = new Uint32Array(0)

  take({ facts: [count], bytes }: SavedPart): void {
    const rows = lanesOf(bytes)
    this.#traders = Uint32Array.from(
      { length: count },
      (_, token) => rows[token * TOKEN_LANES + TRADERS],
    )
  }

  counted({ name, facts, bytes }: SavedPart): SavedPart {
    const rows = lanesOf(bytes)
    for (const [token, traders] of this.#traders.entries())
      rows[token * METADATA_LANES + POSITIONS] = traders
    return { name, facts, bytes: bytesOf(rows) }
  }
}

function upgradedTape({ name, facts, bytes }: SavedPart): SavedPart {
  const lanes = lanesOf(bytes)
  upgradeFoldedRecords(lanes)
  return { name, facts, bytes: bytesOf(lanes) }
}

export const CHUNK_UPGRADES: readonly ChunkUpgrade[] = [octoberInChunks]

/** Version 1 is the first of all formats: nothing is older. */
export const FORMAT_UPGRADES: FormatUpgrades = {
  journal: [restsAdded, quoteToldInJournal, eventsPacked, octoberInJournal],
  snapshots: [
    announcementsAdded,
    dormantAdded,
    foldedAndArrived,
    quoteToldInSnapshots,
    textsKeptOnce,
    halvesAsWritten,
    nothingLateWithoutSlots,
    chunksTold,
    octoberInSnapshots,
  ],
}

/**
 * The steps from a version to the present one, in order.
 * @throws StoreError `older_version` when one is not known any more
 */
export function upgradeSteps<T extends { readonly from: number }>(
  known: readonly T[],
  from: number,
  to: number,
  what: string,
): readonly T[] {
  const steps: T[] = []
  for (let version = from; version < to; version++) {
    const step = known.find((one) => one.from === version)
    if (step === undefined)
      throw new StoreError(
        'older_version',
        `${what} has version ${from} of its format, which this mintfeed does not read any more: ` +
          'start one that does, or another DATA_DIR.',
      )
    steps.push(step)
  }
  return steps
}

/**
 * Folded swap records of snapshots up to version 9 and chunks of version 1, put into the form of later ones
 * where they lie (`beginFold` in events/swap-record.ts):
 *
 * - what the dollars of a SOL were that the feed gave stood in a lane that is the cashback's now, of which
 *   there was none. That none was given is told by the sign of those that the fold used;
 * - the real base of an AMM swap, which moved nothing, stood where its LP fee is now.
 *
 * Numbers of lanes stand here as these files have them, whatever records become later.
 */
const RECORD_LANES = 56
const FLAGS = 5
const AMM = 1 << 1
/** f64 lanes, as the first of two u32 lanes each. */
const GIVEN_SOL_PRICE = 12
const USED_SOL_PRICE = 14
const AMM_REAL_BASE = 28
const SIGN = 0x80000000

/** Records behind one another, from lane 0 on. */
export function upgradeFoldedRecords(lanes: Uint32Array): void {
  for (let at = 0; at + RECORD_LANES <= lanes.length; at += RECORD_LANES) {
    const isGiven = isAbove0(lanes, at + GIVEN_SOL_PRICE)
    if (!isGiven && isAbove0(lanes, at + USED_SOL_PRICE))
      lanes[at + USED_SOL_PRICE + 1] = (lanes[at + USED_SOL_PRICE + 1] | SIGN) >>> 0
    clear(lanes, at + GIVEN_SOL_PRICE)
    if ((lanes[at + FLAGS] & AMM) !== 0) clear(lanes, at + AMM_REAL_BASE)
  }
}

/** Is the double above 0 that lies there? The bytes are looked at: no copy of a double touches them up. */
function isAbove0(lanes: Uint32Array, at: number): boolean {
  return (lanes[at] | lanes[at + 1]) !== 0 && lanes[at + 1] < SIGN
}

function clear(lanes: Uint32Array, at: number): void {
  lanes[at] = 0
  lanes[at + 1] = 0
}
