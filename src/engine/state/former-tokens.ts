import { TWO_32 } from '../../base/u64.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import type { StatePart } from '../memory/state-part.ts'
import {
  BarHeadLane,
  CrowdLane,
  HolderClass,
  LifecycleLane,
  ProfileLane,
  SeldomLane,
  TokenLane,
  TopsLane,
} from './layout.ts'
import type { Crowds, Profiles, SparseRows } from './token-rows.ts'
import { type FormerImages, imageOf, NEW_IDS } from './undo-log.ts'

/** Lanes of a token's two rows in snapshots before version 14, as they have them, whatever rows become later. */
const FORMER_LANES = { tokens: 52, births: 28 } as const

/** Runs of lanes that moved: the first one then, the first one now, how many. */
type Moves = readonly (readonly [number, number, number])[]
const TO_TOKEN: Moves = [
  [0, TokenLane.virtualBaseLo, 10],
  [40, TokenLane.swaps, 7],
  [50, TokenLane.lastSignature, 2],
]
const TO_BAR_HEADS: Moves = [[47, 0, 3]]
const TO_BIRTH: Moves = [
  [0, LifecycleLane.createdSlotF, 7],
  [12, LifecycleLane.name, 3],
]
const TO_PROFILE: Moves = [
  [7, ProfileLane.tokenProgramPlus1, 5],
  [22, ProfileLane.passedSupplyLo, 2],
]
const TO_SELDOM: Moves = [
  [16, SeldomLane.graduatedSlotF, 6],
  [24, 2 * SeldomLane.createdArrivalF, 4],
  [15, SeldomLane.migrationSignature, 1],
]
/** Of the sums, all and then by class in the order of now: two f64 lanes, the low 32 bits and the rest; then their holders. */
const SUMS_F = 5
const HOLDERS = 34
const { any, sniper, bundle, insider, fresh, pro } = HolderClass
const FORMER_CLASSES = [any, sniper, bundle, insider, fresh, pro] as const

/** The rows of tokens in a state, and the ids of those that an undo log of then has. */
interface TokenRows {
  readonly tokens: Rows
  readonly births: Rows
  readonly tokensUndo: number
  readonly birthsUndo: number
  readonly profiles: Profiles
  readonly crowds: Crowds
  readonly barHeads: SparseRows
  readonly seldom: SparseRows
}

/**
 * Tokens of a snapshot before version 14, each of which had a row of 208 and one of 112 bytes, brought into rows of now, and
 * so are the images of those rows in the undo log, to which late events roll back.
 */
export class FormerTokens {
  readonly #state: TokenRows
  readonly #tokens = new Rows(FORMER_LANES.tokens)
  readonly #births = new Rows(FORMER_LANES.births)

  constructor(state: TokenRows) {
    this.#state = state
  }

  tokensPart(name: string): StatePart {
    return this.#tokens.part(name)
  }

  /** The part behind the other one, with what becomes of both. */
  birthsPart(name: string): StatePart {
    return { ...this.#births.part(name), settle: () => this.#takeRows() }
  }

  /** By id of the undo log, the images of former rows. */
  get images(): ReadonlyMap<number, FormerImages> {
    const { tokensUndo, birthsUndo } = this.#state
    const tokenImages: FormerImages = {
      lanes: FORMER_LANES.tokens,
      foresee: (token, image) => void this.#rowsOfToken(token, image),
      convert: (token, image, put) => {
        const rows = this.#rowsOfToken(token, image)
        put(tokensUndo, token, rows.token)
        if (rows.crowd !== 0) put(NEW_IDS.crowds, rows.crowd, rows.classes)
        if (rows.top !== 0) put(NEW_IDS.tops, rows.top, rows.tops)
        if (rows.head !== 0) put(NEW_IDS.barHeads, rows.head, rows.heads)
      },
    }
    const birthImages: FormerImages = {
      lanes: FORMER_LANES.births,
      foresee: (token, image) => void this.#rowsOfBirth(token, image),
      convert: (token, image, put) => {
        const rows = this.#rowsOfBirth(token, image)
        put(birthsUndo, token, rows.birth)
        if (rows.row !== 0) put(NEW_IDS.seldom, rows.row, rows.seldom)
      },
    }
    return new Map([
      [tokensUndo, tokenImages],
      [birthsUndo, birthImages],
    ])
  }

  #takeRows(): void {
    const { tokens, births, crowds, barHeads, seldom } = this.#state
    tokens.reset(this.#tokens.count)
    births.reset(this.#births.count)
    for (const sparse of [crowds.classes, crowds.tops, barHeads, seldom]) sparse.reset()
    for (let token = 0; token < tokens.count; token++) {
      const rows = this.#rowsOfToken(token, imageOf(this.#tokens, token))
      write(tokens, token, rows.token)
      write(crowds.classes.rows, rows.crowd, rows.classes)
      write(crowds.tops.rows, rows.top, rows.tops)
      write(barHeads.rows, rows.head, rows.heads)
    }
    for (let token = 0; token < births.count; token++) {
      const rows = this.#rowsOfBirth(token, imageOf(this.#births, token))
      write(births, token, rows.birth)
      write(seldom.rows, rows.row, rows.seldom)
    }
  }

  /** The lanes of a token's rows, and which these are: those that are in use are there, and those that were in use before. */
  #rowsOfToken(token: number, image: Uint32Array) {
    const { crowds, barHeads } = this.#state
    const lanes = moved(image, TO_TOKEN, TokenLane.lanes)
    const classes = new Uint32Array(CrowdLane.lanes)
    const tops = new Uint32Array(TopsLane.lanes)
    const f64 = new Float64Array(image.slice().buffer)
    for (const [place, of] of FORMER_CLASSES.entries()) {
      const to = of === HolderClass.any ? lanes : classes
      const at = of === HolderClass.any ? TokenLane.holdersSumLo : of * CrowdLane.apart
      const rest = f64[SUMS_F + 2 * place + 1]
      to[at] = f64[SUMS_F + 2 * place]
      to[at + 1] = rest
      to[at + 2] = image[HOLDERS + place]
      tops[of] = Math.floor(rest / TWO_32)
    }
    const hasTops = tops.some(Boolean)
    const crowd = rowOf(crowds.classes, token, hasTops || classes.some(Boolean))
    const top = rowOf(crowds.tops, crowd, hasTops)
    const heads = moved(image, TO_BAR_HEADS, BarHeadLane.lanes)
    const head = rowOf(barHeads, token, heads.some(Boolean))
    lanes[TokenLane.crowd] = crowd
    lanes[TokenLane.barHeads] = head
    classes[CrowdLane.tops] = top
    return { token: lanes, crowd, classes, top, tops, head, heads }
  }

  #rowsOfBirth(token: number, image: Uint32Array) {
    const { profiles, seldom: sparse } = this.#state
    const birth = moved(image, TO_BIRTH, LifecycleLane.lanes)
    const seldom = moved(image, TO_SELDOM, SeldomLane.lanes)
    const row = rowOf(sparse, token, seldom.some(Boolean))
    birth[LifecycleLane.profile] = profiles.numberOf(moved(image, TO_PROFILE, ProfileLane.lanes))
    birth[LifecycleLane.seldom] = row
    return { birth, row, seldom }
  }
}

/** The row of an owner, which gets one if it is in use. */
function rowOf(sparse: SparseRows, owner: number, isUsed: boolean): number {
  const known = sparse.rowOf(owner)
  return known !== 0 || !isUsed ? known : sparse.add(owner)
}

/** Lanes of a former row where they stand now. */
function moved(image: Uint32Array, moves: Moves, lanes: number): Uint32Array {
  const to = new Uint32Array(lanes)
  for (const [from, first, count] of moves) to.set(image.subarray(from, from + count), first)
  return to
}

function write(rows: Rows, row: number, lanes: Uint32Array): void {
  rows.u32[row >>> ROW_SHIFT].set(lanes, (row & ROW_MASK) * rows.lanes)
}
