import { asU64, copyU64, writeU64 } from '../../base/u64.ts'
import type { Completed, Migrated, TokenCreated } from '../../events/event.ts'
import { DECIMALS_DEFAULT, INITIAL_REAL_BASE_RAW, Quote } from '../../events/platform.ts'
import { Flag, givenQuoteOf, poolOf } from '../../events/swap-record.ts'
import { codePoints, LINK_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../../events/text.ts'
import type { BarChains } from '../history/bar-chains.ts'
import { dropBars } from '../history/candles.ts'
import type { XLinks } from '../index/x-links.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import type { OrderKey } from '../order/event-position.ts'
import type { SwapContext } from '../state/lanes.ts'
import { LifecycleLane, TokenFlag, TokenLane, WalletLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** Whole tokens of a mint whose supply no event gave. */
const SUPPLY_WHOLE_DEFAULT = 1_000_000_000n

/** What tells events without a slot apart that stand at the place of one event; 0 for all others. */
function slotlessArrival({ isSlotKnown, arrival }: OrderKey): number {
  return isSlotKnown ? 0 : arrival
}

/**
 * How tokens come to be and change their stage: by creation, by the first swap of an unknown mint,
 * by completion, by migration.
 */
export class TokenLifecycle {
  readonly #state: State
  readonly #links: XLinks
  readonly #bars: BarChains
  /** Did the swap last given to `beforeSwap` graduate its mint? */
  hasGraduated = false
  /** Did it name the mint's curve or pool for the first time after others had traded? */
  hasNewPool = false

  constructor(state: State, links: XLinks, bars: BarChains) {
    this.#state = state
    this.#links = links
    this.#bars = bars
  }

  /** An unknown mint's first swap makes it; an AMM swap graduates it. The token row is saved. */
  beforeSwap(swap: SwapContext, key: OrderKey): boolean {
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
    this.#state.undo.save(this.#state.birthsUndo, swap.token)
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

  /** The first swap that tells what its mint is quoted in; the creation knows better. */
  takeQuote(swap: SwapContext): void {
    const told = givenQuoteOf(swap.r, swap.rAt)
    const { t, tAt, b, bAt } = swap
    if (told < 0 || t[tAt + TokenLane.flags] & (TokenFlag.creationKnown | TokenFlag.quoteGiven))
      return
    t[tAt + TokenLane.flags] |= TokenFlag.quoteGiven
    const quote = told === Quote.other ? b[bAt + LifecycleLane.givenCoin] : told
    if (quote === swap.quote) return
    this.#state.undo.save(this.#state.birthsUndo, swap.token)
    b[bAt + LifecycleLane.quote] = quote
    this.#dropBars(swap.token)
    swap.takeToken(this.#state)
  }

  /** Name and symbol as they are kept. */
  textOf(token: number): { name: string; symbol: string } {
    const { b, bAt } = this.#rows(token)
    const { texts } = this.#state
    return {
      name: texts.get(b[bAt + LifecycleLane.name]),
      symbol: texts.get(b[bAt + LifecycleLane.symbol]),
    }
  }

  created(token: number, event: TokenCreated, key: OrderKey): void {
    this.#save(token)
    const { t, tAt } = this.#rows(token)
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
    if (event.creator !== '') this.#adopt(token, event.creator)
  }

  completed(token: number, event: Completed, key: OrderKey): void {
    this.#save(token)
    const { t, tAt, b, bAt } = this.#rows(token)
    if (this.#isBirth(token, key)) this.#start(token, key, slotlessArrival(key), event.timestamp)
    if (b[bAt + LifecycleLane.bondingCurvePlus1] === 0 && event.bondingCurve !== '')
      b[bAt + LifecycleLane.bondingCurvePlus1] = this.#state.book.address(event.bondingCurve) + 1
    t[tAt + TokenLane.flags] |= TokenFlag.complete
  }

  migrated(token: number, event: Migrated, key: OrderKey): void {
    this.#save(token)
    const { t, tAt, b, bAt } = this.#rows(token)
    if (this.#isBirth(token, key)) this.#start(token, key, slotlessArrival(key), event.timestamp)
    if (b[bAt + LifecycleLane.bondingCurvePlus1] === 0 && event.bondingCurve !== '')
      b[bAt + LifecycleLane.bondingCurvePlus1] = this.#state.book.address(event.bondingCurve) + 1
    t[tAt + TokenLane.poolAmmPlus1] = this.#state.book.address(event.poolAmm) + 1
    t[tAt + TokenLane.flags] |= TokenFlag.migrationKnown
    this.#putText(b, bAt + LifecycleLane.migrationSignature, event.signature)
    b[bAt + LifecycleLane.migratedAt] = event.timestamp
    this.#graduate(token, key, slotlessArrival(key))
  }

  /** Nothing was known of the mint before `key`, and its creation is not. */
  #isBirth(token: number, key: OrderKey): boolean {
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

  #fillCreation(token: number, event: TokenCreated, key: OrderKey): void {
    const { t, tAt, b, bAt } = this.#rows(token)
    const { book } = this.#state
    const decimals = event.decimals ?? DECIMALS_DEFAULT
    const quote = this.#state.quotes.numberOf(event.quoteMint)
    if (b[bAt + LifecycleLane.decimals] !== decimals || b[bAt + LifecycleLane.quote] !== quote)
      this.#dropBars(token)
    b[bAt + LifecycleLane.decimals] = decimals
    b[bAt + LifecycleLane.quote] = quote
    let flags = t[tAt + TokenLane.flags] | TokenFlag.creationKnown
    if (event.isMayhemMode) flags |= TokenFlag.mayhem
    if (key.isSlotKnown) flags |= TokenFlag.slotKnown
    writeU64(b, bAt + LifecycleLane.initialRealBaseLo, event.realBaseRaw)
    this.#putText(b, bAt + LifecycleLane.name, codePoints(event.name, NAME_CHARACTERS_MAX))
    this.#putText(b, bAt + LifecycleLane.symbol, codePoints(event.symbol, NAME_CHARACTERS_MAX))
    this.#putText(b, bAt + LifecycleLane.uri, codePoints(event.uri, LINK_CHARACTERS_MAX))
    if (event.bondingCurve !== '')
      b[bAt + LifecycleLane.bondingCurvePlus1] = book.address(event.bondingCurve) + 1
    if (event.tokenProgram !== '')
      b[bAt + LifecycleLane.tokenProgramPlus1] = book.address(event.tokenProgram) + 1
    // Records of the tape stay as they are: swaps from before any supply was known read it here.
    writeU64(b, bAt + LifecycleLane.passedSupplyLo, event.supplyRaw ?? defaultSupplyRaw(decimals))
    if ((flags & TokenFlag.supplySeen) === 0) {
      copyU64(t, tAt + TokenLane.supplyLo, b, bAt + LifecycleLane.passedSupplyLo)
      if (event.supplyRaw !== undefined) flags |= TokenFlag.supplySeen
    }
    t[tAt + TokenLane.flags] = flags
  }

  /** An event that was taken back and is folded again finds its text there (state.ts). */
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

  /** First knowledge of a mint, or its creation told later: place and time, and defaults. */
  #start(token: number, key: OrderKey, arrival: number, timestamp: number): void {
    const { t, tAt, b, bf, bAt } = this.#rows(token)
    bf[(bAt >>> 1) + LifecycleLane.createdSlotF] = key.slot
    b[bAt + LifecycleLane.createdTxIndex] = key.txIndex
    b[bAt + LifecycleLane.createdOrdinal] = key.ordinal
    bf[(bAt >>> 1) + LifecycleLane.createdArrivalF] = arrival
    b[bAt + LifecycleLane.createdAt] = timestamp
    this.#links.moved(token)
    if (t[tAt + TokenLane.flags] & TokenFlag.exists) return
    t[tAt + TokenLane.flags] |= TokenFlag.exists
    b[bAt + LifecycleLane.decimals] = DECIMALS_DEFAULT
    b[bAt + LifecycleLane.quote] = Quote.sol
    writeU64(b, bAt + LifecycleLane.initialRealBaseLo, INITIAL_REAL_BASE_RAW)
    copyU64(t, tAt + TokenLane.realBaseLo, b, bAt + LifecycleLane.initialRealBaseLo)
    writeU64(t, tAt + TokenLane.supplyLo, defaultSupplyRaw(DECIMALS_DEFAULT))
  }

  #graduate(token: number, key: OrderKey, arrival: number): void {
    const { t, tAt, b, bf, bAt } = this.#rows(token)
    bf[(bAt >>> 1) + LifecycleLane.graduatedSlotF] = key.slot
    b[bAt + LifecycleLane.graduatedTxIndex] = key.txIndex
    b[bAt + LifecycleLane.graduatedOrdinal] = key.ordinal
    bf[(bAt >>> 1) + LifecycleLane.graduatedArrivalF] = arrival
    if (t[tAt + TokenLane.flags] & TokenFlag.graduated) return
    t[tAt + TokenLane.flags] |= TokenFlag.graduated
    const creator = b[bAt + LifecycleLane.creatorPlus1] - 1
    if (creator < 0) return
    this.#state.undo.save(this.#state.walletsUndo, creator)
    const l = this.#state.wallets.u32[creator >>> ROW_SHIFT]
    l[(creator & ROW_MASK) * WalletLane.lanes + WalletLane.migrations] += 1
    this.#state.creatorChanges.note(creator)
  }

  /** Whoever remembers places among the bars forgets them at once: folded again they are other rows. */
  #dropBars(token: number): void {
    const { t, tAt } = this.#rows(token)
    dropBars(t, tAt)
    this.#bars.forget(token)
  }

  #save(token: number): void {
    this.#state.undo.save(this.#state.tokensUndo, token)
    this.#state.undo.save(this.#state.birthsUndo, token)
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

function defaultSupplyRaw(decimals: number): bigint {
  return asU64(SUPPLY_WHOLE_DEFAULT * 10n ** BigInt(decimals))
}
