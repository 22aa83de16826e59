import { HashSlots, ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import { StateError, type StatePart } from '../memory/state-part.ts'
import { LifecycleLane, ProfileLane } from './layout.ts'

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
    return atOf(this.#births.get(token, LifecycleLane.profile))
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
    this.rows.u32[row >>> ROW_SHIFT].set(profile, atOf(row))
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
      this.#slots.add(hashOf(this.rows.u32[row >>> ROW_SHIFT], atOf(row)), row)
  }

  #isEqual(row: number, profile: Uint32Array): boolean {
    const lanes = this.rows.u32[row >>> ROW_SHIFT]
    const at = atOf(row)
    for (let lane = 0; lane < ProfileLane.lanes; lane++)
      if (lanes[at + lane] !== profile[lane]) return false
    return true
  }
}

/** The lane that a row begins at in its page. */
function atOf(row: number): number {
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
