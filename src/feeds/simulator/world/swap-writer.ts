import type { Random } from '../../../base/random.ts'
import type { FeedEvent, Reserves, Swap } from '../../../events/event.ts'
import type { RecordSink } from '../../../events/event-sink.ts'
import {
  Flag,
  RecordBatch,
  SIGNATURE_LANES,
  SwapFloatLane,
  SwapLane,
} from '../../../events/swap-record.ts'
import type { ChainClock } from './chain-clock.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, type TokenTable, Trait } from './token-table.ts'
import { signatureText } from './token-text.ts'

const BATCH_RECORDS = 1_024
/** Events that are no swaps in one batch; past it the batch is handed over. */
const BATCH_OTHERS_MAX = 1_024
const BASE_CHAIN_FEE_LAMPORTS = 5_000
const QUOTE_GIVEN = Trait.usdc | Trait.coin
const PER_TWO_32 = 2 ** -32

/** Places in `SwapWriter.amounts`. */
export const A = {
  base: 0,
  quote: 1,
  platformFee: 2,
  creatorFee: 3,
  liquidityFee: 4,
  cashback: 5,
} as const

/** Where the signature of the open transaction is: most are made in place, in their only record. */
const Signature = { unmade: 0, inBatch: 1, saved: 2 } as const

/** Puts transactions on the chain: swaps as binary records, everything else as events, in order. */
export class SwapWriter {
  /**
   * Amounts of the swap to write next. Doubles pass through here instead of through arguments: an
   * argument of a call that is not inlined would be boxed on the heap.
   */
  readonly amounts = new Float64Array(6)
  /** Swaps written since the start. */
  swaps = 0
  readonly #batch = new RecordBatch(BATCH_RECORDS)
  /** The signature of the open transaction once the batch no longer has it. */
  readonly #signature = new Uint32Array(SIGNATURE_LANES)
  #signatureState: number = Signature.unmade
  /** Where in the batch it is. */
  #signatureAt = 0
  /** Its text, once an event needed it. */
  #signatureText = ''
  #chainFeeLamports = 0
  readonly #sink: RecordSink
  readonly #clock: ChainClock
  readonly #tokens: TokenTable
  readonly #random: Random

  constructor(sink: RecordSink, clock: ChainClock, tokens: TokenTable, random: Random) {
    this.#sink = sink
    this.#clock = clock
    this.#tokens = tokens
    this.#random = random
  }

  beginTransaction(): void {
    const bits = this.#random.next()
    this.#clock.beginTransaction(bits & 3)
    this.#signatureState = Signature.unmade
    this.#signatureText = ''
    // Three of four transactions name their fee, with a priority fee up to some 0.008 SOL.
    const priorityLamports = (bits >>> 16) << ((bits >>> 4) & 7)
    this.#chainFeeLamports = (bits & 0xc) === 0 ? 0 : BASE_CHAIN_FEE_LAMPORTS + priorityLamports
  }

  /** Writes the swap in `amounts`; the token's row already stands after the trade. */
  swap(row: number, wallet: number, flags: number): void {
    const batch = this.#batch
    // Not `next`: the batch was zeroed as a whole, which costs less than zeroing each record.
    const index = batch.count++
    const u32 = batch.u32
    const at = RecordBatch.u32At(index)
    const ints = this.#tokens.ints
    const int = row * TOKEN_INTS
    const traits = ints[int + I.traits]
    let bits = flags
    if ((traits & Trait.amm) !== 0) bits |= Flag.amm
    batch.f64[RecordBatch.f64At(index) + SwapFloatLane.slot] = this.#clock.emittedSlot
    u32[at + SwapLane.txIndex] = this.#clock.txIndex
    u32[at + SwapLane.ordinal] = this.#clock.ordinal++
    u32[at + SwapLane.timestamp] = this.#clock.timestamp
    u32[at + SwapLane.token] = ints[int + I.token]
    u32[at + SwapLane.wallet] = wallet
    u32[at + SwapLane.pool] = ints[int + I.pool]
    if ((traits & QUOTE_GIVEN) !== 0) u32[at + SwapLane.quoteMint] = this.#tokens.quoteMint[row]
    if (this.#chainFeeLamports > 0) {
      bits |= Flag.chainFeeGiven
      u32[at + SwapLane.chainFeeLo] = this.#chainFeeLamports
    }
    if ((traits & Trait.supplyGiven) !== 0) {
      bits |= Flag.supplyGiven
      put(u32, at + SwapLane.supplyLo, this.#tokens.lanes[row * TOKEN_LANES + T.supply])
    }
    if ((flags & Flag.balanceAfterGiven) !== 0)
      put(u32, at + SwapLane.balanceAfterLo, this.amounts[A.base])
    u32[at + SwapLane.flags] = bits
    this.#putAmounts(u32, at, row)
    this.#putSignature(u32, at + SwapLane.signature)
    this.swaps++
    if (batch.isFull) this.flush()
  }

  #putAmounts(u32: Uint32Array, at: number, row: number): void {
    const amounts = this.amounts
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    put(u32, at + SwapLane.baseLo, amounts[A.base])
    put(u32, at + SwapLane.quoteLo, amounts[A.quote])
    put(u32, at + SwapLane.virtualBaseLo, lanes[lane + T.virtualBase])
    put(u32, at + SwapLane.virtualQuoteLo, lanes[lane + T.virtualQuote])
    put(u32, at + SwapLane.realBaseLo, lanes[lane + T.realBase])
    put(u32, at + SwapLane.realQuoteLo, lanes[lane + T.virtualQuote] - lanes[lane + T.offsetQuote])
    put(u32, at + SwapLane.platformFeeLo, amounts[A.platformFee])
    put(u32, at + SwapLane.creatorFeeLo, amounts[A.creatorFee])
    if (amounts[A.liquidityFee] > 0) put(u32, at + SwapLane.givenLpFeeLo, amounts[A.liquidityFee])
    if (amounts[A.cashback] > 0) put(u32, at + SwapLane.givenCashbackLo, amounts[A.cashback])
  }

  #putSignature(u32: Uint32Array, at: number): void {
    if (this.#signatureState === Signature.unmade) {
      this.#makeSignature(u32, at)
      this.#signatureState = Signature.inBatch
      this.#signatureAt = at
    } else {
      const isSaved = this.#signatureState === Signature.saved
      const from = isSaved ? this.#signature : u32
      const fromAt = isSaved ? 0 : this.#signatureAt
      for (let i = 0; i < SIGNATURE_LANES; i++) u32[at + i] = from[fromAt + i]
    }
  }

  #makeSignature(lanes: Uint32Array, at: number): void {
    this.#random.scatter(lanes, at, SIGNATURE_LANES)
    // A first byte of zero would need a leading digit of its own in the text.
    if ((lanes[at] & 0xff) === 0) lanes[at] = lanes[at] | 1
  }

  /** Makes sure that the signature of the open transaction is in `signature`. */
  #saveSignature(): void {
    if (this.#signatureState === Signature.unmade) this.#makeSignature(this.#signature, 0)
    else if (this.#signatureState === Signature.inBatch) {
      const at = this.#signatureAt
      for (let i = 0; i < SIGNATURE_LANES; i++) this.#signature[i] = this.#batch.u32[at + i]
    }
    this.#signatureState = Signature.saved
  }

  /** Takes the next ordinal of the open transaction for an event. */
  position() {
    const { emittedSlot: slot, txIndex, timestamp } = this.#clock
    if (this.#signatureText === '') {
      this.#saveSignature()
      this.#signatureText = signatureText(this.#signature)
    }
    const signature = this.#signatureText
    return { slot, txIndex, ordinal: this.#clock.ordinal++, signature, timestamp }
  }

  /** Puts an event behind the swaps that came before it. */
  event(event: Exclude<FeedEvent, Swap>): void {
    if (this.#batch.others.length === BATCH_OTHERS_MAX) this.flush()
    this.#batch.addOther(event)
  }

  /** Emits the reserves of the token's row, where no swap does. */
  reserves(row: number, reason: Reserves['reason']): void {
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const virtualQuote = lanes[lane + T.virtualQuote]
    const isSupplyGiven = this.#tokens.has(row, Trait.supplyGiven)
    this.event({
      type: 'reserves',
      ...this.position(),
      mint: this.#tokens.mints[row],
      source: this.#tokens.has(row, Trait.amm) ? 'pump_amm' : 'pump',
      virtualBaseRaw: BigInt(lanes[lane + T.virtualBase]),
      virtualQuoteRaw: BigInt(virtualQuote),
      realBaseRaw: BigInt(lanes[lane + T.realBase]),
      realQuoteRaw: BigInt(virtualQuote - lanes[lane + T.offsetQuote]),
      ...(isSupplyGiven ? { supplyRaw: BigInt(lanes[lane + T.supply]) } : {}),
      reason,
    })
  }

  /** Emits what a wallet holds after the open transaction; behind all that happens in it. */
  balance(row: number, wallet: string, balanceRaw: number): void {
    this.event({
      type: 'balance',
      ...this.position(),
      mint: this.#tokens.mints[row],
      wallet,
      balanceRaw: BigInt(balanceRaw),
    })
  }

  flush(): void {
    if (this.#batch.events === 0) return
    if (this.#signatureState === Signature.inBatch) this.#saveSignature()
    this.#sink.records(this.#batch)
    this.#batch.u32.fill(0, 0, RecordBatch.u32At(this.#batch.count))
    this.#batch.clear()
  }
}

/** Stores an integer below 2^53 as u64; storing takes each half modulo 2^32. */
function put(u32: Uint32Array, at: number, value: number): void {
  u32[at] = value
  u32[at + 1] = value * PER_TWO_32
}
