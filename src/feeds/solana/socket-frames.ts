import { integerAt, isRecord, jsonOf, recordAt, textAt } from '../../base/json-access.ts'
import { transactionOfLogsFrame } from '../chain/transactions/rpc-json.ts'
import type { ChainTransaction } from '../chain/transactions/transaction.ts'
import type { RawFrames } from '../raw-frames.ts'
import type { Receiver } from '../supervisor/source.ts'
import type { LogReader, LogReading } from './log-reader.ts'

/** Name of the source, in FEED and in recordings. */
export const SOLANA = 'solana'
/** Ids of the subscriptions; the last is of help and may be refused. */
export const [PUMP_ID, AMM_ID, SLOTS_ID] = [1, 2, 3]

/** Frames of what the connection is for. */
const SIGNS_OF_LIFE: readonly LogFrame['kind'][] = ['logs', 'failed', 'acknowledged']
/** Each program has a hundred frames a second: a subscription that is silent for so long is dead. */
const SILENCE_MS = 5_000

type Acknowledged = Extract<LogFrame, { kind: 'acknowledged' }>

/** The frames of one connection, to what they mean. */
export class SocketFrames {
  readonly #reading: LogReading
  readonly #rawFrames: RawFrames | null
  readonly #isResumed: boolean
  readonly #watch = new SubscriptionWatch()
  readonly #acknowledged = new Set<number>()
  /** When the first log frame came. */
  #firstMs: number | null = null
  /** Without slot notifications the frames themselves say how far the chain is. */
  #hasSlots = true
  #slotMs: number

  /**
   * @param isResumed whether slots were handed over before: what this connection lacks at its
   *   beginning is then filled
   */
  constructor(reading: LogReading, rawFrames: RawFrames | null, isResumed: boolean) {
    this.#reading = reading
    this.#isResumed = isResumed
    this.#rawFrames = rawFrames
    this.#slotMs = reading.timers.nowMs()
  }

  /** From this slot on frames may be missing when nothing more comes; null: there were none. */
  get openFrom(): number | null {
    return this.#watch.openFrom
  }

  /** Why the connection is of no use, in one sentence; null: it is. */
  read(bytes: Buffer, reader: LogReader, receiver: Receiver): string | null {
    const { counters, own } = this.#reading
    counters.lines++
    this.#rawFrames?.frame(SOLANA, bytes.toString('utf8'))
    const frame = readLogFrame(bytes)
    // Slots and heartbeats are no life: the subscriptions of logs may be dead behind them.
    if (SIGNS_OF_LIFE.includes(frame.kind)) receiver.alive()
    if (frame.kind === 'failed') {
      own.failedFrames++
      counters.failedTransactions++
      if (frame.slot === null || !receiver.admits(frame.slot)) return null
      this.#reach(frame.slot, reader)
      reader.touch(frame.slot)
      return this.#watched(frame.subscription, frame.slot, reader)
    }
    if (frame.kind === 'logs' && frame.transaction.slot !== null) {
      const { slot } = frame.transaction
      if (!receiver.admits(slot)) return null
      this.#reach(slot, reader)
      reader.read(slot, frame.transaction, frame.subscription)
      return this.#watched(frame.subscription, slot, reader)
    }
    if (frame.kind === 'slot') {
      if (!receiver.admits(frame.slot)) return null
      this.#hasSlots = true
      this.#slotMs = this.#reading.timers.nowMs()
      reader.reached(frame.slot, frame.parentSlot)
    } else if (frame.kind === 'acknowledged') this.#acknowledge(frame, reader, receiver)
    else if (frame.kind === 'bad') {
      own.badFrames++
      counters.badLines++
    } else if (frame.kind === 'refused') return this.#refuse(frame.id, frame.reason)
    return null
  }

  #reach(slot: number, reader: LogReader): void {
    const { own, timers } = this.#reading
    // One that is acknowledged and says nothing would keep every slot open.
    if (this.#hasSlots && timers.nowMs() - this.#slotMs > SILENCE_MS) {
      this.#hasSlots = false
      own.silentSubscriptions++
    }
    if (!this.#hasSlots) reader.reached(slot, null)
  }

  #watched(subscription: string | null, slot: number, reader: LogReader): string | null {
    const { own, timers } = this.#reading
    const nowMs = timers.nowMs()
    this.#firstMs ??= nowMs
    // The frames of the other one would keep a connection that never begins alive without end.
    if (!this.#isSubscribed && nowMs - this.#firstMs > SILENCE_MS)
      return `the server has not answered both logsSubscribe for ${SILENCE_MS / 1000} s`
    const silent = this.#watch.came(subscription, reader.hasReached(slot) ? slot : null, nowMs)
    if (this.#isSubscribed && this.#watch.haveBegun(subscription)) reader.subscribed()
    if (silent === null) return null
    own.silentSubscriptions++
    return `the subscription of ${silent} has gone silent`
  }

  #acknowledge({ id, subscription }: Acknowledged, reader: LogReader, receiver: Receiver): void {
    this.#acknowledged.add(id)
    const name = id === PUMP_ID ? 'pump' : 'pump_amm'
    if (subscription !== null && id !== SLOTS_ID)
      this.#watch.add(subscription, name, this.#reading.timers.nowMs())
    if (!this.#isSubscribed || id === SLOTS_ID) return
    if (!this.#isResumed) reader.subscribed()
    receiver.connected()
  }

  get #isSubscribed(): boolean {
    return this.#acknowledged.has(PUMP_ID) && this.#acknowledged.has(AMM_ID)
  }

  #refuse(id: number, reason: string): string | null {
    if (id !== SLOTS_ID) return `the server refuses logsSubscribe: ${reason}`
    this.#hasSlots = false
    return null
  }
}

/** Notices when one subscription of a connection has died while the other goes on. */
class SubscriptionWatch {
  readonly #byId = new Map<
    string,
    {
      readonly name: string
      lastMs: number
      /** Slot of its last frame; null: none came yet. */
      lastSlot: number | null
    }
  >()
  #firstSlot: number | null = null

  /** The slot up to which frames of all have come, and of which more may come; null: none came. */
  get openFrom(): number | null {
    let from: number | null = null
    for (const { lastSlot } of this.#byId.values()) {
      const own = lastSlot ?? this.#firstSlot
      if (own !== null) from = Math.min(from ?? own, own)
    }
    return from
  }

  add(id: string, name: string, nowMs: number): void {
    this.#byId.set(id, { name, lastMs: nowMs, lastSlot: null })
  }

  /** Whether frames of all have come, as far as their ids say: an answer alone is no beginning. */
  haveBegun(id: string | null): boolean {
    if (id === null || !this.#byId.has(id)) return true
    return [...this.#byId.values()].every(({ lastSlot }) => lastSlot !== null)
  }

  /**
   * A frame came; the answer is the name of the other subscription, when that is dead.
   * @param slot null: one that the chain has not reached
   */
  came(id: string | null, slot: number | null, nowMs: number): string | null {
    this.#firstSlot ??= slot
    const own = id === null ? undefined : this.#byId.get(id)
    if (own === undefined) return null
    own.lastMs = nowMs
    own.lastSlot = slot ?? own.lastSlot
    for (const { name, lastMs } of this.#byId.values()) if (nowMs - lastMs > SILENCE_MS) return name
    return null
  }
}

/**
 * What a frame of the WebSocket says. `failed` is said of nine frames in ten, and costs two searches
 * in the bytes: nothing of such a frame is parsed.
 */
type LogFrame =
  | { readonly kind: 'failed'; readonly slot: number | null; readonly subscription: string | null }
  | {
      readonly kind: 'logs'
      readonly transaction: ChainTransaction
      readonly subscription: string | null
    }
  | { readonly kind: 'slot'; readonly slot: number; readonly parentSlot: number | null }
  | { readonly kind: 'acknowledged'; readonly id: number; readonly subscription: string | null }
  | { readonly kind: 'refused'; readonly id: number; readonly reason: string }
  | { readonly kind: 'other' | 'bad' }

/** Inside of texts quotes are escaped, so these stand for the key of the frame itself. */
const FAILURES = [Buffer.from('"err":{'), Buffer.from('"err":"')]
const SLOT_KEY = Buffer.from('"slot":')
const SUBSCRIPTION_KEY = Buffer.from('"subscription":')
const RESULT_KEY = Buffer.from('"result":')
/** A number, or a text. */
const ID = /^\s*(?:(\d+)|"([^"]+)")/
/** Most bytes that are looked at for an id. */
const ID_BYTES_MAX = 64
/** Nodes write slot and subscription before and behind the logs; servers between write them anew, on either side. */
const HEAD_BYTES = 256
const TAIL_BYTES = 128

export function readLogFrame(bytes: Buffer): LogFrame {
  if (FAILURES.some((failure) => bytes.includes(failure))) {
    const [head, tail] = [bytes.subarray(0, HEAD_BYTES), bytes.subarray(-TAIL_BYTES)]
    return {
      kind: 'failed',
      slot: numberBehind(head, SLOT_KEY) ?? numberBehind(tail, SLOT_KEY),
      subscription: idBehind(tail, SUBSCRIPTION_KEY) ?? idBehind(head, SUBSCRIPTION_KEY),
    }
  }
  const frame = jsonOf(bytes.toString('utf8'))
  if (frame === undefined) return { kind: 'bad' }
  const method = textAt(frame, 'method')
  if (method === 'logsNotification') return logs(frame, idBehind(bytes, SUBSCRIPTION_KEY))
  if (method === 'slotNotification') {
    const result = recordAt(recordAt(frame, 'params'), 'result')
    const slot = integerAt(result, 'slot')
    return slot === null
      ? { kind: 'bad' }
      : { kind: 'slot', slot, parentSlot: integerAt(result, 'parent') }
  }
  const id = integerAt(frame, 'id')
  if (id === null || !isRecord(frame)) return { kind: 'other' }
  const error = recordAt(frame, 'error')
  if (error === null) return { kind: 'acknowledged', id, subscription: idBehind(bytes, RESULT_KEY) }
  return { kind: 'refused', id, reason: textAt(error, 'message') ?? 'without a reason' }
}

function logs(frame: unknown, subscription: string | null): LogFrame {
  const transaction = transactionOfLogsFrame(frame)
  if (transaction === null) return { kind: 'bad' }
  if (transaction.failed) return { kind: 'failed', slot: transaction.slot, subscription }
  return { kind: 'logs', transaction, subscription }
}

/** The number behind a key, read off some bytes of a frame; null: it is not there. */
function numberBehind(bytes: Buffer, key: Buffer): number | null {
  const at = bytes.indexOf(key)
  if (at < 0) return null
  const value = Number.parseInt(bytes.toString('latin1', at + key.length), 10)
  return Number.isSafeInteger(value) ? value : null
}

/**
 * The id behind a key, as it is written: a u64 of which a number would keep 53 bits, and two
 * subscriptions might look like one.
 */
function idBehind(bytes: Buffer, key: Buffer): string | null {
  const at = bytes.indexOf(key)
  if (at < 0) return null
  const start = at + key.length
  const [, digits, text] = ID.exec(bytes.toString('latin1', start, start + ID_BYTES_MAX)) ?? []
  return digits ?? text ?? null
}
