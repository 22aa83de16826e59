import { writeU64 } from '../base/u64.ts'
import type { FeedEvent, Swap } from '../events/event.ts'
import { quoteOf } from '../events/platform.ts'
import {
  Flag,
  givenBits,
  poolLane,
  RecordBatch,
  SwapFloatLane,
  SwapLane,
} from '../events/swap-record.ts'
import type { TradeWindows } from './history/trade-windows.ts'
import { ROW_MASK, ROW_SHIFT, ROWS_MAX } from './memory/rows.ts'
import { type Identities, identify, identityKey } from './order/position-resolver.ts'
import { type AddressBook, hashSignature } from './state/address-book.ts'
import {
  LifecycleLane,
  LinkLane,
  MetadataLane,
  PositionLane,
  TokenLane,
  WalletLane,
  WindowLane,
} from './state/layout.ts'
import type { State } from './state/state.ts'
import type { Tape } from './state/tape.ts'

/** Swaps whose rows are prefetched together; what they touch fits a core's own cache. */
export const PREFETCHED_SWAPS = 32

/** u32 lanes of a cache line. */
const LINE = 16

/**
 * Turns swap events into records: interns addresses, packs the signature, marks the fields that were
 * given. A record depends on no earlier event.
 */
export class SwapIntake {
  readonly #book: AddressBook

  constructor(book: AddressBook) {
    this.#book = book
  }

  /** Appends a swap to a batch that is not full. */
  append(swap: Swap, batch: RecordBatch): void {
    const index = batch.next()
    const u32 = batch.u32
    const at = RecordBatch.u32At(index)
    batch.f64[RecordBatch.f64At(index) + SwapFloatLane.slot] = swap.slot ?? 0
    u32[at + SwapLane.txIndex] = swap.txIndex ?? 0
    u32[at + SwapLane.ordinal] = swap.ordinal
    u32[at + SwapLane.timestamp] = swap.timestamp
    u32[at + SwapLane.token] = this.#book.token(swap.mint)
    u32[at + SwapLane.wallet] = this.#book.wallet(swap.signer)
    const quote = swap.quoteMint === undefined ? undefined : quoteOf(swap.quoteMint)
    u32[at + SwapLane.pool] = poolLane(this.#book.address(swap.pool), quote)
    if (swap.quoteMint !== undefined)
      u32[at + SwapLane.quoteMint] = this.#book.address(swap.quoteMint)
    writeAmounts(swap, u32, at)
    let flags = flagsOfSwap(swap) | givenBits(swap.route, swap.quoteDecimals)
    if (swap.solPriceUsd !== undefined)
      batch.f64[RecordBatch.f64At(index) + SwapFloatLane.givenSolPriceUsd] = swap.solPriceUsd
    if (this.#book.packSignature(swap.signature, u32, at + SwapLane.signature))
      flags |= Flag.textSignature
    u32[at + SwapLane.flags] = flags
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

/**
 * Refuses tokens past MAX_TOKENS, before the journal: a refused event cannot come back in a replay, so every
 * restart, snapshot and export shows the same tokens. A refused token stays refused while the process runs,
 * with all of its events; nothing changes for the others.
 */
export class TokenLimit {
  readonly #state: State
  readonly #maxTokens: number
  /** Events of refused tokens. */
  refusedEvents = 0

  constructor(state: State, maxTokens: number) {
    this.#state = state
    this.#maxTokens = maxTokens
  }

  /** Why tokens are refused; null: none was yet. */
  get reason(): string | null {
    if (this.refusedEvents === 0) return null
    return `New tokens are refused: MAX_TOKENS=${this.#maxTokens} are held. Raise it, with memory for them, and start anew.`
  }

  /** The events that may be taken; the batch itself while the limit is far. */
  admitted(batch: readonly FeedEvent[]): readonly FeedEvent[] {
    const { book } = this.#state
    const { tokens } = book.counts
    if (tokens + batch.length <= this.#maxTokens) return batch
    const fresh = new Set<string>()
    const admitted = batch.filter((event) => {
      if (!('mint' in event)) return true
      if (fresh.has(event.mint) || book.findToken(event.mint) >= 0) return true
      if (tokens + fresh.size >= this.#maxTokens) return false
      fresh.add(event.mint)
      return true
    })
    this.refusedEvents += batch.length - admitted.length
    return admitted
  }
}

const FULL =
  `The history holds ${ROWS_MAX} swaps, the most that one can: no events are taken any more, reads ` +
  'go on. Start with an empty DATA_DIR, and keep this one to read in.'

/**
 * Ends the intake of events before the number of a swap is wider than the lanes that store it: later reads
 * would find another swap. Before the journal, as TokenLimit is.
 */
export class HistoryLimit {
  readonly #tape: Tape
  readonly #onFull: (reason: string) => void
  #isFull = false

  constructor(tape: Tape, onFull: (reason: string) => void) {
    this.#tape = tape
    this.#onFull = onFull
  }

  /** Why no event is taken; null: there was room for all. */
  get reason(): string | null {
    return this.#isFull ? FULL : null
  }

  /** Is there room for a batch of so many events? */
  admits(events: number): boolean {
    if (this.#isFull) return false
    if (this.#tape.count + events <= ROWS_MAX) return true
    this.#isFull = true
    this.#onFull(FULL)
    return false
  }
}

/**
 * Reads a word of every row that a swap will need, some swaps ahead of its fold: so the waits for memory
 * of many swaps overlap, where the fold would wait for one after the other.
 */
export class Prefetcher {
  readonly #state: State
  readonly #identities: Identities
  readonly #windows: TradeWindows
  /** A use of the reads, so that they are not optimised away; it means nothing. */
  sum = 0

  constructor(state: State, identities: Identities, windows: TradeWindows) {
    this.#state = state
    this.#identities = identities
    this.#windows = windows
  }

  /** The slots of its identity and position, and the rows that the record names. */
  touchIndex(u32: Uint32Array, at: number): void {
    const { tokens, births, windows, wallets } = this.#state
    const token = u32[at + SwapLane.token]
    const wallet = u32[at + SwapLane.wallet]
    const signatureHash = hashSignature(u32, at + SwapLane.signature)
    identify(signatureHash[0], signatureHash[1], u32[at + SwapLane.ordinal])
    let sum = this.#identities.touch(identityKey[1]) + this.#state.touchPosition(token, wallet)
    if (token < tokens.count) {
      const page = tokens.u32[token >>> ROW_SHIFT]
      const lane = (token & ROW_MASK) * TokenLane.lanes
      sum += page[lane] + page[lane + LINE] + page[lane + 2 * LINE] + page[lane + 3 * LINE]
      sum += births.u32[token >>> ROW_SHIFT][(token & ROW_MASK) * LifecycleLane.lanes]
      sum += windows.u32[token >>> ROW_SHIFT][(token & ROW_MASK) * WindowLane.lanes]
      sum += this.#windows.touch(token)
    }
    if (wallet < wallets.count)
      sum += wallets.u32[wallet >>> ROW_SHIFT][(wallet & ROW_MASK) * WalletLane.lanes]
    this.sum = sum | 0
  }

  /** The row of its position, which the index has to find. */
  touchRow(u32: Uint32Array, at: number): void {
    const position = this.#state.findPosition(u32[at + SwapLane.token], u32[at + SwapLane.wallet])
    if (position < 0) {
      this.#touchLink(u32[at + SwapLane.wallet])
      this.#touchCount(u32[at + SwapLane.token])
      return
    }
    const page = this.#state.positions.u32[position >>> ROW_SHIFT]
    const lane = (position & ROW_MASK) * PositionLane.lanes
    const last = page[lane + PositionLane.lastSwapPlus1]
    const mark = last === 0 ? 0 : this.#windows.touchSwap(last - 1)
    this.sum = (page[lane] + page[lane + LINE] + page[lane + 2 * LINE] + mark) | 0
  }

  /** A new position is counted in its token's row. */
  #touchCount(token: number): void {
    const { metadata } = this.#state
    if (token >= metadata.count) return
    const lane = (token & ROW_MASK) * MetadataLane.lanes + MetadataLane.positions
    this.sum = metadata.u32[token >>> ROW_SHIFT][lane] | 0
  }

  /** A new position is linked before the newest of its wallet. */
  #touchLink(wallet: number): void {
    const { wallets, links } = this.#state
    if (wallet >= wallets.count) return
    const lane = (wallet & ROW_MASK) * WalletLane.lanes + WalletLane.positionsPlus1
    const row = wallets.u32[wallet >>> ROW_SHIFT][lane] - 1
    if (row >= 0) this.sum = links.u32[row >>> ROW_SHIFT][(row & ROW_MASK) * LinkLane.lanes] | 0
  }
}
