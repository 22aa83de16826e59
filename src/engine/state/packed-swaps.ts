import { Flag, SWAP_RECORD_BYTES, SWAP_U32_LANES, SwapLane } from '../../events/swap-record.ts'
import { bytesOf, lanesOf } from '../memory/views.ts'

/**
 * Swap records in little more than half the bytes, in memory and in chunks (docs/decisions/0051-packed-swaps.md). A
 * block, little-endian:
 *
 *     base     lanes of its last record: slot, price of SOL, flags, time (24 bytes)
 *     lengths  a byte for each record
 *     records  widths of 25 numbers in bytes, half a byte each (13 bytes); the numbers; the signature
 *
 * A record is read by itself, from the base, its place on the tape and its own bytes. A number is a lane, or two of them.
 * Most are exchanged for what they lack of what follows from others, modulo 2^32 or 2^64; a second exchange brings them
 * back. So any record comes back bit for bit.
 */

const HEAD_BYTES = 13
/** A number is written and read as 8 bytes, of which the first count; two are read before their end is looked at. */
export const PACKED_SPARE_BYTES = 24
const SIGNATURE_LANES = SWAP_U32_LANES - SwapLane.signature

/** 10^15, of nearly every token; 279.9 × 10^12, what the virtual base of a curve has beyond the real one. */
const USUAL_SUPPLY = { lo: 0xa4c68000, hi: 0x38d7e } as const
const BEYOND_REAL = { lo: 0x4c129800, hi: 0xfe91 } as const
const TWO_32 = 2 ** 32

/** The numbers of the record in work, in two lanes each; the last one is always 0. */
const numbers = new Uint32Array(4 * HEAD_BYTES)
/** From here on a number is two lanes of a record, and so is the slot; the lanes between are numbers of their own. */
const PAIRS = SwapLane.cashbackLo
const numberOf = (lane: number) => (lane < PAIRS ? 2 * (lane - 1) : lane + PAIRS - 2)
const N = {
  ...{ slot: 0, timestamp: numberOf(SwapLane.timestamp), flags: numberOf(SwapLane.flags) },
  links: numberOf(SwapLane.previousInMint),
  nextInSecond: numberOf(SwapLane.nextInSecond),
  // Of a folded record, named by what stood there before.
  ...{ solPrice: numberOf(SwapLane.realQuoteLo), volume: numberOf(SwapLane.givenCashbackLo) },
  ...{ supply: numberOf(SwapLane.supplyLo), base: numberOf(SwapLane.baseLo) },
  ...{ quote: numberOf(SwapLane.quoteLo), virtualBase: numberOf(SwapLane.virtualBaseLo) },
  ...{ realBase: numberOf(SwapLane.realBaseLo), before: numberOf(SwapLane.balanceBeforeLo) },
  after: numberOf(SwapLane.balanceAfterLo),
} as const
const { realQuoteLo: PRICE_LANE, timestamp: TIME_LANE, flags: FLAGS_LANE } = SwapLane
const BASE_LANES = [0, 1, PRICE_LANE, PRICE_LANE + 1, FLAGS_LANE, TIME_LANE]
const BASE_BYTES = BASE_LANES.length * 4
/** Lanes of numbers of which the bits are kept that differ from those of the base, in its order; its time is behind them. */
const BIT_LANES = [N.slot, N.slot + 1, N.solPrice, N.solPrice + 1, N.flags]

/** A double, and its two lanes. */
const double = new Float64Array(1)
const doubleLanes = new Uint32Array(double.buffer)

/** Bits that count of the lanes of a number, by its width. */
const LOW_MASKS = Int32Array.from({ length: 16 }, (_, width) => 256 ** Math.min(width, 4) - 1)
const HIGH_MASKS = Int32Array.from({ length: 16 }, (_, width) => LOW_MASKS[Math.max(0, width - 4)])

/** Most bytes of a block, with what is written and read beyond its end. */
export function packedBytesMax(records: number): number {
  return BASE_BYTES + records * (1 + HEAD_BYTES + SWAP_RECORD_BYTES) + PACKED_SPARE_BYTES
}

/** Writes blocks to a view and reads them, one at a time. */
export class PackedSwaps {
  readonly #base = new Uint32Array(BASE_LANES.length)
  #starts = new Uint32Array(0)
  #view: DataView
  #index = 0

  constructor(view = new DataView(new ArrayBuffer(0))) {
    this.#view = view
  }

  /**
   * Writes `count` records from u32 lane `at` on, of which the first is record `index` of the tape, as a block to byte
   * `to` of the view, which has room for `packedBytesMax`; returns the end of the block.
   */
  pack(u32: Uint32Array, at: number, count: number, index: number, to: number): number {
    const last = at + (count - 1) * SWAP_U32_LANES
    for (const [i, lane] of BASE_LANES.entries()) this.#base[i] = u32[last + lane]
    const lengths = this.#putLanes(this.#base, 0, BASE_LANES.length, to)
    let end = lengths + count
    for (let i = 0; i < count; i++) {
      const start = end
      end = this.#packOne(u32, at + i * SWAP_U32_LANES, index + i, start)
      this.#view.setUint8(lengths + i, end - start)
    }
    return end
  }

  #packOne(u32: Uint32Array, at: number, index: number, to: number): number {
    numbers[N.slot] = u32[at]
    numbers[N.slot + 1] = u32[at + 1]
    for (let lane: number = SwapLane.txIndex; lane < SwapLane.signature; lane++)
      numbers[numberOf(lane)] = u32[at + lane]
    exchangeVolume()
    exchangeNumbers(index, this.#base, numbers[N.flags])
    exchangeBits(this.#base)
    let end = to + HEAD_BYTES
    for (let n = 0, head = to; n < numbers.length; n += 4, head++) {
      const low = this.#putNumber(n, end)
      end += low
      const high = this.#putNumber(n + 2, end)
      end += high
      this.#view.setUint8(head, low | (high << 4))
    }
    return this.#putLanes(u32, at + SwapLane.signature, SIGNATURE_LANES, end)
  }

  /**
   * Begins with a block of `count` records from record `index` of the tape on, which lies from byte `at` to `end` of a
   * view; the view has PACKED_SPARE_BYTES more. False: it is none.
   */
  open(view: DataView, at: number, end: number, count: number, index: number): boolean {
    if (this.#starts.length <= count) this.#starts = new Uint32Array(count + 1)
    this.#view = view
    this.#index = index
    let start = at + BASE_BYTES + count
    if (start > end) return false
    this.#readLanes(at, this.#base, 0, BASE_LANES.length)
    for (let i = 0; i < count; i++) {
      this.#starts[i] = start
      start += view.getUint8(at + BASE_BYTES + i)
    }
    this.#starts[count] = start
    return start === end
  }

  /** Writes a record of the block to u32 lane `at`; false: its bytes are none. */
  unpack(place: number, u32: Uint32Array, at: number): boolean {
    const start = this.#starts[place]
    const end = this.#starts[place + 1]
    let from = start + HEAD_BYTES
    for (let n = 0, head = start; n < numbers.length; n += 4, head++) {
      if (from > end) return false
      const widths = this.#view.getUint8(head)
      this.#readNumber(n, widths & 15, from)
      from += widths & 15
      this.#readNumber(n + 2, widths >>> 4, from)
      from += widths >>> 4
    }
    if (from + SIGNATURE_LANES * 4 !== end) return false
    exchangeBits(this.#base)
    exchangeNumbers(this.#index + place, this.#base, numbers[N.flags])
    exchangeVolume()
    u32[at] = numbers[N.slot]
    u32[at + 1] = numbers[N.slot + 1]
    for (let lane: number = SwapLane.txIndex; lane < SwapLane.signature; lane++)
      u32[at + lane] = numbers[numberOf(lane)]
    this.#readLanes(from, u32, at + SwapLane.signature, SIGNATURE_LANES)
    return true
  }

  /** The link to the next swap of its second of a record, in a fifth of the time that all of it takes. */
  nextInSecond(place: number): number {
    const start = this.#starts[place]
    let from = start + HEAD_BYTES
    const end = start + (N.nextInSecond >>> 2)
    for (let head = start; head < end; head++) {
      const widths = this.#view.getUint8(head)
      from += (widths & 15) + (widths >>> 4)
    }
    const low = this.#view.getUint32(from, true) & LOW_MASKS[this.#view.getUint8(end) & 15]
    return linkAcross(low >>> 0, this.#index + place)
  }

  /** Returns the bytes that count. */
  #putNumber(n: number, to: number): number {
    const lo = numbers[n]
    const hi = numbers[n + 1]
    this.#view.setUint32(to, lo, true)
    this.#view.setUint32(to + 4, hi, true)
    return hi === 0 ? 4 - (Math.clz32(lo) >>> 3) : 8 - (Math.clz32(hi) >>> 3)
  }

  #readNumber(n: number, width: number, from: number): void {
    numbers[n] = this.#view.getUint32(from, true) & LOW_MASKS[width]
    numbers[n + 1] = this.#view.getUint32(from + 4, true) & HIGH_MASKS[width]
  }

  #putLanes(u32: Uint32Array, at: number, count: number, to: number): number {
    for (let i = 0; i < count; i++) this.#view.setUint32(to + i * 4, u32[at + i], true)
    return to + count * 4
  }

  #readLanes(from: number, u32: Uint32Array, at: number, count: number): void {
    for (let i = 0; i < count; i++) u32[at + i] = this.#view.getUint32(from + i * 4, true)
  }
}

/** Records one behind another, of which the first is record `index` of the tape, as a block. */
export function packedBlock(records: Uint8Array, index: number): Uint8Array {
  const u32 = lanesOf(records)
  const count = u32.length / SWAP_U32_LANES
  const bytes = new Uint8Array(packedBytesMax(count))
  const packed = new PackedSwaps(new DataView(bytes.buffer))
  return bytes.subarray(0, packed.pack(u32, 0, count, index, 0))
}

/** Writes the records of a block to `into`, which has their length; false: it is none of so many. */
export function unpackedBlock(block: Uint8Array, index: number, into: Uint8Array): boolean {
  const u32 = new Uint32Array(into.length / 4)
  const count = u32.length / SWAP_U32_LANES
  const bytes = new Uint8Array(block.length + PACKED_SPARE_BYTES)
  bytes.set(block)
  const packed = new PackedSwaps()
  if (!packed.open(new DataView(bytes.buffer), 0, block.length, count, index)) return false
  for (let place = 0; place < count; place++)
    if (!packed.unpack(place, u32, place * SWAP_U32_LANES)) return false
  into.set(bytesOf(u32))
  return true
}

/** Exchanges links, time, supply, real base and balances; `flags` are those of the record. */
function exchangeNumbers(index: number, base: Uint32Array, flags: number): void {
  numbers[N.timestamp] = base[BIT_LANES.length] - numbers[N.timestamp]
  for (let link: number = N.links; link < N.links + 6; link += 2)
    numbers[link] = linkAcross(numbers[link], index)
  exchange(N.supply, USUAL_SUPPLY.lo, USUAL_SUPPLY.hi)
  if ((flags & Flag.amm) === 0) {
    exchange(N.realBase, numbers[N.virtualBase], numbers[N.virtualBase + 1])
    subtract(N.realBase, BEYOND_REAL.lo, BEYOND_REAL.hi)
  }
  // A sale has more before it, a buy behind it.
  const isSale = (flags & Flag.sell) !== 0
  const more = isSale ? N.before : N.after
  const less = isSale ? N.after : N.before
  subtract(more, numbers[N.base], numbers[N.base + 1])
  exchange(more, numbers[less], numbers[less + 1])
}

function exchangeBits(base: Uint32Array): void {
  for (let i = 0; i < BIT_LANES.length; i++) numbers[BIT_LANES[i]] ^= base[i]
}

/** Volume in micro-USD, as of a quote in SOL. The formula is part of the format: the fold has its own. */
function exchangeVolume(): void {
  const quote = numbers[N.quote + 1] * TWO_32 + numbers[N.quote]
  doubleLanes[0] = numbers[N.solPrice]
  doubleLanes[1] = numbers[N.solPrice + 1]
  const volume = (quote * Math.abs(double[0])) / 1000
  // What is no number has other bits on other machines.
  double[0] = volume > 0 ? Math.floor(volume + 0.5) : 0
  exchange(N.volume, doubleLanes[0], doubleLanes[1])
}

/** A link + 1 for how far back it is; 0 is none. */
function linkAcross(value: number, index: number): number {
  const back = (index + 1 - value) >>> 0
  return value === 0 || back === 0 ? value : back
}

/** A number for what it lacks of another one. */
function exchange(n: number, lo: number, hi: number): void {
  numbers[n + 1] = hi - numbers[n + 1] - (lo < numbers[n] ? 1 : 0)
  numbers[n] = lo - numbers[n]
}

function subtract(n: number, lo: number, hi: number): void {
  numbers[n + 1] = numbers[n + 1] - hi - (numbers[n] < lo ? 1 : 0)
  numbers[n] -= lo
}
