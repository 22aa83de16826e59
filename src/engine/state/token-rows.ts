import { TWO_32 } from '../../base/u64.ts'
import { HashSlots, ROW_MASK, ROW_SHIFT, Rows, U32List } from '../memory/rows.ts'
import { copiedPart, StateError, type StatePart } from '../memory/state-part.ts'
import { lanesIn } from '../memory/views.ts'
import {
  CrowdLane,
  HolderClass,
  LifecycleLane,
  NARROW_ROWS,
  ProfileLane,
  TokenLane,
  TopsLane,
  WindowLane,
} from './layout.ts'
import { NEW_IDS, type UndoLog } from './undo-log.ts'

/**
 * Rows of what few tokens have, each named by a lane of its owner's row. Row 0 is nobody's and all zeros: who has none reads
 * that one, so that no reader asks. A row that was taken stays its owner's: rolling back empties it. So the lane that names
 * it is not to be restored, and there are at most as many as owners.
 */
export class SparseRows {
  readonly rows: Rows
  readonly #owners: Rows
  readonly #lane: number
  readonly #undo: UndoLog
  readonly #id: number

  /** `lane` of an owner's row names its row here; `id` and `unsaved` are those of the undo log. */
  constructor(
    { owners, lane }: { readonly owners: Rows; readonly lane: number },
    lanes: number,
    undo: UndoLog,
    { id, unsaved = [] }: { readonly id: number; readonly unsaved?: readonly number[] },
  ) {
    this.rows = new Rows(lanes)
    this.rows.add()
    this.#owners = owners
    this.#lane = lane
    this.#undo = undo
    this.#id = undo.register(this.rows, unsaved, id)
  }

  /** The row of an owner; 0: it has none. */
  rowOf(owner: number): number {
    return this.#owners.get(owner, this.#lane)
  }

  /** One u32 lane of an owner. */
  get(owner: number, lane: number): number {
    return this.rows.get(this.rowOf(owner), lane)
  }

  /** One f64 lane of an owner. */
  getF(owner: number, laneF: number): number {
    const row = this.rowOf(owner)
    return this.rows.f64[row >>> ROW_SHIFT][(((row & ROW_MASK) * this.rows.lanes) >>> 1) + laneF]
  }

  /** Saves an owner's row for the undo log, before an event changes it. */
  save(owner: number): void {
    const row = this.rowOf(owner)
    if (row !== 0) this.#undo.save(this.#id, row)
  }

  /** The row of an owner whose row was saved; a new one, which rolling back empties, where it has none. */
  take(owner: number): number {
    const known = this.rowOf(owner)
    if (known !== 0) return known
    const row = this.add(owner)
    this.#undo.save(this.#id, row)
    return row
  }

  /** A new row for an owner without one, which no event brings. */
  add(owner: number): number {
    const row = this.rows.add()
    this.#owners.set(owner, this.#lane, row)
    return row
  }

  /** Forgets all rows but that of nobody. */
  reset(): void {
    this.rows.reset(1)
  }

  part(name: string): StatePart {
    const settle = () => {
      if (this.rows.count === 0 || this.rows.u32[0].subarray(0, this.rows.lanes).some(Boolean))
        throw new StateError(`the state has no empty row among its ${name}`)
    }
    return { ...this.rows.part(name), settle }
  }
}

/**
 * Balances of a mint's holders, added up: of all, in the token's own row, and of each class, in a row that the token gets with
 * its first holder of one. A sum has two lanes, and a third one in a row of its own once it is 2^64 or more, which no sane
 * supply is: adding and taking away always meets 0 again.
 */
export class Crowds {
  readonly classes: SparseRows
  /** By row of a class: how often each sum has passed 2^64. */
  readonly tops: SparseRows
  readonly #tokens: Rows

  constructor(tokens: Rows, undo: UndoLog) {
    this.#tokens = tokens
    this.classes = new SparseRows(
      { owners: tokens, lane: TokenLane.crowd },
      CrowdLane.lanes,
      undo,
      {
        ...{ id: NEW_IDS.crowds, unsaved: [CrowdLane.tops] },
      },
    )
    const named = { owners: this.classes.rows, lane: CrowdLane.tops }
    this.tops = new SparseRows(named, TopsLane.lanes, undo, { id: NEW_IDS.tops })
  }

  /** Saves what is apart from the token's own row. */
  save(token: number): void {
    const crowd = this.classes.rowOf(token)
    if (crowd === 0) return
    this.classes.save(token)
    this.tops.save(crowd)
  }

  /** Counts a holder of a balance (`sign` 1), or one no longer (-1), in a class. The token was saved. */
  count(token: number, of: number, lo: number, hi: number, sign: number): void {
    const isAll = of === HolderClass.any
    const rows = isAll ? this.#tokens : this.classes.rows
    const row = isAll ? token : this.classes.take(token)
    const lanes = rows.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * rows.lanes + laneOf(of)
    lanes[at + 2] += sign
    const low = lanes[at] + sign * lo
    const high = lanes[at + 1] + sign * hi + carryOf(low)
    // Lanes keep what is below 2^32, of negative numbers too.
    lanes[at] = low
    lanes[at + 1] = high
    if (carryOf(high) !== 0) this.#countTop(token, of, carryOf(high))
  }

  /** Wallets with a balance, of a class. */
  holders(token: number, of: number): number {
    return of === HolderClass.any
      ? this.#tokens.get(token, TokenLane.holders)
      : this.classes.get(token, laneOf(of) + 2)
  }

  /** The sum of their balances as the nearest double. */
  sum(token: number, of: number): number {
    const isAll = of === HolderClass.any
    const rows = isAll ? this.#tokens : this.classes.rows
    const crowd = this.classes.rowOf(token)
    const row = isAll ? token : crowd
    const lanes = rows.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * rows.lanes + laneOf(of)
    return (this.tops.get(crowd, of) * TWO_32 + lanes[at + 1]) * TWO_32 + lanes[at]
  }

  get parts(): readonly StatePart[] {
    return [this.classes.part('token crowds'), this.tops.part('crowd tops')]
  }

  #countTop(token: number, of: number, change: number): void {
    const row = this.tops.take(this.classes.take(token))
    this.tops.rows.set(row, of, this.tops.rows.get(row, of) + change)
  }
}

/** The lane that the sum of a class begins at, in whichever row it is; its holders are two behind. */
function laneOf(of: number): number {
  return of === HolderClass.any ? TokenLane.holdersSumLo : of * CrowdLane.apart
}

function carryOf(lane: number): number {
  if (lane < 0) return -1
  return lane >= TWO_32 ? 1 : 0
}

/**
 * What nearly all tokens share: program, decimals, quote, the curve's first tokens and the supply. Tokens with the same name the
 * same row. A row never changes: a token that becomes another one names another row, so the undo log needs the name alone.
 * Row 0 is that of tokens of which no event is known. Rows are never given back: there is one for each profile that a token
 * ever had, and a market has some tens.
 */
export class Profiles {
  readonly rows = new Rows(ProfileLane.lanes)
  /** Lanes of the profile that is being changed (`change`). */
  readonly #draft = new Uint32Array(ProfileLane.lanes)
  readonly #births: Rows
  /** Made anew from the rows that are loaded. */
  #slots = new HashSlots()

  constructor(births: Rows) {
    this.#births = births
    this.rows.add()
    this.#findAnew()
  }

  get bytes(): number {
    return this.rows.bytes + this.#slots.bytes
  }

  get untouchedBytes(): number {
    return this.rows.untouchedBytes
  }

  /** One lane (`ProfileLane`) of a token. */
  get(token: number, lane: number): number {
    return this.rows.get(this.#births.get(token, LifecycleLane.profile), lane)
  }

  /** The page with a token's profile, which begins at lane `at`. */
  pageOf(token: number): Uint32Array {
    return this.rows.u32[this.#births.get(token, LifecycleLane.profile) >>> ROW_SHIFT]
  }

  at(token: number): number {
    return profileAt(this.#births.get(token, LifecycleLane.profile))
  }

  /** Gives a token, whose birth was saved, the profile that it has with some lanes changed. */
  change(token: number, change: (profile: Uint32Array) => void): void {
    const at = this.at(token)
    this.#draft.set(this.pageOf(token).subarray(at, at + ProfileLane.lanes))
    change(this.#draft)
    this.#births.set(token, LifecycleLane.profile, this.numberOf(this.#draft))
  }

  /** The row with these lanes. */
  numberOf(profile: Uint32Array): number {
    const hash = hashOf(profile, 0)
    for (let row = this.#slots.first(hash); row >= 0; row = this.#slots.next())
      if (this.#isEqual(row, profile)) return row
    const row = this.rows.add()
    this.rows.u32[row >>> ROW_SHIFT].set(profile, profileAt(row))
    this.#slots.add(hash, row)
    return row
  }

  part(name: string): StatePart {
    return { ...this.rows.part(name), settle: () => this.#settle(name) }
  }

  #settle(name: string): void {
    if (this.rows.count === 0) throw new StateError(`the state has no ${name}`)
    this.#findAnew()
  }

  #findAnew(): void {
    this.#slots = new HashSlots()
    for (let row = 0; row < this.rows.count; row++)
      this.#slots.add(hashOf(this.rows.u32[row >>> ROW_SHIFT], profileAt(row)), row)
  }

  #isEqual(row: number, profile: Uint32Array): boolean {
    const lanes = this.rows.u32[row >>> ROW_SHIFT]
    const at = profileAt(row)
    for (let lane = 0; lane < ProfileLane.lanes; lane++)
      if (lanes[at + lane] !== profile[lane]) return false
    return true
  }
}

/** The lane that a row begins at in its page. */
function profileAt(row: number): number {
  return (row & ROW_MASK) * ProfileLane.lanes
}

function hashOf(lanes: Uint32Array, at: number): number {
  let hash = 0
  for (let lane = at; lane < at + ProfileLane.lanes; lane++) {
    hash = Math.imul(hash ^ lanes[lane], 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash >>> 0
}

/** Lanes of a token's sums in a snapshot: the token, then those of its row. */
const SAVED_LANES = 1 + WindowLane.lanes

/**
 * The sums of the rolling window, of tokens that have a swap in it: a token without one has 4 bytes that name row 0, which is
 * nobody's and all zeros. At most a row for each token. Which row a token has depends on when the clock was moved, so a
 * snapshot has the sums by token.
 */
export class WindowSums {
  readonly rows = new Rows(WindowLane.lanes)
  readonly #rowOf = new U32List()

  readonly #tokens: Rows

  constructor(tokens: Rows) {
    this.#tokens = tokens
    this.#reset()
  }

  get bytes(): number {
    return this.rows.bytes + this.#rowOf.bytes
  }

  get untouchedBytes(): number {
    return this.rows.untouchedBytes + this.#rowOf.untouchedBytes
  }

  /** The row of a token; 0: it has no swap in the window. */
  rowOf(token: number): number {
    return this.#rowOf.get(token)
  }

  /** The row of a token, a new one where it has none. */
  take(token: number): number {
    const known = this.#rowOf.get(token)
    if (known !== 0) return known
    const row = this.rows.add()
    this.#rowOf.set(token, row)
    return row
  }

  /** The last swap of a token left the window. */
  giveBack(token: number): void {
    this.rows.giveBack(this.#rowOf.get(token))
    this.#rowOf.set(token, 0)
  }

  /** The sums as a part of the state; before version 14 each token had a row. */
  part(name: string): StatePart {
    const part = copiedPart(
      name,
      () => this.#written(),
      (bytes) => this.#load(name, bytes),
    )
    const formerPart = () => {
      const rows = new Rows(WindowLane.lanes)
      return { ...rows.part(name), settle: () => this.#takeAll(rows) }
    }
    return { ...part, former: (version) => (version < NARROW_ROWS ? formerPart() : null) }
  }

  #written(): Uint8Array {
    const written = new Uint32Array((this.rows.count - this.rows.free - 1) * SAVED_LANES)
    let at = 0
    for (let token = 0; token < this.#rowOf.length; token++) {
      const row = this.#rowOf.get(token)
      if (row === 0) continue
      written[at] = token
      const from = windowAt(row)
      const lanes = this.rows.u32[row >>> ROW_SHIFT]
      written.set(lanes.subarray(from, from + WindowLane.lanes), at + 1)
      at += SAVED_LANES
    }
    return new Uint8Array(written.buffer)
  }

  #load(name: string, bytes: Uint8Array): void {
    if (bytes.length % (SAVED_LANES * 4) !== 0)
      throw new StateError(`the state's ${name} have ${bytes.length} bytes`)
    this.#reset()
    const lanes = lanesIn(bytes)
    for (let at = 0; at < lanes.length; at += SAVED_LANES) {
      if (lanes[at] >= this.#tokens.count)
        throw new StateError(
          `the state's ${name} are of token ${lanes[at]}, which it does not have`,
        )
      this.#put(lanes[at], lanes.subarray(at + 1, at + SAVED_LANES))
    }
  }

  #takeAll(former: Rows): void {
    this.#reset()
    for (let token = 0; token < former.count; token++) {
      const at = windowAt(token)
      const lanes = former.u32[token >>> ROW_SHIFT].subarray(at, at + WindowLane.lanes)
      if (lanes[WindowLane.buys] + lanes[WindowLane.sells] > 0) this.#put(token, lanes)
    }
  }

  #put(token: number, lanes: Uint32Array): void {
    const row = this.take(token)
    this.rows.u32[row >>> ROW_SHIFT].set(lanes, windowAt(row))
  }

  #reset(): void {
    this.rows.reset(0)
    this.rows.add()
    this.#rowOf.reset(0)
  }
}

/** The lane that a row begins at in its page. */
function windowAt(row: number): number {
  return (row & ROW_MASK) * WindowLane.lanes
}
