import type { Budget } from '../../base/budget.ts'
import { stepped } from '../../base/errors.ts'
import { wholeAt } from '../../base/u64.ts'
import { HashSlots, ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { sharedF64, widened } from '../memory/views.ts'
import { isListedAt, isNeverHolder } from '../state/lanes.ts'
import {
  DORMANT_TRADERS_MAX,
  LifecycleLane,
  MetadataLane,
  PositionLane,
  TokenLane,
} from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** As a fault of the chain is told. */
const POSITIONS = 'positions of a mint'

const MICRO = 1e6

/** Traders looked at between two questions whether there is time for more: each lies elsewhere in memory. */
const TRADERS_A_LOOK = 256
/** With more new traders since it was read the chain is followed anew. */
const NEW_TRADERS_MAX = 4_096

/** NaN: it has no value, and no place in the list that is ordered by it. */
const NONE = Number.NaN

/** What is read of a position, of u32 lanes from `at` on, in the units of the wire. */
type Read = (p: Uint32Array, pf: Float64Array, at: number, decimals: number, state: State) => number

const READS = {
  /** Of two wallets the one whose text is less never has the greater number. */
  walletOrder: (p, _pf, at, _decimals, { book }) =>
    book.orderOf(book.addressOfWallet(p[at + PositionLane.wallet])),
  realizedUsd: (p, pf, at) =>
    isListedAt(p, at) ? pf[(at >>> 1) + PositionLane.realizedUsdF] / MICRO : NONE,
  inventory: (p, _pf, at, decimals) => wholeAt(p, at + PositionLane.inventoryLo, decimals),
  costUsd: (_p, pf, at) => pf[(at >>> 1) + PositionLane.costUsdF] / MICRO,
  balance: (p, _pf, at, decimals) => listed(p, at, PositionLane.balanceLo, decimals),
  bought: (p, _pf, at, decimals) => listed(p, at, PositionLane.boughtLo, decimals),
  sold: (p, _pf, at, decimals) => listed(p, at, PositionLane.soldLo, decimals),
  lastActiveAt: (p, _pf, at) => {
    if (!isListedAt(p, at)) return NONE
    if (p[at + PositionLane.buys] + p[at + PositionLane.sells] === 0)
      return p[at + PositionLane.lastBuyAt]
    return Math.max(
      p[at + PositionLane.buys] > 0 ? p[at + PositionLane.lastBuyAt] : 0,
      p[at + PositionLane.sells] > 0 ? p[at + PositionLane.lastSellAt] : 0,
    )
  },
  /** None without a buy. */
  firstBuyAt: (p, _pf, at) =>
    p[at + PositionLane.buys] > 0 ? p[at + PositionLane.firstBuyAt] : NONE,
  /** The balance of one who counts as a holder. */
  held: (p, _pf, at, decimals, state) => {
    if ((p[at + PositionLane.balanceLo] | p[at + PositionLane.balanceLo + 1]) === 0) return NONE
    if (isNeverHolder(state, p[at + PositionLane.token], p[at + PositionLane.wallet])) return NONE
    return wholeAt(p, at + PositionLane.balanceLo, decimals)
  },
} as const satisfies Record<string, Read>

/** An amount of a position that stands in lists. */
function listed(p: Uint32Array, at: number, lane: number, decimals: number): number {
  return isListedAt(p, at) ? wholeAt(p, at + lane, decimals) : NONE
}

/** A quantity of traders that is kept by trader. */
export type TraderPart = keyof typeof READS

interface Part {
  readonly read: Read
  values: Float64Array
  /** Values of traders in front of this place were read. */
  filled: number
}

/**
 * What lists of a mint's traders are ordered by, in columns: a value is read when its position has
 * changed, told by a log, so that an answer runs over numbers that lie side by side and waits for no
 * row. Of a mint whose positions are never put to rest; it is no part of the state.
 */
export class MintTraders {
  readonly #state: State
  readonly #token: number
  /** Rows, the newest first; behind `#first` those that came since, the oldest first. */
  #rows: Uint32Array
  #count = 0
  #first = 0
  /** Row + 1 with which the first walk along the chain goes on; 0: it has come to its end. */
  #nextPlus1: number
  /** Places by row. */
  readonly #places = new HashSlots()
  readonly #parts = new Map<TraderPart, Part>()
  /** What was read is as of so many changes of the token, and this place in the log. */
  #changes = -1
  #readTo = 0
  #decimals = 0

  constructor(state: State, token: number) {
    this.#state = state
    this.#token = token
    this.#nextPlus1 = state.tokens.get(token, TokenLane.positionsPlus1)
    this.#rows = new Uint32Array(
      state.metadata.get(token, MetadataLane.positions) + NEW_TRADERS_MAX,
    )
  }

  get bytes(): number {
    let bytes = this.#rows.byteLength + this.#places.bytes
    for (const { values } of this.#parts.values()) bytes += values.byteLength
    return bytes
  }

  /** Traders that are known. */
  get count(): number {
    return this.#count
  }

  /** Has the chain more new traders than are taken at once? */
  get isOutgrown(): boolean {
    if (this.#nextPlus1 !== 0) return false
    return (
      this.#state.metadata.get(this.#token, MetadataLane.positions) - this.#count > NEW_TRADERS_MAX
    )
  }

  /**
   * Reads these parts as of now: they are good until the next event.
   * @throws OutOfTime: what changes until the next call is read then
   */
  load(parts: readonly TraderPart[], budget: Budget): void {
    this.#walk(budget)
    this.#catchUp()
    for (const name of parts) this.#fill(this.#partOf(name), budget)
  }

  /** Row of the trader at a place. */
  rowAt(place: number): number {
    return this.#rows[place]
  }

  /** Of two traders the one who came first has the less number. */
  arrivalOf(place: number): number {
    return place < this.#first ? -place : place
  }

  /** Values by place, good until the next event. */
  part(name: TraderPart): Float64Array {
    return this.#partOf(name).values
  }

  #walk(budget: Budget): void {
    while (this.#nextPlus1 !== 0) {
      for (let i = 0; i < TRADERS_A_LOOK && this.#nextPlus1 !== 0; i++) {
        const row = this.#nextPlus1 - 1
        stepped(this.#count, this.#state.positions.count, POSITIONS)
        this.#add(row)
        this.#nextPlus1 = this.#nextOf(row)
      }
      this.#first = this.#count
      if (this.#nextPlus1 !== 0) budget.throwIfSpent()
    }
  }

  #catchUp(): void {
    const { positionChanges: log, changes, births } = this.#state
    const token = this.#token
    const count = changes.of(token)
    const decimals =
      births.u32[token >>> ROW_SHIFT][
        (token & ROW_MASK) * LifecycleLane.lanes + LifecycleLane.decimals
      ]
    const isReached = count === this.#changes || log.reaches(this.#readTo)
    if (!isReached || decimals !== this.#decimals)
      for (const part of this.#parts.values()) part.filled = 0
    else if (count !== this.#changes)
      for (let place = this.#readTo; place < log.end; place++) this.#refresh(log.at(place))
    this.#changes = count
    this.#readTo = log.end
    this.#decimals = decimals
    this.#takeNew()
  }

  /** Those that came in front of the newest known. */
  #takeNew(): void {
    const newest = this.#rows[this.#count > this.#first ? this.#count - 1 : 0]
    const rows: number[] = []
    let nextPlus1 = this.#state.tokens.get(this.#token, TokenLane.positionsPlus1)
    for (; nextPlus1 !== newest + 1; nextPlus1 = this.#nextOf(nextPlus1 - 1)) {
      stepped(rows.length, this.#state.positions.count, POSITIONS)
      rows.push(nextPlus1 - 1)
    }
    for (const row of rows.reverse()) this.#add(row)
  }

  #nextOf(row: number): number {
    const p = this.#state.positions.u32[row >>> ROW_SHIFT]
    return p[(row & ROW_MASK) * PositionLane.lanes + PositionLane.nextInMintPlus1]
  }

  #add(row: number): void {
    if (this.#count === this.#rows.length)
      this.#rows = widened(new Uint32Array(this.#count * 2), this.#rows)
    this.#places.add(hashOf(row), this.#count)
    this.#rows[this.#count++] = row
  }

  #partOf(name: TraderPart): Part {
    let part = this.#parts.get(name)
    if (part === undefined) {
      part = { read: READS[name], values: sharedF64(this.#rows.length), filled: 0 }
      this.#parts.set(name, part)
    }
    return part
  }

  #fill(part: Part, budget: Budget): void {
    if (part.values.length < this.#count)
      part.values = widened(sharedF64(this.#rows.length), part.values)
    while (part.filled < this.#count) {
      const end = Math.min(this.#count, part.filled + TRADERS_A_LOOK)
      for (let place = part.filled; place < end; place++) this.#read(part, place)
      part.filled = end
      if (end < this.#count) budget.throwIfSpent()
    }
  }

  /** Reads a position anew if it is one of the mint's that was read. */
  #refresh(row: number): void {
    const p = this.#state.positions.u32[row >>> ROW_SHIFT]
    if (p[(row & ROW_MASK) * PositionLane.lanes + PositionLane.token] !== this.#token) return
    let place = this.#places.first(hashOf(row))
    while (place >= 0 && this.#rows[place] !== row) place = this.#places.next()
    if (place < 0) return
    for (const part of this.#parts.values()) if (place < part.filled) this.#read(part, place)
  }

  #read(part: Part, place: number): void {
    const row = this.#rows[place]
    const { positions } = this.#state
    const at = (row & ROW_MASK) * PositionLane.lanes
    const [p, pf] = [positions.u32[row >>> ROW_SHIFT], positions.f64[row >>> ROW_SHIFT]]
    part.values[place] = part.read(p, pf, at, this.#decimals, this.#state)
  }
}

function hashOf(row: number): number {
  const hash = Math.imul(row + 1, 0x9e3779b1)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Lists of more traders than this are read in one go. */
const TRADERS_MAX = 1 << 20
/** Bytes of all mints; beyond it those that were asked for longest ago are forgotten. */
const KEPT_BYTES = 1 << 26

interface Kept {
  readonly traders: MintTraders
  /** Was all found that was looked for? */
  isFound: boolean
}

/**
 * Columns of mints with so many traders that a list of them takes more than a turn: read in pieces when
 * first they are asked for, then kept up to date. Such a mint never rests, so that its rows stay its own.
 */
export class TraderColumns {
  readonly #state: State
  readonly #keptBytes: number
  /** By token, the one asked for longest ago first. */
  readonly #kept = new Map<number, Kept>()
  /** Tokens forgotten before all was found: they are read in one go, or several might push each other out for ever. */
  readonly #pushedOut = new Set<number>()

  constructor(state: State, keptBytes = KEPT_BYTES) {
    this.#state = state
    this.#keptBytes = keptBytes
  }

  get bytes(): number {
    let bytes = 0
    for (const { traders } of this.#kept.values()) bytes += traders.bytes
    return bytes
  }

  /** The rows are other ones. */
  drop(): void {
    this.#kept.clear()
    this.#pushedOut.clear()
  }

  /**
   * The columns of a mint with these parts, good until the next event; null: its traders are read one by one.
   * @throws OutOfTime before all is read
   */
  of(token: number, parts: readonly TraderPart[], budget: Budget): MintTraders | null {
    if (!this.#isKept(token) || this.#pushedOut.delete(token)) return null
    const kept = this.#of(token)
    kept.isFound = false
    kept.traders.load(parts, budget)
    kept.isFound = true
    this.#makeRoom()
    return kept.traders
  }

  #isKept(token: number): boolean {
    const traders = this.#state.metadata.get(token, MetadataLane.positions)
    // Folders of old may have one at rest all the same.
    const isAwake = this.#state.tokens.get(token, TokenLane.dormantPlus1) === 0
    return traders > DORMANT_TRADERS_MAX && traders <= TRADERS_MAX && isAwake
  }

  #of(token: number): Kept {
    let kept = this.#kept.get(token)
    if (kept === undefined || kept.traders.isOutgrown)
      kept = { traders: new MintTraders(this.#state, token), isFound: false }
    this.#kept.delete(token)
    this.#kept.set(token, kept)
    return kept
  }

  #makeRoom(): void {
    let { bytes } = this
    for (const [token, { traders, isFound }] of this.#kept) {
      if (bytes <= this.#keptBytes || this.#kept.size === 1) return
      bytes -= traders.bytes
      this.#kept.delete(token)
      if (!isFound) this.#pushedOut.add(token)
    }
  }
}
