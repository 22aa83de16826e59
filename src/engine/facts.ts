import { createNanoEvents } from 'nanoevents'
import type { PlacedEvent } from '../events/event.ts'
import { pricingOf } from './history/candles.ts'
import type { State } from './state/state.ts'

/** Swaps that arrived later than one and are in the state already: late swaps are told when all of their run are. */
interface LaterSwaps {
  readonly swaps: number
  readonly ofMint: number
  readonly ofWallet: number
}

export const NOTHING_LATER: LaterSwaps = { swaps: 0, ofMint: 0, ofWallet: 0 }

/** An event that was folded. */
type Arrived = {
  readonly token: number
  /** What the prices of its token were made with before it (`pricingOf`); -1: it had none. */
  readonly pricing: number
} & (
  | { readonly type: 'swap'; readonly tapeIndex: number; readonly wallet: number }
  | { readonly type: 'token_created' | 'completed' | 'migrated' }
)

/** Emits what the live feeds publish, in the order of arrival, each fact when the state is that of all events. */
export class EngineFacts {
  /** Listeners must not throw and must not fold. */
  readonly emitter = createNanoEvents<{
    /** A new swap, by tape index, which is valid until the listener returns. */
    trade: (index: number, later: LaterSwaps) => void
    /** A token migrated. */
    migration: (token: number) => void
    /** The creation event of a token arrived; emitted once, and not when a swap first names its mint. */
    created: (token: number) => void
    /** The prices of all trades of a token changed. */
    repriced: (token: number) => void
  }>()
  readonly #state: State
  /** Behind a late event, until the later ones are folded again; a run that fills a gap at most. */
  readonly #waiting: Arrived[] = []

  constructor(state: State) {
    this.#state = state
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** A fact that is emitted by `emitWaiting`. */
  wait(event: Arrived): void {
    this.#waiting.push(event)
  }

  trade(token: number, pricing: number, tapeIndex: number, later: LaterSwaps): void {
    this.#repriced(token, pricing)
    this.emitter.emit('trade', tapeIndex, later)
  }

  lifecycle(type: PlacedEvent['type'], token: number, pricing: number): void {
    const { launches, migrations } = this.#state.announcements
    if (type === 'token_created') {
      launches.push(token)
      this.emitter.emit('created', token)
    }
    if (type === 'migrated') {
      migrations.push(token)
      this.emitter.emit('migration', token)
    }
    this.#repriced(token, pricing)
  }

  /** The later events are folded again: emits what waits, each swap with the counts that it had on arrival. */
  emitWaiting(): void {
    const waiting = this.#waiting.splice(0)
    const ofMint = new Map<number, number>()
    const ofWallet = new Map<number, number>()
    let swaps = 0
    const count = (event: Arrived, by: number) => {
      if (event.type !== 'swap') return
      swaps += by
      ofMint.set(event.token, (ofMint.get(event.token) ?? 0) + by)
      ofWallet.set(event.wallet, (ofWallet.get(event.wallet) ?? 0) + by)
    }
    for (const event of waiting) count(event, 1)
    for (const event of waiting) {
      const { token, pricing } = event
      count(event, -1)
      if (event.type === 'swap')
        this.trade(token, pricing, event.tapeIndex, {
          ...{ swaps, ofMint: ofMint.get(token) ?? 0 },
          ofWallet: ofWallet.get(event.wallet) ?? 0,
        })
      else this.lifecycle(event.type, token, pricing)
    }
  }

  #repriced(token: number, before: number): void {
    if (before >= 0 && pricingOf(this.#state, token) !== before)
      this.emitter.emit('repriced', token)
  }
}
