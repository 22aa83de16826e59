import type { Budget } from '../../base/budget.ts'
import { stepped } from '../../base/errors.ts'
import { isZeroAt, wholeAt } from '../../base/u64.ts'
import { HashSlots } from '../memory/rows.ts'
import { sharedF64, widened } from '../memory/views.ts'
import { isListedAt, isNeverHolder } from '../state/lanes.ts'
import {
  DORMANT_TRADERS_MAX,
  MetadataLane,
  PositionLane,
  PositionRowLane,
  ProfileLane,
  TokenLane,
} from '../state/layout.ts'
import { PositionRecord } from '../state/position-rows.ts'
import type { State } from '../state/state.ts'

/** The chain in the message of a fault. */
const POSITIONS = 'positions of a mint'

const MICRO = 1e6

/** Traders between two checks of the budget: each lies elsewhere in memory. */
const TRADERS_A_LOOK = 256
/** With more new traders since it was read, the chain is followed again from its start. */
const NEW_TRADERS_MAX = 4_096

/** NaN: it has no value, and no place in the list that is ordered by it. */
const NONE = Number.NaN

/** Reads a value of a position in the units of the wire. */
type Read = (position: PositionRecord, decimals: number, state: State) => number

const READS = {
  /** Of two wallets the one with the lesser text never has the greater number. */
  walletOrder: ({ u32 }, _decimals, { book }) =>
    book.orderOf(book.addressOfWallet(u32[PositionLane.wallet])),
  realizedUsd: ({ u32, f64 }) =>
    isListedAt(u32, 0) ? f64[PositionLane.realizedUsdF] / MICRO : NONE,
  inventory: ({ u32 }, decimals) => wholeAt(u32, PositionLane.inventoryLo, decimals),
  costUsd: ({ f64 }) => f64[PositionLane.costUsdF] / MICRO,
  balance: ({ u32 }, decimals) => listed(u32, PositionLane.balanceLo, decimals),
  bought: ({ u32 }, decimals) => listed(u32, PositionLane.boughtLo, decimals),
  sold: ({ u32 }, decimals) => listed(u32, PositionLane.soldLo, decimals),
  lastActiveAt: ({ u32 }) => {
    if (!isListedAt(u32, 0)) return NONE
    if (u32[PositionLane.buys] + u32[PositionLane.sells] === 0) return u32[PositionLane.lastBuyAt]
    return Math.max(
      u32[PositionLane.buys] > 0 ? u32[PositionLane.lastBuyAt] : 0,
      u32[PositionLane.sells] > 0 ? u32[PositionLane.lastSellAt] : 0,
    )
  },
  /** None without a buy. */
  firstBuyAt: ({ u32 }) => (u32[PositionLane.buys] > 0 ? u32[PositionLane.firstBuyAt] : NONE),
  /** The balance of a wallet that counts as a holder. */
  held: ({ u32 }, decimals, state) => {
    if (isZeroAt(u32, PositionLane.balanceLo)) return NONE
    if (isNeverHolder(state, u32[PositionLane.token], u32[PositionLane.wallet])) return NONE
    return wholeAt(u32, PositionLane.balanceLo, decimals)
  },
} as const satisfies Record<string, Read>

/** An amount of a listed position. */
function listed(u32: Uint32Array, lane: number, decimals: number): number {
  return isListedAt(u32, 0) ? wholeAt(u32, lane, decimals) : NONE
}

/** A quantity with a column of its own. */
export type TraderPart = keyof typeof READS

interface Part {
  readonly read: Read
  values: Float64Array
  /** Values of traders in front of this place were read. */
  filled: number
}

/**
 * The keys of lists of a mint's traders, in columns: a value is read again only when a log notes a change of
 * its position, so that an answer scans adjacent numbers and waits for no row. For mints that are never
 * evicted; it is no part of the state.
 */
export class MintTraders {
  readonly #state: State
  readonly #token: number
  #rows: Uint32Array
  #count = 0
  /** Row + 1 of the newest trader that is known, or that the first walk begins with. */
  #newestPlus1: number
  /** Row + 1 at which the first walk along the chain goes on; 0: it has reached the end. */
  #nextPlus1: number
  /** Places by row. */
  readonly #places = new HashSlots()
  readonly #parts = new Map<TraderPart, Part>()
  /** The columns are as of this count of the token's changes, and this place in the log. */
  #changes = -1
  #readTo = 0
  #decimals = 0
  readonly #record = new PositionRecord()

  constructor(state: State, token: number) {
    this.#state = state
    this.#token = token
    this.#newestPlus1 = state.tokens.get(token, TokenLane.positionsPlus1)
    this.#nextPlus1 = this.#newestPlus1
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

  /** Has the chain more new traders than one call takes? */
  get isOutgrown(): boolean {
    if (this.#nextPlus1 !== 0) return false
    return (
      this.#state.metadata.get(this.#token, MetadataLane.positions) - this.#count > NEW_TRADERS_MAX
    )
  }

  /**
   * Reads these parts as of now: they are good until the next event.
   * @throws OutOfTime before all is read; the next call goes on, and reads later changes too
   */
  load(parts: readonly TraderPart[], budget: Budget): void {
    this.#walk(budget)
    this.#catchUp()
    this.#fill(
      parts.map((name) => this.#partOf(name)),
      budget,
    )
  }

  /** Row of the trader at a place. */
  rowAt(place: number): number {
    return this.#rows[place]
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
      if (this.#nextPlus1 !== 0) budget.throwIfSpent()
    }
  }

  #catchUp(): void {
    const { positionChanges: log, changes, profiles } = this.#state
    const token = this.#token
    const count = changes.of(token)
    const decimals = profiles.get(token, ProfileLane.decimals)
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

  /** Adds the traders in front of the newest known one. */
  #takeNew(): void {
    const newestPlus1 = this.#state.tokens.get(this.#token, TokenLane.positionsPlus1)
    let nextPlus1 = newestPlus1
    for (; nextPlus1 !== this.#newestPlus1; nextPlus1 = this.#nextOf(nextPlus1 - 1)) {
      stepped(this.#count, this.#state.positions.count, POSITIONS)
      this.#add(nextPlus1 - 1)
    }
    this.#newestPlus1 = newestPlus1
  }

  #nextOf(row: number): number {
    return this.#state.positions.get(row, PositionRowLane.nextInMintPlus1)
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

  /** Each position is copied once for all parts that have not read it. */
  #fill(parts: readonly Part[], budget: Budget): void {
    for (const part of parts)
      if (part.values.length < this.#count)
        part.values = widened(sharedF64(this.#rows.length), part.values)
    let from = Math.min(this.#count, ...parts.map(({ filled }) => filled))
    while (from < this.#count) {
      const end = Math.min(this.#count, from + TRADERS_A_LOOK)
      const unread = parts.filter(({ filled }) => filled < end)
      for (let place = from; place < end; place++) this.#read(unread, place)
      for (const part of unread) part.filled = end
      from = end
      if (end < this.#count) budget.throwIfSpent()
    }
  }

  /** Reads a position again if it is a known one of the mint. */
  #refresh(row: number): void {
    if (this.#state.positions.get(row, PositionRowLane.token) !== this.#token) return
    let place = this.#places.first(hashOf(row))
    while (place >= 0 && this.#rows[place] !== row) place = this.#places.next()
    if (place < 0) return
    const filled = [...this.#parts.values()].filter((part) => place < part.filled)
    if (filled.length > 0) this.#read(filled, place)
  }

  #read(parts: readonly Part[], place: number): void {
    this.#state.positions.copy(this.#rows[place], this.#record)
    for (const part of parts)
      part.values[place] = part.read(this.#record, this.#decimals, this.#state)
  }
}

function hashOf(row: number): number {
  const hash = Math.imul(row + 1, 0x9e3779b1)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Lists of more traders than this are read in one go. */
const TRADERS_MAX = 1 << 20
/** Bytes of all mints; beyond it those read longest ago are dropped. */
const COLUMN_BYTES_MAX = 1 << 26

/**
 * Columns of mints whose lists of traders take longer than a turn of the event loop: read in pieces at the
 * first request, then updated. Such a mint is never evicted, so that its rows stay its own.
 */
export class TraderColumns {
  readonly #state: State
  readonly #bytesMax: number
  /** By token, the one read longest ago first; `isLoaded`: its last load was finished. */
  readonly #mints = new Map<number, { readonly traders: MintTraders; isLoaded: boolean }>()
  /** Tokens dropped before they were loaded: they are read at once, or several could drop each other for ever. */
  readonly #pushedOut = new Set<number>()

  constructor(state: State, bytesMax = COLUMN_BYTES_MAX) {
    this.#state = state
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    let bytes = 0
    for (const { traders } of this.#mints.values()) bytes += traders.bytes
    return bytes
  }

  /** The rows are other ones. */
  drop(): void {
    this.#mints.clear()
    this.#pushedOut.clear()
  }

  /**
   * The columns of a mint with these parts, good until the next event; null: its traders are read one by one.
   * @throws OutOfTime before all is read
   */
  of(token: number, parts: readonly TraderPart[], budget: Budget): MintTraders | null {
    if (!this.#hasColumns(token) || this.#pushedOut.delete(token)) return null
    const mint = this.#of(token)
    mint.isLoaded = false
    mint.traders.load(parts, budget)
    mint.isLoaded = true
    this.#makeRoom()
    return mint.traders
  }

  #hasColumns(token: number): boolean {
    const traders = this.#state.metadata.get(token, MetadataLane.positions)
    // Old data folders may have evicted one all the same.
    const isAwake = this.#state.tokens.get(token, TokenLane.dormantPlus1) === 0
    return traders > DORMANT_TRADERS_MAX && traders <= TRADERS_MAX && isAwake
  }

  #of(token: number) {
    let mint = this.#mints.get(token)
    if (mint === undefined || mint.traders.isOutgrown)
      mint = { traders: new MintTraders(this.#state, token), isLoaded: false }
    this.#mints.delete(token)
    this.#mints.set(token, mint)
    return mint
  }

  #makeRoom(): void {
    let { bytes } = this
    for (const [token, { traders, isLoaded }] of this.#mints) {
      if (bytes <= this.#bytesMax || this.#mints.size === 1) return
      bytes -= traders.bytes
      this.#mints.delete(token)
      if (!isLoaded) this.#pushedOut.add(token)
    }
  }
}
