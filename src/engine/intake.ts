import { writeU64 } from '../base/u64.ts'
import type { FeedEvent, Swap } from '../events/event.ts'
import { quoteOf } from '../events/platform.ts'
import { RecordBatch } from '../events/record-batch.ts'
import { Flag, givenBits, poolLane, SwapFloatLane, SwapLane } from '../events/swap-record.ts'
import { ROWS_MAX } from './memory/rows.ts'
import type { AddressBook } from './state/address-book.ts'
import { packSignature } from './state/signature.ts'
import type { State } from './state/state.ts'
import type { Tape } from './state/tape.ts'

const FULL =
  `The history holds ${ROWS_MAX} swaps, the most that one can: no events are taken any more, reads ` +
  'go on. Start with an empty DATA_DIR, and keep this one to read in.'

/**
 * Refuses tokens past MAX_TOKENS, before the journal: what is not in it cannot come back in a replay,
 * so that every restart, snapshot and export shows the same tokens. A token that was refused stays
 * refused while the process runs, with all of its events; those that are held go on as ever.
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

  /** Why tokens are refused, in one sentence; null: none was yet. */
  get reason(): string | null {
    if (this.refusedEvents === 0) return null
    return `New tokens are refused: MAX_TOKENS=${this.#maxTokens} are held. Raise it, with memory for them, and start anew.`
  }

  /** The events that may be taken; the batch itself as long as the limit is far. */
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

/**
 * Ends the intake of events before swaps would get numbers that are wider than the rows that name them:
 * whatever is read after that would be of another swap. Before the journal, as TokenLimit is.
 */
export class HistoryLimit {
  readonly #tape: Tape
  readonly #onFull: (reason: string) => void
  #isFull = false

  constructor(tape: Tape, onFull: (reason: string) => void) {
    this.#tape = tape
    this.#onFull = onFull
  }

  /** Why nothing is taken, in sentences; null: there was room for all that came. */
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
 * Turns swap events into records: interns addresses, packs the signature, marks what was given. A
 * record is complete without a look at what was folded before it.
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
    u32[at + SwapLane.pool] = poolLane(this.#book.address(swap.pool), toldQuote(swap))
    if (swap.quoteMint !== undefined)
      u32[at + SwapLane.quoteMint] = this.#book.address(swap.quoteMint)
    writeAmounts(swap, u32, at)
    let flags = flagsOfSwap(swap) | givenBits(swap.route, swap.quoteDecimals)
    if (swap.solPriceUsd !== undefined)
      batch.f64[RecordBatch.f64At(index) + SwapFloatLane.givenSolPriceUsd] = swap.solPriceUsd
    if (packSignature(swap.signature, this.#book, u32, at + SwapLane.signature))
      flags |= Flag.textSignature
    u32[at + SwapLane.flags] = flags
  }
}

function toldQuote({ quoteMint }: Swap): number | undefined {
  return quoteMint === undefined ? undefined : quoteOf(quoteMint)
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
  flags |= said(swap.fresh, Flag.freshGiven, Flag.freshValue)
  flags |= said(swap.pro, Flag.proGiven, Flag.proValue)
  flags |= said(swap.insider, Flag.insiderGiven, Flag.insiderValue)
  const amounts = [swap.baseRaw, swap.quoteRaw, swap.virtualBaseRaw, swap.virtualQuoteRaw]
  return amounts.includes(0n) ? flags | Flag.priceStays : flags
}

function said(value: boolean | undefined, given: number, isTrue: number): number {
  if (value === undefined) return 0
  return value ? given | isTrue : given
}
