import { LRUCache } from 'lru-cache'
import type { FeedEvent } from '../engine/event.ts'
import { REMEMBERED_MAX, ReserveTrades } from './supervisor/reserve-trades.ts'

/** A feed whose last transaction in a recording is older was not connected any more. */
const CONNECTED_SECONDS = 2
/** What feeds know of a transaction, most first: its place, its slot, neither. */
const FEEDS = ['yellowstone', 'solana', 'pumpportal']

/** Where a frame of a recording comes from: the feed's name in FEED and unix seconds of arrival. */
export interface FrameOrigin {
  readonly feed: string
  readonly seconds: number
}

/**
 * Which frames count of a recording in which several feeds tell the same trades. As in the service
 * (`Supervisor`), a feed is left out while one is connected that knows more: its swaps would take the
 * others' places in the slot, and those of PumpPortal are not known again by signature and ordinal.
 */
export class FrameChoice {
  /** By feed: when its last transaction came. */
  readonly #heardSeconds = new Map<string, number>()
  readonly #reserveTrades = new ReserveTrades()
  /** Swaps that the chain has told, by signature and ordinal. */
  readonly #toldByChain = new LRUCache<string, true>({ max: REMEMBERED_MAX })

  /** The events of a frame that count. */
  counted(events: readonly FeedEvent[], origin: FrameOrigin | null): readonly FeedEvent[] {
    const rank = origin === null ? -1 : FEEDS.indexOf(origin.feed)
    if (origin === null || rank < 0 || events.length === 0) return events
    const { feed, seconds } = origin
    this.#heardSeconds.set(feed, seconds)
    if (FEEDS.slice(0, rank).some((better) => this.#isConnected(better, seconds))) return []
    if (feed === 'pumpportal') return this.#reserveTrades.untold(events, true)
    return this.#reserveTrades.untold(events.filter(this.#isFirst), false)
  }

  /** What the chain tells again may have been left out: the engine does not know it. */
  readonly #isFirst = (event: FeedEvent): boolean => {
    if (event.type !== 'swap') return true
    const identity = `${event.signature} ${event.ordinal}`
    if (this.#toldByChain.has(identity)) return false
    this.#toldByChain.set(identity, true)
    return true
  }

  /** Files of one time that were put together begin anew: what is later says as much as what was before. */
  #isConnected(feed: string, seconds: number): boolean {
    const heard = this.#heardSeconds.get(feed)
    return heard !== undefined && Math.abs(seconds - heard) <= CONNECTED_SECONDS
  }
}
