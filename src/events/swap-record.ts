import { addU64, copyU64, numberAt, writeU64 } from '../base/u64.ts'
import type { FeedEvent, Swap } from './event.ts'
import { quoteOf } from './platform.ts'

/**
 * The binary form of a swap: one layout from the feed's batch through the journal to the tape.
 * 224 bytes, 8-byte aligned, little-endian; reached as u32 lanes (SwapLane) or f64 lanes (SwapFloatLane) of one buffer.
 * A u64 is two u32 lanes, low first, so that no digit is lost.
 *
 * The feed fills the input lanes, the fold fills the derived ones. Lanes that are both (supply, balances)
 * have a flag that is set if the feed gave them. `beginFold` moves input lanes that the fold would overwrite,
 * `undoFold` moves them back.
 */

export const SWAP_RECORD_BYTES = 224
export const SWAP_U32_LANES = SWAP_RECORD_BYTES / 4
const SWAP_F64_LANES = SWAP_RECORD_BYTES / 8

/** f64 lanes. */
export const SwapFloatLane = {
  /** Slot, or the slot it inherited on arrival when `Flag.noSlot` is set. */
  slot: 0,
  /**
   * Dollars per SOL known at arrival, 0 when none: the swap's own price (`Flag.ownSolPrice`), else
   * the newest `sol_price` event. Input; the fold writes `SwapLane.cashbackLo` there.
   */
  givenSolPriceUsd: 6,
  /**
   * Dollars per SOL the fold used, 0 when unknown; below 0 where none was given, but a swap before
   * had one: `solPriceOf` (derived).
   */
  solPriceUsd: 7,
  /**
   * Dollar volume in micro-USD, an integer; of a swap quoted in a coin, below 0, the lamports that one
   * raw unit of the coin was worth: `volumeMicroUsdOf` (derived, never recomputed).
   */
  volumeMicroUsd: 8,
} as const

/** u32 lanes. Names ending in `Lo` are the low half of a u64; the high half is the next lane. */
export const SwapLane = {
  txIndex: 2,
  ordinal: 3,
  /** Unix seconds. */
  timestamp: 4,
  flags: 5,
  /** Token row (`AddressBook.token(mint)`). */
  token: 6,
  /**
   * Wallet row of the signer (`AddressBook.wallet(signer)`); the fold adds which hop of a route the swap
   * is: `walletOf`, `hopOf`.
   */
  wallet: 7,
  /** Address id of the pool and which quote the feed gave: `poolOf`, `givenQuoteOf`. */
  pool: 8,
  /**
   * Address id of the quote mint where one is given, as the feed gave it; the fold writes
   * `previousInMint` over it.
   */
  quoteMint: 9,
  /** Tape index + 1 of the mint's swap before this one, 0 = none (derived). */
  previousInMint: 9,
  /** Fee of the liquidity providers as the feed gave it; the fold moves it to `lpFeeLo`. */
  givenLpFeeLo: 10,
  /** Tape index + 1 of this (mint, wallet)'s swap before this one, 0 = none (derived). */
  previousInPosition: 10,
  /** Tape index + 1 of the next swap whose time is the same second, 0 = none (derived). */
  nextInSecond: 11,
  /** Cashback, once the fold has begun. */
  cashbackLo: 12,
  /** Real quote reserve as the feed gave it; the fold writes `solPriceUsd` over it. */
  realQuoteLo: 14,
  /** Cashback as the feed gave it; the fold moves it to `cashbackLo`. */
  givenCashbackLo: 16,
  /**
   * Supply after the swap; the standing one when the feed gave none (`Flag.supplyGiven`). A
   * creation that comes later may give the swap another one (`Flag.supplyUnseen`).
   */
  supplyLo: 18,
  baseLo: 20,
  quoteLo: 22,
  /** Virtual reserves after the trade; the standing ones when `Flag.priceStays`. */
  virtualBaseLo: 24,
  virtualQuoteLo: 26,
  realBaseLo: 28,
  /** Of an AMM swap, whose real base moves nothing: its LP fee, once the fold has begun. */
  lpFeeLo: 28,
  platformFeeLo: 30,
  creatorFeeLo: 32,
  chainFeeLo: 34,
  balanceBeforeLo: 36,
  balanceAfterLo: 38,
  /** 64 bytes of signature, or an address-book text id in the first lane (`Flag.textSignature`). */
  signature: 40,
} as const

/** Number of u32 lanes of a signature. */
export const SIGNATURE_LANES = 16

/** Bits of the flags lane. */
export const Flag = {
  sell: 1 << 0,
  amm: 1 << 1,
  noSlot: 1 << 2,
  textSignature: 1 << 3,
  balanceBeforeGiven: 1 << 4,
  balanceAfterGiven: 1 << 5,
  chainFeeGiven: 1 << 6,
  freshGiven: 1 << 7,
  freshValue: 1 << 8,
  proGiven: 1 << 9,
  proValue: 1 << 10,
  insiderGiven: 1 << 11,
  insiderValue: 1 << 12,
  /** A zero among amounts or reserves: the swap counts, the price stays (contract section 2). */
  priceStays: 1 << 13,
  supplyGiven: 1 << 14,
  ownSolPrice: 1 << 15,
  /** Judgements of the fold, shown with the swap. */
  freshWallet: 1 << 16,
  sniperWallet: 1 << 17,
  proTrader: 1 << 18,
  bundleWallet: 1 << 19,
  insiderWallet: 1 << 20,
  creatorWallet: 1 << 21,
  /** The curve was complete after this swap, or it is an AMM swap: progress reads 100. */
  complete: 1 << 22,
  /** First swap of its transaction: its chain fee counts for the trader's record. */
  firstOfTransaction: 1 << 23,
  /** The feed gave no index: the fold counts one in order of arrival and writes it into the lane. */
  noTxIndex: 1 << 24,
  /**
   * No supply had been given and no creation was known at this swap: it counts with the supply that
   * a creation that comes later passes down (`B.passedSupplyLo`).
   */
  supplyUnseen: 1 << 25,
} as const

/** The bits that the feed sets and the fold leaves; the fold sets the rest. */
export const INPUT_FLAGS = 0xffff | Flag.noTxIndex

/** The upper six bits: they outlive a fold of the record (arrival-order.ts). */
export const ARRIVAL_SHIFT = 26
export const ARRIVAL_BITS = (0x3f << ARRIVAL_SHIFT) >>> 0

/**
 * Bits that the feed sets among those of the judgements, which the fold writes over: the hop of a route
 * (0: none), decimals of the quote + 1 (0: not given).
 */
const ROUTE_SHIFT = 16
const ROUTE_MASK = 7
const QUOTE_DECIMALS_SHIFT = 19
const QUOTE_DECIMALS_MASK = 31

/**
 * The bits of the flags lane for a hop and the decimals of a quote, where they are given. Numbers that do not
 * fit are left out: event lines refuse them, but a mint account on the chain may have them.
 */
export function givenBits(route = 0, quoteDecimals = -1): number {
  const hop = route > 0 && route <= ROUTE_MASK ? route : 0
  const decimals = quoteDecimals >= 0 && quoteDecimals < QUOTE_DECIMALS_MASK ? quoteDecimals + 1 : 0
  return (hop << ROUTE_SHIFT) | (decimals << QUOTE_DECIMALS_SHIFT)
}

/** Number of the hop that the feed gave, 0 for none. */
export function givenRoute(flags: number): number {
  return (flags >>> ROUTE_SHIFT) & ROUTE_MASK
}

/** Decimals of the quote that the feed gave, -1 for none. */
export function givenQuoteDecimals(flags: number): number {
  return ((flags >>> QUOTE_DECIMALS_SHIFT) & QUOTE_DECIMALS_MASK) - 1
}

/** A u32 lane of a record. */
function intAt(u32: Uint32Array, at: number): number {
  return u32[at] ?? 0
}

/** An f64 lane of a record. */
function floatAt(f64: Float64Array, at: number): number {
  return f64[at] ?? 0
}

/** Bits of the pool's lane that hold its address id: no address book has room for more texts. */
const POOL_BITS = 30
const POOL_MASK = 2 ** POOL_BITS - 1

/** The pool's lane of a swap: its address id, and which `Quote` the feed gave, if any. */
export function poolLane(pool: number, givenQuote?: number): number {
  return givenQuote === undefined ? pool : (pool | ((givenQuote + 1) << POOL_BITS)) >>> 0
}

/** Address id of the pool of the record at u32 lane `at`. */
export function poolOf(u32: Uint32Array, at: number): number {
  return intAt(u32, at + SwapLane.pool) & POOL_MASK
}

/** The `Quote` that the feed gave with the swap, -1 for none. */
export function givenQuoteOf(u32: Uint32Array, at: number): number {
  return (intAt(u32, at + SwapLane.pool) >>> POOL_BITS) - 1
}

/**
 * A swap's place in a route, as the fold stores it: the first hop, a later one, or one whose coin only passed
 * through on its way from one hop to the next.
 */
export const Hop = { none: 0, first: 1, later: 2, passed: 3 } as const

/** Further bits that the feed gives, until the fold begins. */
export const GIVEN_BITS =
  (ROUTE_MASK << ROUTE_SHIFT) | (QUOTE_DECIMALS_MASK << QUOTE_DECIMALS_SHIFT)

/** Bits of the wallet's lane that hold its row: there are fewer wallets than addresses. */
const WALLET_BITS = 30
const WALLET_MASK = 2 ** WALLET_BITS - 1

/** Wallet row of the record at u32 lane `at`. */
export function walletOf(u32: Uint32Array, at: number): number {
  return intAt(u32, at + SwapLane.wallet) & WALLET_MASK
}

/** One of `Hop`, of a folded record. */
export function hopOf(u32: Uint32Array, at: number): number {
  return intAt(u32, at + SwapLane.wallet) >>> WALLET_BITS
}

/** The coin of the record only passed through: no wallet held it. */
export function markPassed(u32: Uint32Array, at: number): void {
  markHop(u32, at, Hop.passed)
}

/** Dollars per SOL that the fold used, of f64 lanes from `atF` on. */
export function solPriceOf(f64: Float64Array, atF: number): number {
  return Math.abs(floatAt(f64, atF + SwapFloatLane.solPriceUsd))
}

/** Lamports per raw unit of the coin that the swap is quoted in; 0 if it is none, or its price unknown. */
export function lamportsPerUnitOf(f64: Float64Array, atF: number): number {
  const lane = floatAt(f64, atF + SwapFloatLane.volumeMicroUsd)
  return lane < 0 ? -lane : 0
}

/** Dollar volume of a folded record in micro-USD, an integer. */
export function volumeMicroUsdOf(u32: Uint32Array, f64: Float64Array, at: number): number {
  const lane = floatAt(f64, (at >>> 1) + SwapFloatLane.volumeMicroUsd)
  if (lane >= 0) return lane
  return coinMicroUsd(numberAt(u32, at + SwapLane.quoteLo), -lane, solPriceOf(f64, at >>> 1))
}

/** Micro-USD of an amount of a coin in raw units. */
export function coinMicroUsd(
  quoteNumber: number,
  lamportsPerUnit: number,
  solPriceUsd: number,
): number {
  return Math.round((quoteNumber * lamportsPerUnit * solPriceUsd) / 1000)
}

/**
 * The record at u32 lane `at` is folded from now on: what the feed gave and the fold would write over is
 * moved. The SOL price that was given is written over.
 */
export function beginFold(u32: Uint32Array, at: number): void {
  const flags = intAt(u32, at + SwapLane.flags)
  copyU64(u32, at + SwapLane.cashbackLo, u32, at + SwapLane.givenCashbackLo)
  if (flags & Flag.amm) copyU64(u32, at + SwapLane.lpFeeLo, u32, at + SwapLane.givenLpFeeLo)
  // A curve has no liquidity providers: an LP fee that a feed gives with it counts to the platform's.
  else addU64(u32, at + SwapLane.platformFeeLo, u32, at + SwapLane.givenLpFeeLo)
  const route = givenRoute(flags)
  if (route > 0) markHop(u32, at, route > 1 ? Hop.later : Hop.first)
}

function markHop(u32: Uint32Array, at: number, hop: number): void {
  u32[at + SwapLane.wallet] = (intAt(u32, at + SwapLane.wallet) | (hop << WALLET_BITS)) >>> 0
}

/** A folded record, taken back, as it was when its fold began. */
export function undoFold(u32: Uint32Array, f64: Float64Array, at: number): void {
  const flags = intAt(u32, at + SwapLane.flags) & (INPUT_FLAGS | ARRIVAL_BITS)
  const hop = hopOf(u32, at)
  const isBought = (flags & Flag.sell) === 0
  const route = hop === Hop.passed ? (isBought ? Hop.first : Hop.later) : hop
  u32[at + SwapLane.flags] = (flags | givenBits(route)) >>> 0
  u32[at + SwapLane.wallet] = walletOf(u32, at)
  copyU64(u32, at + SwapLane.givenCashbackLo, u32, at + SwapLane.cashbackLo)
  u32[at + SwapLane.givenLpFeeLo] = 0
  u32[at + SwapLane.givenLpFeeLo + 1] = 0
  if (flags & Flag.amm) copyU64(u32, at + SwapLane.givenLpFeeLo, u32, at + SwapLane.lpFeeLo)
  f64[(at >>> 1) + SwapFloatLane.givenSolPriceUsd] = Math.max(
    0,
    floatAt(f64, (at >>> 1) + SwapFloatLane.solPriceUsd),
  )
}

/**
 * Finds a swap again. Its place in the total order would not do: a swap without a slot has none of its own,
 * and such swaps have no order of their numbers.
 */
export interface SwapMark {
  /** Its index on the tape then: late swaps before it only increase it. */
  readonly index: number
  readonly ordinal: number
  /** First word of its signature. */
  readonly word: number
}

/** What records name by number: rows of mints and wallets, ids of other addresses, made on first use. */
export interface AddressNumbers {
  token(mint: string): number
  wallet(address: string): number
  address(text: string): number
  /** Writes a signature, or the number of its text; true: of its text. */
  packSignature(signature: string, u32: Uint32Array, at: number): boolean
}

/**
 * Binary swap records on their way from a feed to journal and fold, with the
 * other events that came between them. Reused by its owner: fill, hand over, `clear`.
 */
export class RecordBatch {
  /** Records the batch can hold. */
  readonly capacity: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly u32: Uint32Array<ArrayBuffer>
  readonly f64: Float64Array<ArrayBuffer>
  /** Records it holds. */
  count = 0
  /**
   * The events that are no swaps, in order, each before the record of this index, or behind all when there is
   * none. Their mints have numbers already when a feed makes records by itself.
   */
  others: { readonly before: number; readonly event: Exclude<FeedEvent, Swap> }[] = []

  constructor(capacity: number) {
    this.capacity = capacity
    const buffer = new ArrayBuffer(capacity * SWAP_RECORD_BYTES)
    this.bytes = new Uint8Array(buffer)
    this.u32 = new Uint32Array(buffer)
    this.f64 = new Float64Array(buffer)
  }

  get isFull(): boolean {
    return this.count === this.capacity
  }

  /** Takes the next record, zeroed, and returns its index; the caller has checked `isFull`. */
  next(): number {
    const index = this.count++
    this.u32.fill(0, index * SWAP_U32_LANES, (index + 1) * SWAP_U32_LANES)
    return index
  }

  /** Puts a swap behind everything that the batch holds, which is not full. A record depends on no earlier event. */
  addSwap(swap: Swap, numbers: AddressNumbers): void {
    const { u32, f64 } = this
    const index = this.next()
    const at = RecordBatch.u32At(index)
    const atF = RecordBatch.f64At(index)
    f64[atF + SwapFloatLane.slot] = swap.slot ?? 0
    u32[at + SwapLane.txIndex] = swap.txIndex ?? 0
    u32[at + SwapLane.ordinal] = swap.ordinal
    u32[at + SwapLane.timestamp] = swap.timestamp
    u32[at + SwapLane.token] = numbers.token(swap.mint)
    u32[at + SwapLane.wallet] = numbers.wallet(swap.signer)
    const quote = swap.quoteMint === undefined ? undefined : quoteOf(swap.quoteMint)
    u32[at + SwapLane.pool] = poolLane(numbers.address(swap.pool), quote)
    if (swap.quoteMint !== undefined) u32[at + SwapLane.quoteMint] = numbers.address(swap.quoteMint)
    writeAmounts(swap, u32, at)
    let flags = flagsOfSwap(swap) | givenBits(swap.route, swap.quoteDecimals)
    if (swap.solPriceUsd !== undefined) f64[atF + SwapFloatLane.givenSolPriceUsd] = swap.solPriceUsd
    if (numbers.packSignature(swap.signature, u32, at + SwapLane.signature))
      flags |= Flag.textSignature
    u32[at + SwapLane.flags] = flags
  }

  /** Puts an event behind everything that the batch holds. */
  addOther(event: Exclude<FeedEvent, Swap>): void {
    this.others.push({ before: this.count, event })
  }

  /** Events of the batch, swaps among them. */
  get events(): number {
    return this.count + this.others.length
  }

  /** Visits its content in order: runs of records, and the events between them. */
  walk(records: (from: number, to: number) => void, other: (event: FeedEvent) => void): void {
    let from = 0
    for (const { before, event } of this.others) {
      if (before > from) records(from, before)
      from = before
      other(event)
    }
    if (this.count > from) records(from, this.count)
  }

  /** First u32 lane of record `index`. */
  static u32At(index: number): number {
    return index * SWAP_U32_LANES
  }

  /** First f64 lane of record `index`. */
  static f64At(index: number): number {
    return index * SWAP_F64_LANES
  }

  clear(): void {
    this.count = 0
    this.others.length = 0
  }
}

function writeAmounts(swap: Swap, u32: Uint32Array, at: number): void {
  writeU64(u32, at + SwapLane.baseLo, swap.baseRaw)
  writeU64(u32, at + SwapLane.quoteLo, swap.quoteRaw)
  writeU64(u32, at + SwapLane.virtualBaseLo, swap.virtualBaseRaw)
  writeU64(u32, at + SwapLane.virtualQuoteLo, swap.virtualQuoteRaw)
  writeU64(u32, at + SwapLane.realBaseLo, swap.realBaseRaw)
  writeU64(u32, at + SwapLane.realQuoteLo, swap.realQuoteRaw)
  writeU64(u32, at + SwapLane.platformFeeLo, swap.platformFeeRaw)
  writeU64(u32, at + SwapLane.creatorFeeLo, swap.creatorFeeRaw)
  writeU64(u32, at + SwapLane.givenLpFeeLo, swap.lpFeeRaw ?? 0n)
  writeU64(u32, at + SwapLane.givenCashbackLo, swap.cashbackRaw ?? 0n)
  writeU64(u32, at + SwapLane.chainFeeLo, swap.chainFeeRaw ?? 0n)
  writeU64(u32, at + SwapLane.balanceBeforeLo, swap.baseBalanceBeforeRaw ?? 0n)
  writeU64(u32, at + SwapLane.balanceAfterLo, swap.baseBalanceAfterRaw ?? 0n)
  writeU64(u32, at + SwapLane.supplyLo, swap.supplyRaw ?? 0n)
}

function flagsOfSwap(swap: Swap): number {
  let flags = 0
  if (swap.direction === 'sell') flags |= Flag.sell
  if (swap.source === 'pump_amm') flags |= Flag.amm
  if (swap.slot === null) flags |= Flag.noSlot
  if (swap.txIndex === null) flags |= Flag.noTxIndex
  if (swap.baseBalanceBeforeRaw !== undefined) flags |= Flag.balanceBeforeGiven
  if (swap.baseBalanceAfterRaw !== undefined) flags |= Flag.balanceAfterGiven
  if (swap.chainFeeRaw !== undefined) flags |= Flag.chainFeeGiven
  if (swap.supplyRaw !== undefined) flags |= Flag.supplyGiven
  if (swap.solPriceUsd !== undefined) flags |= Flag.ownSolPrice
  flags |= givenFlags(swap.fresh, Flag.freshGiven, Flag.freshValue)
  flags |= givenFlags(swap.pro, Flag.proGiven, Flag.proValue)
  flags |= givenFlags(swap.insider, Flag.insiderGiven, Flag.insiderValue)
  const amounts = [swap.baseRaw, swap.quoteRaw, swap.virtualBaseRaw, swap.virtualQuoteRaw]
  return amounts.includes(0n) ? flags | Flag.priceStays : flags
}

function givenFlags(value: boolean | undefined, given: number, isTrue: number): number {
  if (value === undefined) return 0
  return value ? given | isTrue : given
}
