import { numberAt, readU64, wholeAt } from '../../base/u64.ts'
import { Quote } from '../../events/platform.ts'
import type { TopHolders } from '../index/top-holders.ts'
import type { XLinks } from '../index/x-links.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { completionOf, flagsOfRow } from '../state/lanes.ts'
import {
  ColdRunLane,
  HolderClass,
  LifecycleLane,
  MetadataLane,
  PositionFlag,
  PositionRowLane,
  ProfileLane,
  SeldomLane,
  TokenFlag,
  TokenLane,
  WalletLane,
  WindowLane,
} from '../state/layout.ts'
import { percentOf, priceInQuote, solOfQuote } from '../state/money.ts'
import type { State } from '../state/state.ts'

const MICRO = 1e6

/** Seconds since a creation; 0 while the clock is behind it. */
export function ageSecondsAt(now: number, createdAt: number): number {
  return Math.max(0, now - createdAt)
}

/**
 * `engine/read` turns rows into numbers. In: a token, a position or a chart's range. Out: values in the
 * units of the wire, at the clock's now. It writes only what it remembers of its last read, and knows
 * nothing of the fold.
 *
 * The values of one token in the units of the wire (contract section 1). `at` selects the token for every
 * method after it; values are as of the state's now.
 */
export class TokenReader {
  readonly #state: State
  readonly #top: TopHolders
  readonly #links: XLinks
  token = 0
  #t: Uint32Array = new Uint32Array(0)
  #tf: Float64Array = new Float64Array(0)
  #tAt = 0
  #b: Uint32Array = new Uint32Array(0)
  #bAt = 0
  #m: Uint32Array = new Uint32Array(0)
  #mAt = 0
  /** Lanes of the creator's balance. */
  #c: Uint32Array = new Uint32Array(0)
  #cAt = 0
  #cFlags = 0

  constructor(state: State, top: TopHolders, links: XLinks) {
    this.#state = state
    this.#top = top
    this.#links = links
  }

  at(token: number): this {
    const page = token >>> ROW_SHIFT
    const row = token & ROW_MASK
    this.token = token
    this.#t = this.#state.tokens.u32[page]
    this.#tf = this.#state.tokens.f64[page]
    this.#tAt = row * TokenLane.lanes
    this.#b = this.#state.births.u32[page]
    this.#bAt = row * LifecycleLane.lanes
    this.#m = this.#state.metadata.u32[page]
    this.#mAt = row * MetadataLane.lanes
    return this
  }

  get isComplete(): boolean {
    return (this.#flags & (TokenFlag.complete | TokenFlag.graduated)) !== 0
  }

  get isGraduated(): boolean {
    return (this.#flags & TokenFlag.graduated) !== 0
  }

  get isMayhem(): boolean {
    return (this.#flags & TokenFlag.mayhem) !== 0
  }

  get mint(): string {
    return this.#state.book.mintOf(this.token)
  }

  /** Of two tokens the one whose mint is less never has the greater number. */
  get mintOrder(): number {
    const { book } = this.#state
    return book.orderOf(book.addressOfToken(this.token))
  }

  get name(): string {
    return this.#state.texts.get(this.#b[this.#bAt + LifecycleLane.name])
  }

  get symbol(): string {
    return this.#state.texts.get(this.#b[this.#bAt + LifecycleLane.symbol])
  }

  get uri(): string {
    return this.#state.texts.get(this.#b[this.#bAt + LifecycleLane.uri])
  }

  get bondingCurve(): string {
    return this.#address(this.#b[this.#bAt + LifecycleLane.bondingCurvePlus1])
  }

  get poolAmm(): string {
    return this.#address(this.#t[this.#tAt + TokenLane.poolAmmPlus1])
  }

  /** Where it trades: the curve until migration, the AMM pool after. */
  get pool(): string {
    return this.isGraduated ? this.poolAmm : this.bondingCurve
  }

  get creator(): string {
    const creator = this.creatorPlus1
    return creator === 0 ? '' : this.#state.book.walletText(creator - 1)
  }

  get tokenProgram(): string {
    return this.#address(this.#profile(ProfileLane.tokenProgramPlus1))
  }

  /** Null until a migration was seen. */
  get migrationSignature(): string | null {
    if ((this.#flags & TokenFlag.migrationKnown) === 0) return null
    return this.#state.texts.get(this.#state.seldom.get(this.token, SeldomLane.migrationSignature))
  }

  /** Unix seconds, null until a migration was seen. */
  get migratedAt(): number | null {
    return this.#flags & TokenFlag.migrationKnown
      ? this.#state.seldom.get(this.token, SeldomLane.migratedAt)
      : null
  }

  /** One of METADATA_KEYS by its place; "" when missing. */
  metadataText(place: number): string {
    return this.#state.texts.get(this.#m[this.#mAt + MetadataLane.firstText + place])
  }

  hasMetadata(place: number): boolean {
    return this.#m[this.#mAt + MetadataLane.firstText + place] !== 0
  }

  get isDexPaid(): boolean {
    return this.#m[this.#mAt + MetadataLane.dexPaid] !== 0
  }

  get hasSuffix(): boolean {
    return this.mint.endsWith(this.#state.rules.mintSuffix)
  }

  get xReuses(): number {
    return this.#links.reusesOf(this.token)
  }

  /** Unix seconds. */
  get createdAt(): number {
    return this.#b[this.#bAt + LifecycleLane.createdAt]
  }

  /** Was every event of it seen since its creation, as far as the feeds say (contract section 9)? */
  get isHistoryComplete(): boolean {
    if ((this.#flags & TokenFlag.creationKnown) === 0) return false
    const { lastSlot } = this.#state.unseen
    if (lastSlot < 0) return true
    const bf = this.#state.births.f64[this.token >>> ROW_SHIFT]
    return bf[(this.#bAt >>> 1) + LifecycleLane.createdSlotF] > lastSlot
  }

  /** Unix seconds from which on every event of it was seen; null: not known. */
  get historyFrom(): number | null {
    return this.isHistoryComplete ? this.createdAt : this.#state.unseen.seenSeconds
  }

  get ageSeconds(): number {
    return ageSecondsAt(this.#state.now, this.createdAt)
  }

  get completionPercent(): number {
    return completionOf(this.#state, this.token)
  }

  get decimals(): number {
    return this.#profile(ProfileLane.decimals)
  }

  get priceSol(): number {
    const { quotes, solPriceUsd } = this.#state
    if (this.quote < Quote.other) return solOfQuote(this.priceInUnits, this.quote, solPriceUsd)
    return (this.priceInUnits * quotes.lamportsPerUnit(this.quote, solPriceUsd)) / 1e9
  }

  get priceUsd(): number {
    return this.priceInUnits * this.unitUsd
  }

  get solPriceUsd(): number {
    return this.#state.solPriceUsd
  }

  get marketCapUsd(): number {
    return this.priceUsd * this.supplyWhole
  }

  /** Whole tokens of the supply. */
  get supplyWhole(): number {
    return wholeAt(this.#t, this.#tAt + TokenLane.supplyLo, this.decimals)
  }

  get liquidityUsd(): number {
    const at = this.#tAt + TokenLane.virtualQuoteLo
    if (this.quote >= Quote.other) return 2 * numberAt(this.#t, at) * this.unitUsd
    return 2 * wholeAt(this.#t, at, this.quoteDecimals) * this.unitUsd
  }

  /** Since creation. */
  get volumeUsd(): number {
    return this.volumeMicroUsd / MICRO
  }

  /** An integer. */
  get volumeMicroUsd(): number {
    return this.#tf[(this.#tAt >>> 1) + TokenLane.volumeMicroUsdF]
  }

  /** A count of its row (`TokenLane`). */
  lane(lane: number): number {
    return this.#t[this.#tAt + lane]
  }

  /** A u64 of its row (`TokenLane.…Lo`) to its last digit. */
  raw(lane: number): bigint {
    return readU64(this.#t, this.#tAt + lane)
  }

  get buys24h(): number {
    return this.#window(WindowLane.buys)
  }

  get sells24h(): number {
    return this.#window(WindowLane.sells)
  }

  get swaps24h(): number {
    return this.buys24h + this.sells24h
  }

  get buyVolume24hUsd(): number {
    return this.#windowF(WindowLane.buyMicroUsdF) / MICRO
  }

  get sellVolume24hUsd(): number {
    return this.#windowF(WindowLane.sellMicroUsdF) / MICRO
  }

  get volume24hUsd(): number {
    return (
      (this.#windowF(WindowLane.buyMicroUsdF) + this.#windowF(WindowLane.sellMicroUsdF)) / MICRO
    )
  }

  get holders(): number {
    return this.#t[this.#tAt + TokenLane.holders]
  }

  get topTenPercent(): number {
    return percentOf(this.#top.sum(this.token), this.supplyRaw)
  }

  /** Raw supply as a double. */
  get supplyRaw(): number {
    return numberAt(this.#t, this.#tAt + TokenLane.supplyLo)
  }

  get creatorPercent(): number {
    if (!this.#findCreator()) return 0
    return percentOf(numberAt(this.#c, this.#cAt), this.supplyRaw)
  }

  get hasCreatorSoldAll(): boolean {
    if (!this.#findCreator() || (this.#cFlags & PositionFlag.held) === 0) return false
    if (this.#cFlags & PositionFlag.gaveAway) return false
    return wholeAt(this.#c, this.#cAt, this.decimals) <= this.#state.rules.soldAllWhole
  }

  /** Finds the creator's balance and flags; false when the creator has no position. */
  #findCreator(): boolean {
    const { positions, dormant } = this.#state
    const row = this.#t[this.#tAt + TokenLane.creatorPositionPlus1] - 1
    const run = this.#t[this.#tAt + TokenLane.dormantPlus1] - 1
    if (row >= 0) {
      this.#c = positions.u32[row >>> ROW_SHIFT]
      const at = (row & ROW_MASK) * PositionRowLane.lanes
      this.#cAt = at + PositionRowLane.balanceLo
      this.#cFlags = flagsOfRow(this.#state, row)
    } else if (run >= 0) {
      this.#c = dormant.runs.u32[run >>> ROW_SHIFT]
      const at = (run & ROW_MASK) * ColdRunLane.lanes
      this.#cAt = at + ColdRunLane.creatorBalanceLo
      this.#cFlags = this.#c[at + ColdRunLane.creatorFlags]
    } else return false
    // After the creation was taken back the lane still names the row of its former creator.
    return (this.#cFlags & PositionFlag.creator) !== 0
  }

  /** Percent of the supply that a class of holders (`HolderClass`) has. */
  sharePercent(of: number): number {
    return percentOf(this.#state.crowds.sum(this.token, of), this.supplyRaw)
  }

  get proTraders(): number {
    return this.#state.crowds.holders(this.token, HolderClass.pro)
  }

  /** Tokens this token's creator created; 0 when unknown. */
  get creatorCreations(): number {
    return this.#creatorLane(WalletLane.creations)
  }

  /** Of these, migrated. */
  get creatorMigrations(): number {
    return this.#creatorLane(WalletLane.migrations)
  }

  #creatorLane(lane: number): number {
    return this.creatorPlus1 === 0 ? 0 : this.#state.wallets.get(this.creatorPlus1 - 1, lane)
  }

  get #flags(): number {
    return this.#t[this.#tAt + TokenLane.flags]
  }

  /** Number of its quote (`Quotes`). */
  get quote(): number {
    return this.#profile(ProfileLane.quote)
  }

  get quoteDecimals(): number {
    return this.#state.quotes.decimalsOf(this.quote)
  }

  /** Dollars of one unit of `priceInUnits`, now; 0: unknown. */
  get unitUsd(): number {
    return this.#state.quotes.unitUsd(this.quote, this.#state.solPriceUsd)
  }

  /** Is the price in dollars known? Else it is 0. */
  get isPriced(): boolean {
    return this.unitUsd > 0
  }

  /** Mint of its quote; "" for a coin that no event named. */
  get quoteMint(): string {
    return this.#state.quotes.mintOf(this.quote)
  }

  /** "" for a coin whose creation is not known. */
  get quoteSymbol(): string {
    return this.#state.quotes.symbolOf(this.quote)
  }

  /** Wallet row of the creator + 1; 0: unknown. */
  get creatorPlus1(): number {
    return this.#b[this.#bAt + LifecycleLane.creatorPlus1]
  }

  /** Price of a whole token in whole SOL or dollars, or in raw units of the coin that it is quoted in. */
  get priceInUnits(): number {
    if (this.quote >= Quote.other) {
      const base = wholeAt(this.#t, this.#tAt + TokenLane.virtualBaseLo, this.decimals)
      return base === 0 ? 0 : numberAt(this.#t, this.#tAt + TokenLane.virtualQuoteLo) / base
    }
    return priceInQuote(
      this.#t,
      this.#tAt + TokenLane.virtualBaseLo,
      this.#tAt + TokenLane.virtualQuoteLo,
      this.decimals,
      this.quoteDecimals,
    )
  }

  #profile(lane: number): number {
    return this.#state.profiles.rows.get(this.#b[this.#bAt + LifecycleLane.profile], lane)
  }

  /** A count of the window (`WindowLane`). */
  #window(lane: number): number {
    const { windows } = this.#state
    return windows.rows.get(windows.rowOf(this.token), lane)
  }

  #windowF(laneF: number): number {
    const { windows } = this.#state
    const row = windows.rowOf(this.token)
    const at = ((row & ROW_MASK) * WindowLane.lanes) >>> 1
    return windows.rows.f64[row >>> ROW_SHIFT][at + laneF]
  }

  #address(addressPlus1: number): string {
    return addressPlus1 === 0 ? '' : this.#state.book.text(addressPlus1 - 1)
  }
}
