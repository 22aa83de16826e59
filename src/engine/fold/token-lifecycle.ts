import { asU64, copyU64, isLess, subtractU64, writeU64 } from '../../base/u64.ts'
import type { Completed, Migrated, Reserves, TokenCreated, TokenState } from '../../events/event.ts'
import { DECIMALS_DEFAULT, INITIAL_REAL_BASE_RAW, Quote } from '../../events/platform.ts'
import {
  Flag,
  givenQuoteDecimals,
  givenQuoteOf,
  poolOf,
  SwapLane,
} from '../../events/swap-record.ts'
import { codePoints, LINK_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../../events/text.ts'
import type { BarChains } from '../history/bar-chains.ts'
import type { XLinks } from '../index/x-links.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import type { EventPosition } from '../order/event-position.ts'
import type { SwapContext } from '../state/lanes.ts'
import {
  LifecycleLane,
  ProfileLane,
  SeldomLane,
  TokenFlag,
  TokenLane,
  WalletLane,
} from '../state/layout.ts'
import type { State } from '../state/state.ts'
import type { Burns } from './inventory-clamp.ts'

/** Whole tokens of a mint whose supply no event gave. */
const SUPPLY_WHOLE_DEFAULT = 1_000_000_000n

/** Scratch u64 amounts. */
const supply = new Uint32Array(2)
const burned = new Uint32Array(2)

/**
 * How tokens are born and change their stage: by a creation, by the first swap of an unknown mint, by a
 * completion, by a migration.
 */
export class TokenLifecycle {
  readonly #state: State
  readonly #links: XLinks
  readonly #bars: BarChains
  /** Did the last swap of `beforeSwap` graduate its mint? */
  hasGraduated = false
  /** Did it name the mint's curve or pool for the first time, after other swaps? */
  hasNewPool = false

  constructor(state: State, links: XLinks, bars: BarChains) {
    this.#state = state
    this.#links = links
    this.#bars = bars
  }

  /** An unknown mint's first swap makes it; an AMM swap graduates it. The token row is saved. */
  beforeSwap(swap: SwapContext, key: EventPosition): boolean {
    this.hasGraduated = false
    this.hasNewPool = false
    const { t, tAt, b, bAt } = this.#rows(swap.token)
    const flags = t[tAt + TokenLane.flags]
    const isNew = (flags & TokenFlag.exists) === 0
    const isKnown = swap.isAmm
      ? (flags & TokenFlag.graduated) !== 0
      : b[bAt + LifecycleLane.bondingCurvePlus1] !== 0
    if (!isNew && isKnown) return false
    this.hasNewPool = !isNew
    this.#state.saveBirth(swap.token)
    const pool = poolOf(swap.r, swap.rAt)
    const arrival = swap.flags & Flag.noSlot ? key.arrival : 0
    if (isNew) this.#start(swap.token, key, arrival, swap.timestamp)
    if (!swap.isAmm) {
      b[bAt + LifecycleLane.bondingCurvePlus1] = pool + 1
      return isNew
    }
    if (t[tAt + TokenLane.poolAmmPlus1] === 0) t[tAt + TokenLane.poolAmmPlus1] = pool + 1
    this.hasGraduated = true
    this.hasNewPool = true
    this.#graduate(swap.token, key, arrival)
    return isNew
  }

  /**
   * Notes the quote coin that a swap (its record at u32 lane `at`) names, before it is folded: the first one
   * of a mint counts.
   */
  noteCoin(u32: Uint32Array, at: number): void {
    if (givenQuoteOf(u32, at) !== Quote.other) return
    const { quotes, seldom } = this.#state
    const quote = quotes.numberOfCoin(u32[at + SwapLane.quoteMint])
    const decimals = givenQuoteDecimals(u32[at + SwapLane.flags])
    if (decimals >= 0) quotes.noteDecimals(quote, decimals)
    const token = u32[at + SwapLane.token]
    if (seldom.get(token, SeldomLane.givenCoin) === 0)
      seldom.rows.set(seldom.rowOf(token) || seldom.add(token), SeldomLane.givenCoin, quote)
  }

  /** The first swap that names the quote of its mint sets it, unless a creation has. */
  takeQuote(swap: SwapContext): void {
    const given = givenQuoteOf(swap.r, swap.rAt)
    const { t, tAt } = swap
    if (given < 0 || t[tAt + TokenLane.flags] & (TokenFlag.creationKnown | TokenFlag.quoteGiven))
      return
    t[tAt + TokenLane.flags] |= TokenFlag.quoteGiven
    const { profiles, seldom } = this.#state
    const quote = given === Quote.other ? seldom.get(swap.token, SeldomLane.givenCoin) : given
    if (quote === swap.quote) return
    this.#state.saveBirth(swap.token)
    profiles.change(swap.token, (profile) => {
      profile[ProfileLane.quote] = quote
    })
    this.#bars.restart(swap.token)
    swap.takeToken(this.#state)
  }

  /** Name and symbol, as cut. */
  textOf(token: number): { name: string; symbol: string } {
    const { b, bAt } = this.#rows(token)
    const { texts } = this.#state
    return {
      name: texts.get(b[bAt + LifecycleLane.name]),
      symbol: texts.get(b[bAt + LifecycleLane.symbol]),
    }
  }

  created(token: number, event: TokenCreated, key: EventPosition): void {
    this.#save(token)
    const { t, tAt, b, bAt } = this.#rows(token)
    this.#start(token, key, slotlessArrival(key), event.timestamp)
    this.#fillCreation(token, event, key)
    if (
      t[tAt + TokenLane.swaps] === 0 &&
      (t[tAt + TokenLane.flags] & TokenFlag.reservesGiven) === 0
    ) {
      writeU64(t, tAt + TokenLane.virtualBaseLo, event.virtualBaseRaw)
      writeU64(t, tAt + TokenLane.virtualQuoteLo, event.virtualQuoteRaw)
      writeU64(t, tAt + TokenLane.realBaseLo, event.realBaseRaw)
      if (event.realBaseRaw === 0n) t[tAt + TokenLane.flags] |= TokenFlag.complete
    }
    b[bAt + LifecycleLane.creatorPlus1] = 0
    if (event.creator !== '') this.#adopt(token, event.creator)
  }

  /**
   * What the chain says of a mint: the supply, and of a token whose creation is unknown the rest. It makes no token and
   * is no launch, so it counts nothing for the creator. The first creator counts: later ones only get the fees.
   */
  stateTold(token: number, event: TokenState): void {
    const { t, tAt, b, bAt } = this.#rows(token)
    const flags = t[tAt + TokenLane.flags]
    if ((flags & TokenFlag.exists) === 0) return
    this.#save(token)
    writeU64(t, tAt + TokenLane.supplyLo, event.supplyRaw)
    t[tAt + TokenLane.flags] |=
      TokenFlag.supplySeen | (event.hasLargestHolders ? TokenFlag.holdersTold : 0)
    if (flags & TokenFlag.creationKnown) return
    const { book, profiles } = this.#state
    if (profiles.get(token, ProfileLane.decimals) !== event.decimals) this.#bars.restart(token)
    const programPlus1 = book.address(event.tokenProgram) + 1
    profiles.change(token, (profile) => {
      profile[ProfileLane.decimals] = event.decimals
      writeU64(profile, ProfileLane.passedSupplyLo, defaultSupplyRaw(event.decimals))
      profile[ProfileLane.tokenProgramPlus1] = programPlus1
    })
    this.#putTexts(b, bAt, event)
    if (event.bondingCurve && b[bAt + LifecycleLane.bondingCurvePlus1] === 0)
      b[bAt + LifecycleLane.bondingCurvePlus1] = book.address(event.bondingCurve) + 1
    if (!event.creator || b[bAt + LifecycleLane.creatorPlus1] !== 0) return
    const wallet = book.wallet(event.creator)
    this.#state.coverWallet(wallet)
    b[bAt + LifecycleLane.creatorPlus1] = wallet + 1
  }

  completed(token: number, event: Completed, key: EventPosition): void {
    this.#changeStage(token, event, key)
    const { t, tAt } = this.#rows(token)
    t[tAt + TokenLane.flags] |= TokenFlag.complete
  }

  migrated(token: number, event: Migrated, key: EventPosition): void {
    this.#changeStage(token, event, key)
    const { t, tAt } = this.#rows(token)
    t[tAt + TokenLane.poolAmmPlus1] = this.#state.book.address(event.poolAmm) + 1
    t[tAt + TokenLane.flags] |= TokenFlag.migrationKnown
    const { s, sAt } = this.#seldomOf(token)
    this.#putText(s, sAt + SeldomLane.migrationSignature, event.signature)
    s[sAt + SeldomLane.migratedAt] = event.timestamp
    this.#graduate(token, key, slotlessArrival(key))
  }

  /** A completion or migration may be the first event of its mint, and the first that names its curve. */
  #changeStage(token: number, event: Completed | Migrated, key: EventPosition): void {
    this.#save(token)
    const { b, bAt } = this.#rows(token)
    if (this.#isBirth(token, key)) this.#start(token, key, slotlessArrival(key), event.timestamp)
    if (b[bAt + LifecycleLane.bondingCurvePlus1] === 0 && event.bondingCurve !== '')
      b[bAt + LifecycleLane.bondingCurvePlus1] = this.#state.book.address(event.bondingCurve) + 1
  }

  /** Is the event at `key` the first of its mint, whose creation is unknown? */
  #isBirth(token: number, key: EventPosition): boolean {
    const { t, tAt, b, bf, bAt } = this.#rows(token)
    const flags = t[tAt + TokenLane.flags]
    if ((flags & TokenFlag.exists) === 0) return true
    if (flags & TokenFlag.creationKnown) return false
    const slot = bf[(bAt >>> 1) + LifecycleLane.createdSlotF]
    if (key.slot !== slot) return key.slot < slot
    const txIndex = b[bAt + LifecycleLane.createdTxIndex]
    if (key.txIndex !== txIndex) return key.txIndex < txIndex
    return key.ordinal < b[bAt + LifecycleLane.createdOrdinal]
  }

  #fillCreation(token: number, event: TokenCreated, key: EventPosition): void {
    const { t, tAt, b, bAt } = this.#rows(token)
    const { book, profiles } = this.#state
    const decimals = event.decimals ?? DECIMALS_DEFAULT
    const quote = this.#state.quotes.numberOf(event.quoteMint)
    const hasDecimals = profiles.get(token, ProfileLane.decimals) === decimals
    if (!hasDecimals || profiles.get(token, ProfileLane.quote) !== quote) this.#bars.restart(token)
    let flags = t[tAt + TokenLane.flags] | TokenFlag.creationKnown
    if (event.isMayhemMode) flags |= TokenFlag.mayhem
    if (key.isSlotKnown) flags |= TokenFlag.slotKnown
    this.#putTexts(b, bAt, event)
    if (event.bondingCurve !== '')
      b[bAt + LifecycleLane.bondingCurvePlus1] = book.address(event.bondingCurve) + 1
    const programPlus1 = event.tokenProgram === '' ? 0 : book.address(event.tokenProgram) + 1
    const supplyRaw = event.supplyRaw ?? defaultSupplyRaw(decimals)
    profiles.change(token, (profile) => {
      profile[ProfileLane.decimals] = decimals
      profile[ProfileLane.quote] = quote
      writeU64(profile, ProfileLane.initialRealBaseLo, event.realBaseRaw)
      if (programPlus1 !== 0) profile[ProfileLane.tokenProgramPlus1] = programPlus1
      // Records of the tape do not change: swaps from before any supply was known read it here.
      writeU64(profile, ProfileLane.passedSupplyLo, supplyRaw)
    })
    if ((flags & TokenFlag.supplySeen) === 0) {
      writeU64(t, tAt + TokenLane.supplyLo, supplyRaw)
      if (event.supplyRaw !== undefined) flags |= TokenFlag.supplySeen
    }
    t[tAt + TokenLane.flags] = flags
  }

  /** Those that are absent stay. */
  #putTexts(b: Uint32Array, bAt: number, texts: Pick<TokenState, 'name' | 'symbol' | 'uri'>): void {
    const { name, symbol, uri } = texts
    if (name !== undefined)
      this.#putText(b, bAt + LifecycleLane.name, codePoints(name, NAME_CHARACTERS_MAX))
    if (symbol !== undefined)
      this.#putText(b, bAt + LifecycleLane.symbol, codePoints(symbol, NAME_CHARACTERS_MAX))
    if (uri !== undefined)
      this.#putText(b, bAt + LifecycleLane.uri, codePoints(uri, LINK_CHARACTERS_MAX))
  }

  /** An event that is folded again after an undo finds its text there (state.ts). */
  #putText(b: Uint32Array, lane: number, text: string): void {
    b[lane] = this.#state.texts.replace(b[lane], text)
  }

  #adopt(token: number, creator: string): void {
    const wallet = this.#state.book.wallet(creator)
    this.#state.coverWallet(wallet)
    this.#state.undo.save(this.#state.walletsUndo, wallet)
    const l = this.#state.wallets.u32[wallet >>> ROW_SHIFT]
    const lAt = (wallet & ROW_MASK) * WalletLane.lanes
    const { t, tAt, b, bAt } = this.#rows(token)
    b[bAt + LifecycleLane.creatorPlus1] = wallet + 1
    l[lAt + WalletLane.creations] += 1
    if (t[tAt + TokenLane.flags] & TokenFlag.graduated) l[lAt + WalletLane.migrations] += 1
    this.#state.creatorChanges.note(wallet)
  }

  /** The first event of a mint, or a late creation: place and time, and defaults. */
  #start(token: number, key: EventPosition, arrival: number, timestamp: number): void {
    const { t, tAt, b, bf, bAt } = this.#rows(token)
    bf[(bAt >>> 1) + LifecycleLane.createdSlotF] = key.slot
    b[bAt + LifecycleLane.createdTxIndex] = key.txIndex
    b[bAt + LifecycleLane.createdOrdinal] = key.ordinal
    const { seldom } = this.#state
    if (arrival !== seldom.getF(token, SeldomLane.createdArrivalF)) {
      const { sf, sAt } = this.#seldomOf(token)
      sf[(sAt >>> 1) + SeldomLane.createdArrivalF] = arrival
    }
    b[bAt + LifecycleLane.createdAt] = timestamp
    this.#links.moved(token)
    if (t[tAt + TokenLane.flags] & TokenFlag.exists) return
    t[tAt + TokenLane.flags] |= TokenFlag.exists
    this.#state.profiles.change(token, (profile) => {
      profile[ProfileLane.decimals] = DECIMALS_DEFAULT
      profile[ProfileLane.quote] = Quote.sol
      writeU64(profile, ProfileLane.initialRealBaseLo, INITIAL_REAL_BASE_RAW)
    })
    writeU64(t, tAt + TokenLane.realBaseLo, INITIAL_REAL_BASE_RAW)
    writeU64(t, tAt + TokenLane.supplyLo, defaultSupplyRaw(DECIMALS_DEFAULT))
  }

  #graduate(token: number, key: EventPosition, arrival: number): void {
    const { t, tAt, b, bAt } = this.#rows(token)
    const { s, sf, sAt } = this.#seldomOf(token)
    sf[(sAt >>> 1) + SeldomLane.graduatedSlotF] = key.slot
    s[sAt + SeldomLane.graduatedTxIndex] = key.txIndex
    s[sAt + SeldomLane.graduatedOrdinal] = key.ordinal
    sf[(sAt >>> 1) + SeldomLane.graduatedArrivalF] = arrival
    if (t[tAt + TokenLane.flags] & TokenFlag.graduated) return
    t[tAt + TokenLane.flags] |= TokenFlag.graduated
    const creator = b[bAt + LifecycleLane.creatorPlus1] - 1
    // A creation that comes later counts it.
    if (creator < 0 || (t[tAt + TokenLane.flags] & TokenFlag.creationKnown) === 0) return
    this.#state.undo.save(this.#state.walletsUndo, creator)
    const l = this.#state.wallets.u32[creator >>> ROW_SHIFT]
    l[(creator & ROW_MASK) * WalletLane.lanes + WalletLane.migrations] += 1
    this.#state.creatorChanges.note(creator)
  }

  #save(token: number): void {
    this.#state.saveToken(token)
    this.#state.saveBirth(token)
  }

  /** What few tokens have, of one whose birth was saved. */
  #seldomOf(token: number) {
    const { seldom } = this.#state
    const row = seldom.take(token)
    return {
      s: seldom.rows.u32[row >>> ROW_SHIFT],
      sf: seldom.rows.f64[row >>> ROW_SHIFT],
      sAt: (row & ROW_MASK) * SeldomLane.lanes,
    }
  }

  #rows(token: number) {
    const page = token >>> ROW_SHIFT
    return {
      t: this.#state.tokens.u32[page],
      tAt: (token & ROW_MASK) * TokenLane.lanes,
      b: this.#state.births.u32[page],
      bf: this.#state.births.f64[page],
      bAt: (token & ROW_MASK) * LifecycleLane.lanes,
    }
  }
}

/** Order of arrival, for events without a slot: they share one place. 0 for all others. */
function slotlessArrival({ isSlotKnown, arrival }: EventPosition): number {
  return isSlotKnown ? 0 : arrival
}

function defaultSupplyRaw(decimals: number): bigint {
  return asU64(SUPPLY_WHOLE_DEFAULT * 10n ** BigInt(decimals))
}

/**
 * Folds what moves price, liquidity or supply without a trade (contract sections 2 and 7): it is no volume,
 * transaction, trader or holder. Reserves of an unknown mint change nothing.
 */
export function foldReserves(state: State, burns: Burns, token: number, event: Reserves): void {
  const t = state.tokens.u32[token >>> ROW_SHIFT]
  const tAt = (token & ROW_MASK) * TokenLane.lanes
  if ((t[tAt + TokenLane.flags] & TokenFlag.exists) === 0) return
  state.saveToken(token)
  if (event.reason === 'mayhem') t[tAt + TokenLane.flags] |= TokenFlag.mayhem
  if (event.supplyRaw !== undefined) {
    writeU64(supply, 0, event.supplyRaw)
    if (event.reason === 'burn') noteBurn(state, burns, token, event.signature)
    copyU64(t, tAt + TokenLane.supplyLo, supply, 0)
    t[tAt + TokenLane.flags] |= TokenFlag.supplySeen
  }
  const isCurve = event.source === 'pump'
  // A graduated curve no longer sets the price.
  if (isCurve && t[tAt + TokenLane.flags] & TokenFlag.graduated) return
  t[tAt + TokenLane.flags] |= TokenFlag.reservesGiven
  if (event.virtualBaseRaw > 0n && event.virtualQuoteRaw > 0n) {
    writeU64(t, tAt + TokenLane.virtualBaseLo, event.virtualBaseRaw)
    writeU64(t, tAt + TokenLane.virtualQuoteLo, event.virtualQuoteRaw)
  }
  if (!isCurve) return
  writeU64(t, tAt + TokenLane.realBaseLo, event.realBaseRaw)
  if (event.realBaseRaw === 0n) t[tAt + TokenLane.flags] |= TokenFlag.complete
}

/** A burn whose new supply is in `supply`. */
function noteBurn(state: State, burns: Burns, token: number, signature: string): void {
  const t = state.tokens.u32[token >>> ROW_SHIFT]
  const at = (token & ROW_MASK) * TokenLane.lanes + TokenLane.supplyLo
  if (!isLess(supply, 0, t, at)) return
  copyU64(burned, 0, t, at)
  subtractU64(burned, 0, supply, 0)
  const signatureHash = state.book.hashSignature(signature)
  burns.note(burned, token, signatureHash[0], signatureHash[1])
}
