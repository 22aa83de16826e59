import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import { StoreError } from '../store/disk/failure.ts'
import type { EventLog } from '../store/journal/journaled-engine.ts'
import type { NatsStream } from './nats-stream.ts'
import { MessageWriter, type StreamMessage, type StreamPlace } from './stream-message.ts'

/** Bytes that wait for the stream; past them no more events are taken, and the feeds fill the gap later. */
export const WAITING_BYTES_MAX = 64 << 20
/** Feeds that read faster than the chain wait while so much is waiting, and look again after so long. */
const ROOM_BYTES = 8 << 20
const ROOM_LOOK_MS = 5
/** What stands before a message on its way counts too. */
const HEADERS_BYTES = 512
/** The stream is asked again so long after it gave no answer or refused, and the lease looked at again. */
const ASK_AGAIN_MS = 200

type Published = Pick<NatsStream, 'publish' | 'head' | 'message' | 'messageBytesMax'>

interface StreamWriterOptions {
  readonly stream: Published
  readonly place: StreamPlace
  /** When the stream was made. */
  readonly created: string
  /** Does this process hold the lease? While it does not, messages wait. */
  readonly mayWrite: () => boolean
  /** Takes each message, in order, once the stream holds it. */
  readonly onStored: (message: StreamMessage) => void
  /** Called once, when nothing more can be written: `lost` to another writer, or with a sentence. */
  readonly onFailed: (failure: StoreError) => void
}

/**
 * Writes events to the stream, in order, each once. A lone event leaves at once; while a message has no answer, later events
 * fill the next one.
 *
 * One message is under way at a time. The sequence that it expects says how many stand before it and not whose they are: of
 * several under way, the fifth would fit behind four of another writer. The one before it is known to be this writer's own.
 *
 * Every message carries the sequence that it expects before it, so that none can be stored twice or out of order, whoever
 * else writes and however often it is sent. An error never means that a message is not stored: then nothing more is sent,
 * the leader is asked what it has, and the writer goes on behind that, or ends when it is another writer's.
 */
export class StreamWriter implements EventLog {
  readonly #options: StreamWriterOptions
  readonly #frames: MessageWriter
  /** Whole messages that the stream may not have yet, in order. */
  readonly #waiting: StreamMessage[] = []
  #waitingBytes = 0
  /** Is the first of them under way, or its fate being found out? */
  #isBusy = false
  #seq: number
  #failure: StoreError | null = null
  #trouble: string | null = null
  #isClosed = false
  #retry: NodeJS.Timeout | null = null

  constructor(options: StreamWriterOptions) {
    this.#options = options
    this.#seq = options.place.seq
    this.#frames = new MessageWriter(options.place, (message) => {
      this.#waiting.push(message)
      this.#waitingBytes += message.bytes.length
    })
  }

  /** Events that were taken, whether or not the stream has them yet. */
  get seq(): number {
    return this.#seq
  }

  /** Asked before a batch is begun: what was begun and is not committed would be sent with the next message. */
  get failure(): StoreError | null {
    return this.#failure ?? (this.#isClosed ? CLOSED : null)
  }

  /** Why the stream has not taken the first of those that wait, in one sentence; null: it was not refused. */
  get trouble(): string | null {
    return this.#trouble
  }

  /** Messages that the stream may not have yet, and their bytes. */
  get waiting(): { readonly messages: number; readonly bytes: number } {
    return { messages: this.#waiting.length, bytes: this.#waitingBytes }
  }

  /** Resolves when few enough messages wait, or none can be written any more; null: now. */
  whenRoom(): Promise<void> | null {
    if (this.#waitingBytes < ROOM_BYTES || this.failure !== null) return null
    return sleep(ROOM_LOOK_MS).then(() => this.whenRoom() ?? undefined)
  }

  begin(): MessageWriter {
    return this.#frames
  }

  /** @throws StoreError once nothing more can be written */
  commit(endSeq: number): void {
    if (this.failure !== null) throw this.failure
    this.#seq = endSeq
    if (this.#waitingBytes > WAITING_BYTES_MAX) throw this.#fail(new StoreError('stream', FULL))
    this.#send()
  }

  /** A stream needs no sync of its own. */
  keepSyncing(): void {}

  /** Resolves when the stream has everything, or when nothing more can be written; takes no more events. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true
    this.#frames.end()
    this.#send()
    const untilMs = performance.now() + withinMs
    while (this.#waiting.length > 0 && this.#failure === null && performance.now() < untilMs)
      await sleep(5)
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#failure ??= CLOSED
  }

  #send(): void {
    if (this.#isBusy || this.#retry !== null || this.#failure !== null) return
    if (!this.#options.mayWrite()) {
      this.#sendLater()
      return
    }
    if (this.#waiting.length === 0) this.#frames.end()
    const first = this.#waiting[0]
    if (first === undefined) return
    const { messageBytesMax: most } = this.#options.stream
    const bytes = first.bytes.length
    if (most > 0 && bytes + HEADERS_BYTES > most)
      this.#fail(new StoreError('stream', tooLong(bytes, most)))
    else void this.#publish(first)
  }

  #sendLater(): void {
    this.#retry = setTimeout(() => {
      this.#retry = null
      this.#send()
    }, ASK_AGAIN_MS)
  }

  async #publish(message: StreamMessage): Promise<void> {
    this.#isBusy = true
    const { index, bytes } = message
    const storedAt = await this.#options.stream.publish(bytes, index - 1).catch((error) => {
      this.#trouble = messageOf(error)
      return null
    })
    // Who has ended it does not wait for answers any more.
    if (this.#failure !== null) return
    if (storedAt !== index) return this.#settle()
    this.#stored(message)
    this.#isBusy = false
    this.#send()
  }

  /** The first of those that wait is stored. */
  #stored(first: StreamMessage): void {
    this.#trouble = null
    this.#waiting.shift()
    this.#waitingBytes -= first.bytes.length
    this.#options.onStored(first)
  }

  /** Finds out how far the stream is. */
  async #settle(): Promise<void> {
    const { length } = this.#waiting
    const reached = await this.#reached().catch(() => null)
    if (this.#failure !== null) return
    if (reached === null) {
      setTimeout(() => void this.#settle(), ASK_AGAIN_MS)
      return
    }
    if (reached === 'other') this.#fail(new StoreError('stream', OTHER_WRITER))
    this.#isBusy = false
    // A server whose disk is full refuses at once: asked at once again it would be asked without end.
    if (this.#waiting.length === length) this.#sendLater()
    else this.#send()
  }

  /** Takes off what the stream has; `other`: it has what this process did not write. Rejects without an answer. */
  async #reached(): Promise<'own' | 'other'> {
    const { stream, created } = this.#options
    const head = await stream.head()
    if (head === null || head.created !== created) return 'other'
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (head.last < first.index - 1) return 'other'
      if (head.last === first.index - 1) return 'own'
      const stored = await stream.message(first.index)
      if (stored === null || Buffer.compare(stored, first.bytes) !== 0) return 'other'
      this.#stored(first)
    }
    return 'own'
  }

  #fail(failure: StoreError): StoreError {
    if (this.#failure !== null) return this.#failure
    this.#failure = failure
    this.#options.onFailed(failure)
    return failure
  }
}

function tooLong(bytes: number, most: number): string {
  return `A message of ${bytes} bytes is more than NATS takes (${most}): set max_payload of its servers to 8MB.`
}

const CLOSED = new StoreError('stream', 'The stream is not written any more.')
const FULL =
  'NATS takes no events for so long that no more can wait: none are taken until it does; what is missed meanwhile is ' +
  'filled as after an outage.'
const OTHER_WRITER = 'The stream has messages of another sequencer: this one stands by.'
