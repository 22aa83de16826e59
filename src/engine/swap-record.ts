/**
 * The binary form of a swap: one layout from the feed's batch through the journal to the tape.
 * 224 bytes, 8-byte aligned, little-endian; reached as u32 lanes (U) or f64 lanes (F) of one buffer.
 * A u64 is two u32 lanes, low first, so that no digit is lost.
 *
 * The feed fills the input lanes, the fold fills the derived ones. Lanes that are both (supply,
 * balances) carry a flag that tells whether the feed gave them.
 */

export const SWAP_RECORD_BYTES = 224
export const SWAP_U32_LANES = SWAP_RECORD_BYTES / 4
export const SWAP_F64_LANES = SWAP_RECORD_BYTES / 8

/** f64 lanes. */
export const F = {
  /** Slot, or the slot it inherited on arrival when `Flag.noSlot` is set. */
  slot: 0,
  /**
   * Dollars per SOL known at arrival, 0 when none: the swap's own price (`Flag.ownSolPrice`), else
   * the newest `sol_price` event.
   */
  givenSolPriceUsd: 6,
  /** Dollars per SOL the fold used; 0 when unknown (derived). */
  solPriceUsd: 7,
  /** Dollar volume in micro-USD, an integer (derived, never recomputed). */
  volumeMicroUsd: 8,
} as const

/** u32 lanes. Names ending in `Lo` are the low half of a u64; the high half is the next lane. */
export const U = {
  txIndex: 2,
  ordinal: 3,
  /** Unix seconds. */
  timestamp: 4,
  flags: 5,
  /** Token row (`AddressBook.token(mint)`). */
  token: 6,
  /** Wallet row of the signer (`AddressBook.wallet(signer)`). */
  wallet: 7,
  /** Address id of the pool and what is told of the quote: `poolOf`, `toldQuoteOf`. */
  pool: 8,
  /**
   * Address id of the quote mint where one is told, as the feed gave it; the fold writes
   * `previousInMint` over it.
   */
  quoteMint: 9,
  /** Tape index + 1 of the mint's swap before this one, 0 = none (derived). */
  previousInMint: 9,
  /** Tape index + 1 of this (mint, wallet)'s swap before this one, 0 = none (derived). */
  previousInPosition: 10,
  /** Tape index + 1 of the next swap whose time is the same second, 0 = none (derived). */
  nextInSecond: 11,
  /** Real quote reserve as the feed gave it; the fold writes `solPriceUsd` over it. */
  realQuoteLo: 14,
  /**
   * Supply after the swap; the standing one when the feed gave none (`Flag.supplyGiven`). A
   * creation told later may give the swap another one (`Flag.supplyUnseen`).
   */
  supplyLo: 18,
  baseLo: 20,
  quoteLo: 22,
  /** Virtual reserves after the trade; the standing ones when `Flag.priceStays`. */
  virtualBaseLo: 24,
  virtualQuoteLo: 26,
  realBaseLo: 28,
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
   * a creation told later passes down (`B.passedSupplyLo`).
   */
  supplyUnseen: 1 << 25,
} as const

/** The bits that the feed sets; the fold sets the rest. The upper six are arrival-order.ts's. */
export const INPUT_FLAGS = 0xffff | Flag.noTxIndex

/** Bits of the pool's lane that hold its address id: no book has room for the texts of so many. */
const POOL_BITS = 30
const POOL_MASK = 2 ** POOL_BITS - 1

/** The pool's lane of a swap: its address id, and which `Quote` the feed told, if any. */
export function poolLane(pool: number, toldQuote?: number): number {
  return toldQuote === undefined ? pool : (pool | ((toldQuote + 1) << POOL_BITS)) >>> 0
}

/** Address id of the pool of the record at u32 lane `at`. */
export function poolOf(u32: Uint32Array, at: number): number {
  return u32[at + U.pool] & POOL_MASK
}

/** The `Quote` that the feed told with the swap, -1 for none. */
export function toldQuoteOf(u32: Uint32Array, at: number): number {
  return (u32[at + U.pool] >>> POOL_BITS) - 1
}
