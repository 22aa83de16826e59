import { LRUCache } from 'lru-cache'
import { isRecord, type JsonRecord, recordAt, textAt } from '../../base/json-access.ts'
import type { FeedEvent } from '../../events/event.ts'
import { type LineError, parseEventValue } from '../../events/event-lines.ts'
import { ArrivalIndexes } from '../chain/arrival-index.ts'
import { ChainNormaliser } from '../chain/normalise.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import { transactionOfLogsFrame, transactionOfRpc } from '../chain/transactions/rpc-json.ts'
import type { ChainTransaction } from '../chain/transactions/transaction.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { PortalEvents } from '../pumpportal/portal-events.ts'
import { REMEMBERED_MAX, ReserveTrades } from '../supervisor/reserve-trades.ts'
import { transactionOfUpdate } from '../yellowstone/geyser-transaction.ts'

const LOGS_METHOD = 'logsNotification'
const U32_MAX = 0xffffffff
/** A feed counts as connected for this long after its last transaction in the recording. */
const CONNECTED_SECONDS = 2
/** Frames that wait for a better feed to bring the same transaction; past this number the oldest counts. */
const WAITING_MAX = 10_000
/** What feeds know of a transaction, most first: its place, its slot, neither. */
const FEEDS = ['yellowstone', 'solana', 'pumpportal']

/**
 * Makes events of one recorded JSON value that is no event line (`LineRun`): a frame of the logs
 * subscription (also wrapped as `{"t_wall": …, "raw": "…"}`), an answer of `getTransaction`, an
 * entry of a block or, wrapped, a frame of PumpPortal or an update of Yellowstone
 * (`feeds/raw-frames.ts`). Remembers what later values need: pools, curves, order of arrival.
 */
export class RecordedValues {
  readonly normaliser: ChainNormaliser
  readonly #counters: FeedCounters
  readonly #arrivals = new ArrivalIndexes()
  readonly #choice = new FrameChoice()
  #portal: PortalEvents | null = null

  /** @param forms reports events that no layout knows */
  constructor(counters: FeedCounters, forms?: NewForms) {
    this.#counters = counters
    this.normaliser = new ChainNormaliser(counters, forms)
  }

  /** Events that count once this value has come; an error is one sentence. Never throws. */
  eventsOf(value: JsonRecord): readonly FeedEvent[] | LineError {
    try {
      const found = this.#wrapped(value)
      return 'error' in found ? found : this.#choice.counted(found, originOf(value))
    } catch (error) {
      return { error: `the value cannot be read: ${String(error)}` }
    }
  }

  /** Events of the frames that still wait for a better feed; to be called at the end of the input. */
  ended(): readonly FeedEvent[] {
    return this.#choice.ended()
  }

  #wrapped(value: JsonRecord): readonly FeedEvent[] | LineError {
    const bytes = textAt(value, 'bytes_base64')
    if (bytes !== null) return this.#update(Buffer.from(bytes, 'base64'))
    const raw = textAt(value, 'raw')
    const frame: unknown = raw === null ? recordAt(value, 'raw') : JSON.parse(raw)
    if (isRecord(frame) && isPortalFrame(frame)) return this.#portalFrame(frame, value.t_wall)
    return this.#chainValue(isRecord(frame) ? frame : value)
  }

  #chainValue(value: JsonRecord): readonly FeedEvent[] | LineError {
    if (textAt(value, 'method') === LOGS_METHOD) return this.#logsFrame(value)
    if (Object.hasOwn(value, 'transaction')) return this.#transaction(value)
    if (!Object.hasOwn(value, 'jsonrpc')) {
      const event = parseEventValue(value)
      return 'error' in event ? event : [event]
    }
    const result = recordAt(value, 'result')
    if (result !== null && Object.hasOwn(result, 'transaction')) return this.#transaction(result)
    // Acknowledgements, answers without a transaction, notifications of other subscriptions.
    this.#counters.ignoredLines++
    return []
  }

  #logsFrame(frame: JsonRecord): readonly FeedEvent[] | LineError {
    const transaction = transactionOfLogsFrame(frame)
    if (transaction === null) return { error: `the ${LOGS_METHOD} has no slot, signature or logs` }
    return this.normaliser.events(this.#withArrivalIndex(transaction))
  }

  #update(bytes: Buffer): readonly FeedEvent[] | LineError {
    const transaction = transactionOfUpdate(bytes)
    if (transaction === 'unreadable') return { error: 'the bytes are no update of Yellowstone' }
    if (transaction !== null) return this.normaliser.events(transaction)
    this.#counters.ignoredLines++
    return []
  }

  #transaction(entry: JsonRecord): readonly FeedEvent[] | LineError {
    const transaction = transactionOfRpc(entry)
    if (transaction === null) {
      return { error: 'the transaction has no meta, signature or account keys that can be read' }
    }
    return this.normaliser.events(transaction)
  }

  /** Frames of PumpPortal have no time of their own. */
  #portalFrame(frame: JsonRecord, time: unknown): readonly FeedEvent[] | LineError {
    if (!Object.hasOwn(frame, 'txType')) {
      this.#counters.ignoredLines++
      return []
    }
    if (typeof time !== 'number' || time < 0 || time > U32_MAX)
      return { error: 'the frame of PumpPortal has no "t_wall", the unix seconds of its arrival' }
    this.#portal ??= new PortalEvents()
    const { counters } = this.#portal
    const before = { ...counters }
    const events = this.#portal.events(frame, Math.floor(time))
    // Several readings share the counters of the feed: each adds what its own frame has changed.
    const unusable = counters.unusableFrames - before.unusableFrames
    this.#counters.bogusFrames += counters.bogusFrames - before.bogusFrames
    this.#counters.wrongCurveFrames += counters.wrongCurves - before.wrongCurves
    this.#counters.unreadFrames += counters.otherPlatforms - before.otherPlatforms + unusable
    this.#counters.unusableFrames += unusable
    return events
  }

  #withArrivalIndex(transaction: ChainTransaction): ChainTransaction {
    const { slot, signature, failed } = transaction
    if (slot === null || failed) return transaction
    return { ...transaction, txIndex: this.#arrivals.of(slot, signature) }
  }
}

/**
 * Where a frame comes from: the feed's name in FEED and unix seconds of arrival. Null: it does not say, as in
 * recordings of other programs.
 */
function originOf(value: JsonRecord): { readonly feed: string; readonly seconds: number } | null {
  const feed = textAt(value, 'feed')
  const seconds = value.t_wall
  return feed === null || typeof seconds !== 'number' ? null : { feed, seconds }
}

/** What PumpPortal sends: events with a `txType`, and acknowledgements. */
function isPortalFrame(frame: JsonRecord): boolean {
  return ['txType', 'message', 'errors'].some((key) => Object.hasOwn(frame, key))
}

interface WaitingFrame {
  readonly signature: string
  readonly events: readonly FeedEvent[]
  readonly seconds: number
}

/**
 * Chooses the frames that count in a recording of several feeds with the same trades. As in the service
 * (`Supervisor`), a feed is left out while one is connected that knows more: its swaps would take the
 * others' places in the slot, and those of PumpPortal cannot be recognized by signature and ordinal.
 * What the better feed does not bring either, as when its connection is lost, counts a little later.
 */
export class FrameChoice {
  /** By feed: when its last transaction came. */
  readonly #newestSeconds = new Map<string, number>()
  readonly #reserveTrades = new ReserveTrades()
  /** Swaps that the chain has delivered, by signature and ordinal. */
  readonly #seenOnChain = new LRUCache<string, true>({ max: REMEMBERED_MAX })
  /** Transactions of which a frame counted, by signature. */
  readonly #counted = new LRUCache<string, true>({ max: REMEMBERED_MAX })
  /** Frames of the chain that are left out for now, in order of arrival. */
  readonly #waiting: WaitingFrame[] = []

  /** The events that count once this frame has come: its own, and those of frames that waited. */
  counted(events: readonly FeedEvent[], origin: ReturnType<typeof originOf>): readonly FeedEvent[] {
    const rank = origin === null ? -1 : FEEDS.indexOf(origin.feed)
    if (origin === null || rank < 0) return events
    const { feed, seconds } = origin
    // It gives the time: without a trade behind it the waiting frames would wait for ever.
    if (events.length === 0) return this.#waited(seconds)
    this.#newestSeconds.set(feed, seconds)
    const isLeftOut = FEEDS.slice(0, rank).some((better) => this.#isConnected(better, seconds))
    if (feed === 'pumpportal')
      return isLeftOut
        ? this.#waited(seconds)
        : [...this.ended(), ...this.#reserveTrades.withoutRepeats(events, true)]
    const [signature = ''] = events.map(signatureOf)
    if (isLeftOut) {
      this.#waiting.push({ signature, events, seconds })
      return this.#waited(seconds)
    }
    // First, as the better feed knows the place: the same transaction may be among those that waited.
    const own = this.#ofChain(signature, events)
    return [...(rank === 0 ? this.#waited(seconds) : this.ended()), ...own]
  }

  /** Everything that waits counts: the better feed brings nothing more, as at the end. */
  ended(): readonly FeedEvent[] {
    return this.#release(this.#waiting.length)
  }

  /** What has waited for long enough. */
  #waited(nowSeconds: number): readonly FeedEvent[] {
    const isYoung = ({ seconds }: WaitingFrame) => isClose(seconds, nowSeconds)
    const young = this.#waiting.findIndex(isYoung)
    const count = young < 0 ? this.#waiting.length : young
    return this.#release(Math.max(count, this.#waiting.length - WAITING_MAX))
  }

  #release(count: number): readonly FeedEvent[] {
    const uncounted = this.#waiting
      .splice(0, count)
      .filter(({ signature }) => !this.#counted.has(signature))
    return uncounted.flatMap(({ signature, events }) => this.#ofChain(signature, events))
  }

  #ofChain(signature: string, events: readonly FeedEvent[]): readonly FeedEvent[] {
    this.#counted.set(signature, true)
    return this.#reserveTrades.withoutRepeats(events.filter(this.#isFirst), false)
  }

  /** Repeats are dropped here: the engine knows no repeat of an event that was left out. */
  readonly #isFirst = (event: FeedEvent): boolean => {
    if (event.type !== 'swap') return true
    const identity = `${event.signature} ${event.ordinal}`
    if (this.#seenOnChain.has(identity)) return false
    this.#seenOnChain.set(identity, true)
    return true
  }

  /** Later frames count as well as earlier ones: files of one time may be one behind the other. */
  #isConnected(feed: string, seconds: number): boolean {
    const newest = this.#newestSeconds.get(feed)
    return newest !== undefined && isClose(newest, seconds)
  }
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= CONNECTED_SECONDS
}

function signatureOf(event: FeedEvent): string {
  return 'signature' in event ? event.signature : ''
}
