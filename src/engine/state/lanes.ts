import { isZeroAt, numberAt, readU64 } from '../../base/u64.ts'
import {
  Flag,
  SWAP_U32_LANES,
  SwapFloatLane,
  SwapLane,
  walletOf,
} from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { recordOf } from './dormant.ts'
import {
  LifecycleLane,
  PositionFlag,
  PositionLane,
  PositionRowLane,
  ProfileLane,
  TokenFlag,
  TokenLane,
  WalletLane,
} from './layout.ts'
import { soldPercent } from './money.ts'
import { PositionRecord } from './position-rows.ts'
import type { State } from './state.ts'

/** One u32 lane (`PositionLane`) of a position: a row, or below 0 a record of the dormant tape. */
export function positionLane(state: State, position: number, lane: number): number {
  if (position < 0) return state.dormant.lane(recordOf(position), lane)
  return state.positions.laneOf(position, lane)
}

/** Copies all lanes of a position: as it is now, of a row. */
export function copyPosition(state: State, position: number, record: PositionRecord): void {
  if (position < 0) state.dormant.copyCached(recordOf(position), record.u32)
  else state.positions.copy(position, record)
}

/** Flags of a row: a wallet that traded an amount has held it, whatever `balance` events say. */
export function flagsOfRow({ positions }: State, row: number): number {
  const flags = positions.get(row, PositionRowLane.flags)
  const { boughtLo, soldLo } = PositionLane
  const hasBought = (positions.laneOf(row, boughtLo) | positions.laneOf(row, boughtLo + 1)) !== 0
  const hasTraded =
    hasBought || (positions.laneOf(row, soldLo) | positions.laneOf(row, soldLo + 1)) !== 0
  return hasTraded ? flags | PositionFlag.held : flags
}

/**
 * Is the position whose lanes begin at `pAt` listed? One of a coin that only passed through on a route is not,
 * nor one that was taken back.
 */
export function isListedAt(p: Uint32Array, pAt: number): boolean {
  const hasTraded = p[pAt + PositionLane.buys] + p[pAt + PositionLane.sells] > 0
  return hasTraded || (p[pAt + PositionLane.flags] & PositionFlag.held) !== 0
}

/** The same of a row (`PositionRowLane`). */
export function isListedRow(p: Uint32Array, at: number): boolean {
  return hasTradedRow(p, at) || (p[at + PositionRowLane.flags] & PositionFlag.held) !== 0
}

/** Has a row a trade? Without one no amount needs a row of sales. */
export function hasTradedRow(p: Uint32Array, at: number): boolean {
  const hasSales = (p[at + PositionRowLane.flags] & PositionFlag.hasSales) !== 0
  return p[at + PositionRowLane.buys] > 0 || hasSales
}

/** Has the position whose lanes begin at `pAt` a balance that counts? */
export function isHolderAt(p: Uint32Array, pAt: number): boolean {
  const isHeld = (p[pAt + PositionLane.balanceLo] | p[pAt + PositionLane.balanceLo + 1]) !== 0
  return isHeld && (p[pAt + PositionLane.flags] & PositionFlag.excluded) === 0
}

/** The same of a row. */
export function isHolderRow(p: Uint32Array, at: number): boolean {
  const balanceAt = at + PositionRowLane.balanceLo
  return !isZeroAt(p, balanceAt) && (p[at + PositionRowLane.flags] & PositionFlag.excluded) === 0
}

/** Is the wallet the mint's curve or pool, or one that never counts as a holder (contract 2)? */
export function isNeverHolder(state: State, token: number, wallet: number): boolean {
  const address = state.book.addressOfWallet(wallet)
  return (
    state.births.get(token, LifecycleLane.bondingCurvePlus1) === address + 1 ||
    state.tokens.get(token, TokenLane.poolAmmPlus1) === address + 1 ||
    state.neverHolders.includes(address)
  )
}

/** Addresses (+ 1; 0 while not known) of a mint's curve and pool. */
export function poolAddressesOf({ births, tokens }: State, token: number): readonly number[] {
  return [
    births.get(token, LifecycleLane.bondingCurvePlus1),
    tokens.get(token, TokenLane.poolAmmPlus1),
  ]
}

/** More than what a few roundings add up to, as a part of the greatest value among them. */
const ROUNDED = 2 ** -50

export function flagsOf(state: State, token: number): number {
  return state.tokens.get(token, TokenLane.flags)
}

/** Percent of the curve that is sold, 100 once complete. */
export function completionOf(state: State, token: number): number {
  if (flagsOf(state, token) & (TokenFlag.graduated | TokenFlag.complete)) return 100
  const t = state.tokens.u32[token >>> ROW_SHIFT]
  const tAt = (token & ROW_MASK) * TokenLane.lanes
  const initialAt = state.profiles.at(token) + ProfileLane.initialRealBaseLo
  return soldPercent(t, tAt + TokenLane.realBaseLo, state.profiles.pageOf(token), initialAt)
}

/** Is the curve complete, or sold to the rule's percent of its initial real base or more? Compared exactly. */
export function isCompleting(state: State, token: number): boolean {
  const flags = flagsOf(state, token)
  if (flags & TokenFlag.graduated) return false
  if (flags & TokenFlag.complete) return true
  const t = state.tokens.u32[token >>> ROW_SHIFT]
  const tAt = (token & ROW_MASK) * TokenLane.lanes + TokenLane.realBaseLo
  const b = state.profiles.pageOf(token)
  const bAt = state.profiles.at(token) + ProfileLane.initialRealBaseLo
  if (isZeroAt(b, bAt)) return false
  const initial = numberAt(b, bAt)
  const real = numberAt(t, tAt)
  const sold = (initial - real) * 100
  const needed = state.rules.completingPercent * initial
  // Far enough apart for doubles: BigInts would leave garbage behind every swap.
  if (Math.abs(sold - needed) > ROUNDED * (initial + real) * 100) return sold >= needed
  const exact = readU64(b, bAt)
  return (
    (exact - readU64(t, tAt)) * 100n >= BigInt(Math.round(state.rules.completingPercent)) * exact
  )
}

/**
 * The swap being folded, with the pages and lanes of every row it touches: the parts of the fold
 * pass this one object along, so that nothing is looked up twice and nothing is allocated.
 * Names of lanes: `r` record, `t` token, `p` position (`PositionRowLane`), `l` wallet; `...F` the f64 lane.
 */
export class SwapContext {
  /** Tape index. */
  index = 0
  r: Uint32Array = new Uint32Array(0)
  rf: Float64Array = new Float64Array(0)
  rAt = 0
  rAtF = 0
  token = 0
  t: Uint32Array = new Uint32Array(0)
  tf: Float64Array = new Float64Array(0)
  tAt = 0
  tAtF = 0
  b: Uint32Array = new Uint32Array(0)
  bf: Float64Array = new Float64Array(0)
  bAt = 0
  wallet = 0
  l: Uint32Array = new Uint32Array(0)
  lf: Float64Array = new Float64Array(0)
  lAt = 0
  lAtF = 0
  position = 0
  p: Uint32Array = new Uint32Array(0)
  pAt = 0
  /** What `PositionRows` reads and writes of the position. */
  readonly amounts = new PositionRecord()
  flags = 0
  timestamp = 0
  isBuy = false
  isAmm = false
  /** First swap of this position. */
  isFirst = false
  /** The coin passes through on a route: nobody holds it. */
  isPassed = false
  quote = 0
  decimals = 0
  slot = 0.5
  solPriceUsd = 0.5
  /** Dollars per SOL that came with the swap; 0 for none. */
  givenSolPriceUsd = 0.5
  microUsd = 0.5
  /** SOL value of the swap in lamports. */
  lamports = 0.5
  /** What the trader paid or got; of a route what its hop of SOL or dollars did. */
  paidMicroUsd = 0.5
  paidLamports = 0.5
  /** Part of what a sale sold that the inventory had, 0 to 1. */
  soldShare = 0.5
  /** Fees in lamports that hops before this one paid. */
  feesBefore = 0.5
  priceUsd = 0.5
  priceSol = 0.5

  readonly #copy = new Uint32Array(SWAP_U32_LANES)
  readonly #copyF = new Float64Array(this.#copy.buffer)

  takeRecord(state: State, index: number): void {
    this.index = index
    const { tape } = state
    this.r = tape.u32Of(index)
    this.rf = tape.f64Of(index)
    this.rAt = tape.at(index)
    if (index < tape.firstPlain) this.#copyRecord()
    this.rAtF = this.rAt >>> 1
    this.token = this.r[this.rAt + SwapLane.token]
    this.wallet = walletOf(this.r, this.rAt)
    this.flags = this.r[this.rAt + SwapLane.flags]
    this.timestamp = this.r[this.rAt + SwapLane.timestamp]
    this.isBuy = (this.flags & Flag.sell) === 0
    this.isAmm = (this.flags & Flag.amm) !== 0
    this.slot = this.rf[this.rAtF + SwapFloatLane.slot]
  }

  /** Other records are read while this one is folded; only those that are not packed stay where they are. */
  #copyRecord(): void {
    this.#copy.set(this.r.subarray(this.rAt, this.rAt + SWAP_U32_LANES))
    this.r = this.#copy
    this.rf = this.#copyF
    this.rAt = 0
  }

  takeToken(state: State): void {
    const token = this.token
    this.t = state.tokens.u32[token >>> ROW_SHIFT]
    this.tf = state.tokens.f64[token >>> ROW_SHIFT]
    this.tAt = (token & ROW_MASK) * TokenLane.lanes
    this.tAtF = this.tAt >>> 1
    this.b = state.births.u32[token >>> ROW_SHIFT]
    this.bf = state.births.f64[token >>> ROW_SHIFT]
    this.bAt = (token & ROW_MASK) * LifecycleLane.lanes
    const { rows } = state.profiles
    const profile = this.b[this.bAt + LifecycleLane.profile]
    this.quote = rows.get(profile, ProfileLane.quote)
    this.decimals = rows.get(profile, ProfileLane.decimals)
  }

  takeWallet(state: State): void {
    const wallet = this.wallet
    this.l = state.wallets.u32[wallet >>> ROW_SHIFT]
    this.lf = state.wallets.f64[wallet >>> ROW_SHIFT]
    this.lAt = (wallet & ROW_MASK) * WalletLane.lanes
    this.lAtF = this.lAt >>> 1
  }

  takePosition(state: State, position: number): void {
    this.position = position
    this.p = state.positions.u32[position >>> ROW_SHIFT]
    this.pAt = (position & ROW_MASK) * PositionRowLane.lanes
    state.positions.read(position, this.amounts)
    this.isFirst = !hasTradedRow(this.p, this.pAt)
  }
}
