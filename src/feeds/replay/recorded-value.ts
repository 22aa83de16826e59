import { isRecord, type JsonRecord, jsonOf, recordAt, textAt } from '../../base/json-access.ts'
import type { FeedEvent } from '../../events/event.ts'
import { type LineError, parseEventLine, parseEventValue } from '../../events/event-lines.ts'
import { ArrivalIndexes } from '../chain/arrival-index.ts'
import { ChainNormaliser } from '../chain/normalise.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import { transactionOfLogsFrame, transactionOfRpc } from '../chain/transactions/rpc-json.ts'
import type { ChainTransaction } from '../chain/transactions/transaction.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { newPortalCounters } from '../pumpportal/portal-counters.ts'
import { PortalEvents } from '../pumpportal/portal-events.ts'
import { transactionOfUpdate } from '../yellowstone/recorded-update.ts'
import { FrameChoice, type FrameOrigin } from './frame-choice.ts'

const LOGS_METHOD = 'logsNotification'
const U32_MAX = 0xffffffff

/**
 * Events of one recorded JSON value, whichever it is: an event line, a frame of the logs
 * subscription (also wrapped as `{"t_wall": …, "raw": "…"}`), an answer of `getTransaction`, an
 * entry of a block or, wrapped, a frame of PumpPortal or an update of Yellowstone
 * (`feeds/raw-frames.ts`). Keeps what later values need: pools, curves, order of arrival.
 */
export class RecordedValues {
  readonly normaliser: ChainNormaliser
  readonly #counters: FeedCounters
  readonly #arrivals = new ArrivalIndexes()
  readonly #choice = new FrameChoice()
  readonly #portalCounters = newPortalCounters()
  #portal: PortalEvents | null = null

  /** @param forms told of events that no layout knows */
  constructor(counters: FeedCounters, forms?: NewForms) {
    this.#counters = counters
    this.normaliser = new ChainNormaliser(counters, forms)
  }

  /** Events of JSON text; an error is one sentence. Never throws. */
  eventsOfText(text: string): readonly FeedEvent[] | LineError {
    const value = jsonOf(text)
    if (value !== undefined) return this.#guarded(value)
    // Its sentence shows how the line begins.
    const line = parseEventLine(text)
    return 'error' in line ? line : [line]
  }

  /**
   * As `eventsOfText`, of a file that is one value; the items of a list count one by one. Null when
   * it is none.
   */
  eventsOfDocument(text: string): readonly (readonly FeedEvent[] | LineError)[] | null {
    const value = jsonOf(text)
    if (value === undefined) return null
    return (Array.isArray(value) ? value : [value]).map((item) => this.#guarded(item))
  }

  /** Nothing more comes: events of frames that waited whether another feed tells the same. */
  ended(): readonly FeedEvent[] {
    return this.#choice.ended()
  }

  #guarded(value: unknown): readonly FeedEvent[] | LineError {
    try {
      return this.#eventsOf(value)
    } catch (error) {
      return { error: `the value cannot be read: ${String(error)}` }
    }
  }

  #eventsOf(value: unknown): readonly FeedEvent[] | LineError {
    if (!isRecord(value) || Object.hasOwn(value, 'type')) return this.#eventLine(value)
    const found = this.#wrapped(value)
    return 'error' in found ? found : this.#choice.counted(found, originOf(value))
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
    if (!Object.hasOwn(value, 'jsonrpc')) return this.#eventLine(value)
    const result = recordAt(value, 'result')
    if (result !== null && Object.hasOwn(result, 'transaction')) return this.#transaction(result)
    // Acknowledgements, answers without a transaction, notifications of other subscriptions.
    this.#counters.ignoredLines++
    return []
  }

  #eventLine(value: unknown): readonly FeedEvent[] | LineError {
    const event = parseEventValue(value)
    return 'error' in event ? event : [event]
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
    this.#portal ??= new PortalEvents(this.#portalCounters)
    const events = this.#portal.events(frame, Math.floor(time))
    const { bogusFrames, wrongCurves, otherPlatforms, unusableFrames } = this.#portalCounters
    this.#counters.bogusFrames += bogusFrames
    this.#counters.wrongCurveFrames += wrongCurves
    this.#counters.unreadFrames += otherPlatforms + unusableFrames
    this.#counters.unusableFrames += unusableFrames
    // Several readings share the counters of the feed: these are of the next frame then.
    Object.assign(this.#portalCounters, newPortalCounters())
    return events
  }

  #withArrivalIndex(transaction: ChainTransaction): ChainTransaction {
    const { slot, signature, failed } = transaction
    if (slot === null || failed) return transaction
    return { ...transaction, txIndex: this.#arrivals.of(slot, signature) }
  }
}

/** null: it does not say where it comes from, as what other programs recorded. */
function originOf(value: JsonRecord): FrameOrigin | null {
  const feed = textAt(value, 'feed')
  const seconds = value.t_wall
  return feed === null || typeof seconds !== 'number' ? null : { feed, seconds }
}

/** What PumpPortal sends: events with a `txType`, and acknowledgements. */
function isPortalFrame(frame: JsonRecord): boolean {
  return ['txType', 'message', 'errors'].some((key) => Object.hasOwn(frame, key))
}
