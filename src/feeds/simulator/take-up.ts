import { DECIMALS_DEFAULT, MAYHEM_AGENT, Quote, USDC_MINT } from '../../events/platform.ts'
import { drawIsBoosted, type Graduation } from './graduation.ts'
import { drawIsRunner, MAX_ORDINARY_TARGET, RUNNER_TARGET, sizeFactorOf } from './size-draw.ts'
import {
  MAYHEM_SUPPLY_RAW,
  POOL_BASE_RAW,
  REAL_BASE_RAW,
  SUPPLY_RAW,
  VIRTUAL_BASE_RAW,
  VIRTUAL_QUOTE_LAMPORTS,
  VIRTUAL_QUOTE_MICRO_USDC,
} from './world/curve.ts'
import { HOLDERS_PER_TOKEN } from './world/holder-table.ts'
import type { MarketParts } from './world/parts.ts'
import { I, quotedPoolLane, T, TOKEN_INTS, TOKEN_LANES, Trait } from './world/token-table.ts'
import { isMadeUpUri } from './world/token-text.ts'

/** Of the newest swaps so many stand for one ticket of the draw. */
const SWAPS_PER_TICKET = 4
/** Newest swaps that are read at most. */
const SWAPS_MAX = 262_144
/** Rows at the head of each table, which a board shows: they trade, however long they did not. */
const BOARD_ROWS = 40
const BOARD_TICKETS = 2
/** Swaps of a curve of which the launch's own draw may still be unknown. */
const NEW_SWAPS_MAX = 8
/** Base of a curve that is never for sale. */
const UNSOLD_BASE_RAW = VIRTUAL_BASE_RAW - REAL_BASE_RAW
/** About the quote in a pool for each quote of the launch, where the launch is not known any more. */
const POOL_QUOTE_PER_LAUNCH = 3

/**
 * Puts the market that a folder holds into the tables of a new one, which goes on from there: the same
 * tokens, at the reserves that the last swap left, the wallets that held and traded them, and as much
 * attention as they had. What is in no event is drawn anew: where a price is going, and when a creator sells.
 */
export class TakeUp {
  readonly #parts: MarketParts & { readonly graduation: Graduation }
  readonly #held: HeldMarket
  /** Row of each token that was read, -1 for one that cannot be taken. All rows are held until the end. */
  readonly #rows = new Map<number, number>()
  readonly #agent: number

  constructor(parts: MarketParts & { readonly graduation: Graduation }, held: HeldMarket) {
    this.#parts = parts
    this.#held = held
    this.#agent = parts.book.wallet(MAYHEM_AGENT)
  }

  /** Yields after each token, so that its owner can pause; returns how many it took. */
  *run(): Generator<void, number> {
    const { tickets, tokens, wallets } = this.#parts
    const most = Math.min(SWAPS_MAX, tickets.capacity * SWAPS_PER_TICKET)
    const attention = yield* this.#held.recentAttention(most)
    wallets.takeUp(this.#byActivity(attention.wallets))
    for (const [token, swaps] of attention.tokens) {
      const row = this.#rowOf(token)
      if (row >= 0) tickets.add(row, Math.ceil(swaps / SWAPS_PER_TICKET))
      yield
    }
    for (const token of this.#held.boardTokens(BOARD_ROWS)) {
      const row = attention.tokens.has(token) ? -1 : this.#rowOf(token)
      if (row >= 0) tickets.add(row, BOARD_TICKETS)
      yield
    }
    const taken = [...this.#rows.values()].filter((row) => row >= 0)
    for (const row of taken) tokens.release(row)
    return taken.length
  }

  #byActivity(wallets: ReadonlyMap<number, number>): number[] {
    return [...wallets]
      .filter(([wallet]) => wallet !== this.#agent)
      .sort(([, a], [, b]) => b - a)
      .map(([wallet]) => wallet)
  }

  #rowOf(token: number): number {
    const known = this.#rows.get(token)
    if (known !== undefined) return known
    // A coin that would be quoted in itself finds this.
    this.#rows.set(token, -1)
    const held = this.#held.read(token)
    const row = held === null || !isOwn(held) ? -1 : this.#take(held)
    this.#rows.set(token, row)
    return row
  }

  #take(held: HeldToken): number {
    const { tokens } = this.#parts
    const quoteRow = held.quote < Quote.other ? -1 : this.#quoteRowOf(held)
    if (held.quote >= Quote.other && quoteRow < 0) return -1
    const offsetQuote = this.#offsetOf(held)
    if (offsetQuote === null || tokens.isFull || !isPlausible(held)) return -1
    const row = tokens.take()
    const { random } = this.#parts
    const traits = this.#traitsOf(held)
    const launchQuote = launchQuoteOf(held, offsetQuote)
    tokens.mints[row] = held.mint
    tokens.curves[row] = held.bondingCurve
    tokens.creators[row] = held.creator
    tokens.launchQuote[row] = launchQuote
    if (held.isMayhem) tokens.agentBase[row] = this.#held.balanceOf(held.token, this.#agent)
    this.#fillInts(row, held, traits, quoteRow)
    const { lanes } = tokens
    const lane = row * TOKEN_LANES
    lanes[lane + T.virtualBase] = held.virtualBase
    lanes[lane + T.virtualQuote] = held.virtualQuote
    lanes[lane + T.realBase] = held.isMigrated ? held.virtualBase : held.realBase
    lanes[lane + T.offsetQuote] = offsetQuote
    lanes[lane + T.supply] = supplyOf(held)
    lanes[lane + T.sizeFactor] = sizeFactorOf(traits)
    lanes[lane + T.dumpAt] = held.swaps + random.between(3, 40)
    const isRunner = (traits & (Trait.runner | Trait.amm)) === Trait.runner
    const close = held.virtualQuote * (0.85 + 0.3 * random.unit())
    lanes[lane + T.targetQuote] = isRunner ? launchQuote * RUNNER_TARGET : close
    this.#fillHolders(row, held)
    // Between curve and pool: the pool opens soon, with what the curve came to.
    if (held.isComplete && !held.isMigrated)
      this.#parts.graduation.resume(row, held.virtualBase <= POOL_BASE_RAW)
    else if (!held.isMigrated) this.#parts.watched.consider(row)
    return row
  }

  /** Row of the coin that a token is quoted in; -1 when that one cannot be taken. */
  #quoteRowOf({ quote }: HeldToken): number {
    const token = this.#held.tokenOfQuote(quote)
    const row = token < 0 ? -1 : this.#rowOf(token)
    return row >= 0 && this.#parts.tokens.has(row, Trait.coin) ? -1 : row
  }

  /** How much of the virtual quote is not real; null when that cannot be seen any more. */
  #offsetOf(held: HeldToken): number | null {
    if (held.isMigrated) return 0
    // A purchase that went on left the pool's reserves, none of them the curve's own.
    if (held.isComplete && held.virtualBase <= POOL_BASE_RAW) return held.virtualQuote
    if (!held.isMayhem && held.quote < Quote.other) return launchQuoteOf(held, 0)
    const paidIn = this.#held.paidIn(held.token)
    return paidIn < 0 || paidIn >= held.virtualQuote ? null : held.virtualQuote - paidIn
  }

  #traitsOf(held: HeldToken): number {
    const { random } = this.#parts
    const isOfCoin = held.quote >= Quote.other
    let traits = held.isMayhem ? Trait.mayhem : 0
    if (isOfCoin) traits |= Trait.coin
    if (held.quote === Quote.usdc) traits |= Trait.usdc
    if (supplyOf(held) !== SUPPLY_RAW) traits |= Trait.supplyGiven
    if (!held.isMayhem && !isOfCoin && this.#held.paysBack(held.token)) traits |= Trait.cashback
    if (held.isMigrated) {
      traits |= Trait.amm
      if (!isOfCoin && drawIsBoosted(random)) traits |= Trait.boosted
      return traits
    }
    const isBeyond = !held.isMayhem && held.realBase < ordinaryRealBase()
    // One that traded for long was drawn at its launch: drawn again at each start all would run one day.
    const isNew = held.swaps < NEW_SWAPS_MAX
    return isBeyond || (isNew && drawIsRunner(random)) ? traits | Trait.runner : traits
  }

  #fillInts(row: number, held: HeldToken, traits: number, quoteRow: number): void {
    const { tokens, book } = this.#parts
    const { ints } = tokens
    const int = row * TOKEN_INTS
    ints[int + I.token] = held.token
    const pool = book.address(held.isMigrated ? held.poolAmm : held.bondingCurve)
    ints[int + I.pool] = quotedPoolLane(pool, traits)
    ints[int + I.creator] = held.creatorWallet
    ints[int + I.traits] = traits
    ints[int + I.trades] = held.swaps
    if (held.quote === Quote.usdc) tokens.quoteMint[row] = book.address(USDC_MINT)
    if (quoteRow < 0) return
    tokens.quoteMint[row] = book.address(tokens.mints[quoteRow])
    tokens.quoteRow[row] = quoteRow
    tokens.hold(quoteRow)
  }

  /** The creator first, as long as it holds some; of the others those who came last. */
  #fillHolders(row: number, { token, creatorWallet }: HeldToken): void {
    const { holders } = this.#parts
    const ofCreator = this.#held.balanceOf(token, creatorWallet)
    if (ofCreator > 0) holders.add(row, creatorWallet, ofCreator, 0)
    const left = HOLDERS_PER_TOKEN - (ofCreator > 0 ? 1 : 0)
    for (const { wallet, balance } of this.#held.holdersOf(token, left + 1).reverse())
      if (wallet !== creatorWallet && wallet !== this.#agent) holders.add(row, wallet, balance, 0)
  }
}

/** Whether the simulator made it up: the folder may have tokens of other feeds. */
function isOwn({ decimals, uri }: HeldToken): boolean {
  return decimals === DECIMALS_DEFAULT && isMadeUpUri(uri)
}

/** Is it as the simulator's own curves and pools are, so that its rules can go on from there? */
function isPlausible(held: HeldToken): boolean {
  const { virtualBase, virtualQuote, realBase, supply } = held
  if (!(virtualBase > 0 && virtualQuote > 0) || supply > MAYHEM_SUPPLY_RAW) return false
  if (held.isMigrated) return held.poolAmm !== ''
  return held.isComplete || virtualBase - realBase === UNSOLD_BASE_RAW
}

/** Virtual quote of the launch; of a coin's pool, where it is unknown, an estimate. */
function launchQuoteOf({ quote, isComplete, virtualQuote }: HeldToken, offset: number): number {
  if (quote === Quote.usdc) return VIRTUAL_QUOTE_MICRO_USDC
  if (quote === Quote.sol) return VIRTUAL_QUOTE_LAMPORTS
  return isComplete ? Math.ceil(virtualQuote / POOL_QUOTE_PER_LAUNCH) : offset
}

/** A mayhem coin has twice the supply, which only its first swap names. */
function supplyOf({ isMayhem, supply }: HeldToken): number {
  return isMayhem && supply <= SUPPLY_RAW ? MAYHEM_SUPPLY_RAW : supply
}

/** Real base of a curve at the highest price that is meant for an ordinary token. */
function ordinaryRealBase(): number {
  return VIRTUAL_BASE_RAW / MAX_ORDINARY_TARGET - UNSOLD_BASE_RAW
}

/**
 * The market that an earlier run left in the folder. src/app/feeds implements it on the engine, which a feed does not
 * know. Nothing here waits for the disk.
 */
export interface HeldMarket {
  readonly seq: number
  readonly newestSlot: number
  readonly newestEventSeconds: number
  readonly solPriceUsd: number
  readonly tokenCount: number

  /** Up to `rows` tokens at the head of each table. */
  boardTokens(rows: number): number[]
  /** How often each token, and each wallet, is among the `most` newest swaps in memory; yields now and then. */
  recentAttention(
    most: number,
  ): Generator<
    void,
    { readonly tokens: ReadonlyMap<number, number>; readonly wallets: ReadonlyMap<number, number> }
  >
  /** Token of a quote's number; -1: it is none. */
  tokenOfQuote(quote: number): number
  /** null: its creation was not seen. */
  read(token: number): HeldToken | null
  /** What its traders have paid into the curve, less what they got out, raw; -1 when that cannot be seen. */
  paidIn(token: number): number
  /** Do its newest swaps pay the creator's fee back to the traders? */
  paysBack(token: number): boolean
  balanceOf(token: number, wallet: number): number
  /** Holders among the newest positions and their raw balances, newest first; none while the token is dormant. */
  holdersOf(token: number, most: number): { readonly wallet: number; readonly balance: number }[]
}

/** A token whose creation was seen, as the engine has it. Amounts are raw; wallets and tokens are rows. */
export interface HeldToken {
  readonly token: number
  readonly mint: string
  readonly bondingCurve: string
  readonly creator: string
  readonly creatorWallet: number
  readonly decimals: number
  /** Address of its metadata; '' for none. */
  readonly uri: string
  /** Number of what it is quoted in (`Quotes`). */
  readonly quote: number
  readonly isMayhem: boolean
  readonly isComplete: boolean
  readonly isMigrated: boolean
  readonly poolAmm: string
  readonly virtualBase: number
  readonly virtualQuote: number
  readonly realBase: number
  readonly supply: number
  readonly swaps: number
}
