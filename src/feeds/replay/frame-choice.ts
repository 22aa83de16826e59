import { LRUCache } from 'lru-cache'
import type { FeedEvent } from '../../events/event.ts'
import { REMEMBERED_MAX, ReserveTrades } from '../supervisor/reserve-trades.ts'

/** A feed whose last transaction in a recording is older was not connected any more. */
const CONNECTED_SECONDS = 2
/** Frames that wait whether a better feed tells their transaction, as long as that; past it the oldest counts. */
const WAITING_MAX = 10_000
/** What feeds know of a transaction, most first: its place, its slot, neither. */
const FEEDS = ['yellowstone', 'solana', 'pumpportal']

/** Where a frame of a recording comes from: the feed's name in FEED and unix seconds of arrival. */
export interface FrameOrigin {
  readonly feed: string
  readonly seconds: number
}

interface WaitingFrame {
  readonly signature: string
  readonly events: readonly FeedEvent[]
  readonly seconds: number
}

/**
 * Which frames count of a recording in which several feeds tell the same trades. As in the service
 * (`Supervisor`), a feed is left out while one is connected that knows more: its swaps would take the
 * others' places in the slot, and those of PumpPortal are not known again by signature and ordinal.
 * What the better feed of the chain does not tell either, as when its connection is lost, counts a little later.
 */
export class FrameChoice {
  /** By feed: when its last transaction came. */
  readonly #heardSeconds = new Map<string, number>()
  readonly #reserveTrades = new ReserveTrades()
  /** Swaps that the chain has told, by signature and ordinal. */
  readonly #toldByChain = new LRUCache<string, true>({ max: REMEMBERED_MAX })
  /** Transactions of which a frame counted, by signature. */
  readonly #counted = new LRUCache<string, true>({ max: REMEMBERED_MAX })
  /** Frames of the chain that are left out for now, in order of arrival. */
  readonly #waiting: WaitingFrame[] = []

  /** The events that count now that this frame has come: its own, and those of frames that waited. */
  counted(events: readonly FeedEvent[], origin: FrameOrigin | null): readonly FeedEvent[] {
    const rank = origin === null ? -1 : FEEDS.indexOf(origin.feed)
    if (origin === null || rank < 0) return events
    const { feed, seconds } = origin
    // It says how late it is: where no trade follows, what waits would do so without end.
    if (events.length === 0) return this.#waited(seconds)
    this.#heardSeconds.set(feed, seconds)
    const isLeftOut = FEEDS.slice(0, rank).some((better) => this.#isConnected(better, seconds))
    if (feed === 'pumpportal')
      return isLeftOut
        ? this.#waited(seconds)
        : [...this.ended(), ...this.#reserveTrades.untold(events, true)]
    const [signature = ''] = events.map(signatureOf)
    if (isLeftOut) {
      this.#waiting.push({ signature, events, seconds })
      return this.#waited(seconds)
    }
    // Chosen first, as the better feed knows its place: the same may be among those that waited.
    const own = this.#ofChain(signature, events)
    return [...(rank === 0 ? this.#waited(seconds) : this.ended()), ...own]
  }

  /** The better feed tells nothing more, as at the end: what waits counts. */
  ended(): readonly FeedEvent[] {
    return this.#release(this.#waiting.length)
  }

  /** What the better feed has not told for long enough. */
  #waited(nowSeconds: number): readonly FeedEvent[] {
    const isYoung = ({ seconds }: WaitingFrame) => isNear(seconds, nowSeconds)
    const young = this.#waiting.findIndex(isYoung)
    const count = young < 0 ? this.#waiting.length : young
    return this.#release(Math.max(count, this.#waiting.length - WAITING_MAX))
  }

  #release(count: number): readonly FeedEvent[] {
    const untold = this.#waiting
      .splice(0, count)
      .filter(({ signature }) => !this.#counted.has(signature))
    return untold.flatMap(({ signature, events }) => this.#ofChain(signature, events))
  }

  #ofChain(signature: string, events: readonly FeedEvent[]): readonly FeedEvent[] {
    this.#counted.set(signature, true)
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
    return heard !== undefined && isNear(heard, seconds)
  }
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= CONNECTED_SECONDS
}

function signatureOf(event: FeedEvent): string {
  return 'signature' in event ? event.signature : ''
}
