import { Service } from '../src/app/service.ts'
import { LATE_SLOTS } from '../src/engine/order/reorder-window.ts'
import { AddressBook } from '../src/engine/state/address-book.ts'
import type { RecordSink } from '../src/events/event-sink.ts'
import { NEVER_HOLDERS } from '../src/events/platform.ts'
import { RecordBatch } from '../src/events/swap-record.ts'
import { Market } from '../src/feeds/simulator/market.ts'
import { History } from '../src/feeds/simulator/simulator.ts'
import type { Interner } from '../src/feeds/simulator/world/wallet-pool.ts'

/** 2026-01-01, so that the same seed gives the same market on every day. */
const START_SECONDS = 1_767_225_600
const SEED = 1

export interface MarketSize {
  readonly tokens: number
  /** Swaps a second of the day before the start; 12 a token at most. */
  readonly historyRate: number
  /** Swaps after the start, the ones that are timed. */
  readonly liveSwaps: number
  /** Swaps a second of event time while live. */
  readonly liveRate: number
}

type Role = 'token' | 'wallet' | 'address'

/** Writes down the order in which addresses are asked for, so that another book gives equal ids. */
class RecordingBook implements Interner {
  readonly calls: [Role, string][] = []
  readonly #book = new AddressBook()

  constructor() {
    for (const address of NEVER_HOLDERS) this.#book.address(address)
  }

  token(mint: string): number {
    return this.#record('token', mint)
  }

  wallet(address: string): number {
    return this.#record('wallet', address)
  }

  address(text: string): number {
    return this.#record('address', text)
  }

  #record(role: Role, text: string): number {
    this.calls.push([role, text])
    return this.#book[role](text)
  }
}

/** A simulated market held in memory: made once, played into any number of fresh engines. */
export class RecordedMarket {
  readonly #book = new RecordingBook()
  readonly #parts: RecordBatch[] = []
  readonly #historyParts: number
  /** Swaps of the part that is timed. */
  readonly liveSwaps: number
  readonly historySwaps: number

  constructor(size: MarketSize) {
    const market = newMarket(size, this.#book, {
      records: (batch) => void this.#parts.push(copyOf(batch)),
    })
    playHistory(market, size)
    this.#historyParts = this.#parts.length
    this.historySwaps = market.swaps
    playLive(market, size)
    this.liveSwaps = market.swaps - this.historySwaps
  }

  /** A service that has every address and the history; `playLive` is what is left. */
  warmService(): Service {
    const service = new Service({ clock: 'event', lateSlots: LATE_SLOTS })
    for (const [role, text] of this.#book.calls) service.engine.state.book[role](text)
    for (const part of this.#parts.slice(0, this.#historyParts)) service.records(part)
    return service
  }

  get liveParts(): readonly RecordBatch[] {
    return this.#parts.slice(this.#historyParts)
  }

  playLive(sink: RecordSink): void {
    for (const part of this.liveParts) sink.records(part)
  }
}

export function newMarket(size: MarketSize, addressBook: Interner, sink: RecordSink): Market {
  const options = { seed: SEED, tokens: size.tokens, startSeconds: START_SECONDS, addressBook }
  return new Market(options, sink)
}

export function playHistory(market: Market, size: MarketSize): void {
  const { tokens, historyRate: rate } = size
  const history = new History(market, { tokens, rate, endSeconds: START_SECONDS })
  while (!history.step());
  market.flush()
}

export function playLive(market: Market, size: MarketSize): void {
  if (size.liveSwaps === 0) return
  market.run(size.liveSwaps, START_SECONDS + Math.ceil(size.liveSwaps / size.liveRate))
  market.flush()
}

export function copyOf(batch: RecordBatch): RecordBatch {
  const copy = new RecordBatch(batch.count)
  copyInto(copy, batch)
  return copy
}

/** In place of what it holds. */
export function copyInto(copy: RecordBatch, batch: RecordBatch): void {
  copy.bytes.set(batch.bytes.subarray(0, copy.bytes.length))
  copy.count = batch.count
  copy.others = [...batch.others]
}
