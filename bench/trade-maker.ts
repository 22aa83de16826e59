import { Service } from '../src/app/service.ts'
import { RecordBatch, SWAP_U32_LANES, SwapFloatLane, SwapLane } from '../src/events/swap-record.ts'
import { type MarketSize, newMarket, playHistory } from './recorded-market.ts'

const BATCH_MAX = 64
const LATE_SLOTS = 32
/** The trades begin this far behind the history: no mint of it is in its first slots any more. */
const SLOTS_AHEAD = 100
/** Trades of one mint in a slot: a busy one, and no more than the chain brings. */
const SLOT_TRADES = 64

/** Trades of one mint, each with an identity of its own, made from a trade of the market. */
export class TradeMaker {
  readonly mint: string
  /** Token row of the template's mint. */
  readonly token: number
  readonly #batch = new RecordBatch(BATCH_MAX)
  readonly #template: Uint32Array
  readonly #service: Service
  readonly #firstSlot: number
  #made = 0

  constructor(service: Service, template: Uint32Array) {
    this.#service = service
    this.#template = template
    this.#firstSlot = service.engine.newestSlot + SLOTS_AHEAD
    this.token = template[SwapLane.token]
    this.mint = service.engine.state.book.mintOf(this.token)
  }

  /** Folds at most 64 trades at once. */
  fold(count: number, token = this.token): void {
    const batch = this.#batch
    batch.clear()
    for (let i = 0; i < count; i++) {
      const index = batch.next()
      const at = RecordBatch.u32At(index)
      batch.u32.set(this.#template, at)
      const slot = this.#firstSlot + Math.floor(this.#made / SLOT_TRADES)
      batch.f64[RecordBatch.f64At(index) + SwapFloatLane.slot] = slot
      batch.u32[at + SwapLane.token] = token
      batch.u32[at + SwapLane.txIndex] = this.#made % SLOT_TRADES
      batch.u32[at + SwapLane.signature] = ++this.#made
    }
    this.#service.records(batch)
  }
}

/** A service with a market's history, and trades to go on with. */
export function marketWithTrades(size: MarketSize): { service: Service; trades: TradeMaker } {
  const service = new Service({ clock: 'event', lateSlots: LATE_SLOTS })
  const template = new Uint32Array(SWAP_U32_LANES)
  const market = newMarket(size, service.engine.state.book, {
    records: (batch) => {
      template.set(batch.u32.subarray(0, SWAP_U32_LANES))
      service.records(batch)
    },
  })
  playHistory(market, size)
  return { service, trades: new TradeMaker(service, template) }
}
