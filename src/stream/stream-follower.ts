import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import { StoreError } from '../store/disk/failure.ts'
import type { NatsStream, StreamHead, StreamReading } from './nats-stream.ts'
import { damaged, type ReadMessage, readMessage, type StreamPlace } from './stream-message.ts'
import { WAITING_BYTES_MAX } from './stream-writer.ts'

/** The leader is asked so often how far the stream is. */
const LOOK_EVERY_MS = 500
/** No message for so long though the stream goes on: the reading is dead, whatever the client says of it. */
const SILENT_MS = 1_000
/** The stream is asked again so long after it gave no answer. */
const ASK_AGAIN_MS = 250
/** Looks that have to find the stream shorter than it was before that is believed. */
const LOOKS_BEFORE_LOST = 3
/** Folded at once between two turns of the loop. */
const SLICE_MS = 4
/**
 * A run that fills a gap is taken for cut off when the stream has brought nothing for so long: a takeover or a new leader of
 * NATS takes less.
 */
const RUN_SILENT_MS = 10_000
/** Heads of the stream that are remembered, one a look, to tell how old the oldest missing message is. */
const HEADS_MAX = 7_200

/** What messages are handed to, in order. */
export interface StreamTarget {
  /** Events that it holds. */
  readonly seq: number
  /** Of the stream that it is a copy of; null: it has none yet. */
  readonly epoch: string | null
  /** Are all messages of a run that fills a gap handed over at once? Else each is alone. */
  readonly takesRunsWhole: boolean
  /**
   * Takes messages, in one turn of the loop.
   * @throws StoreError when it cannot take them
   */
  take(messages: readonly ReadMessage[]): void
}

/** How far behind the stream a follower is. */
export interface StreamLag {
  /** Messages that it has not folded, as far as the last look knows. */
  readonly messages: number
  /** Events in them, as far as the last look knows. */
  readonly events: number
  /** How long the oldest of them has been in the stream at least. */
  readonly ms: number
  /** Since when the leader gave no answer, in ms; 0: it does. */
  readonly unreachedMs: number
}

/**
 * Follows the stream from where the target stands. The sequence of a message proves nothing, since a stream that is deleted
 * and made anew counts from 1 again: each message has to go on where the one before it ended, by epoch, position and sum.
 * A reading that is silent while the stream goes on is begun anew behind what was read.
 *
 * While a run that fills a gap is folded, the events behind the gap are taken back: its messages are held until its end is
 * there, or the settings of another term are, and handed over together. Held messages count as not folded. Where the end
 * does not come, or more is held than a writer keeps, the run is handed over as it is; what comes of it then is folded event
 * by event, which ends in the same state.
 */
export class StreamFollower {
  readonly #stream: Pick<NatsStream, 'head' | 'message' | 'read'>
  readonly #target: StreamTarget
  readonly #clockMs: () => number
  #created: string | null = null
  /** Sequence of the next message; 0: it is not known yet. */
  #next = 0
  /** Messages of a run that fills a gap, in order; the last of them is the last one that was read. */
  #held: ReadMessage[] = []
  #heldBytes = 0
  readonly #heldBytesMax: number
  #heldSinceMs = Number.POSITIVE_INFINITY
  /** Since when the stream, which can be asked, brings nothing of the run. */
  #runSilentSinceMs = 0
  #isRunCut = false
  /** Of the last frame; null: nothing has been read since the start. */
  #crc: number | null = null
  #heads: { readonly last: number; readonly atMs: number }[] = []
  #headSeq: number | null = null
  #reachedAtMs: number
  #takenAtMs = 0
  #reading: StreamReading | null = null
  #isStopped = false
  /** Why it waits, in one sentence; null: it reads. */
  waiting: string | null = 'The stream has not been asked yet.'

  constructor(
    stream: Pick<NatsStream, 'head' | 'message' | 'read'>,
    target: StreamTarget,
    clockMs: () => number = () => performance.now(),
    heldBytesMax = WAITING_BYTES_MAX,
  ) {
    this.#stream = stream
    this.#target = target
    this.#clockMs = clockMs
    this.#heldBytesMax = heldBytesMax
    this.#reachedAtMs = clockMs()
  }

  /**
   * Follows until `stop`, over every loss of servers.
   * @throws StoreError when the stream is not the one that the target is a copy of, or does not go on where it ends
   */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const from = await this.#place()
      if (from === null) return
      if (this.#isRunCut && this.hasRead && !this.#isStopped) this.#endRun()
      this.#isRunCut = false
      await this.#read(from)
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#reading?.close()
  }

  /** Stops, and hands over what it holds: whoever wrote it writes no more. */
  end(): void {
    this.stop()
    this.#endRun()
  }

  /** Is everything folded that the last look has seen? */
  get isCaughtUp(): boolean {
    return this.hasRead && this.#held.length === 0
  }

  /** Is everything read that the last look has seen? Some of it may be held. */
  get hasRead(): boolean {
    const newest = this.#heads.at(-1)
    return newest !== undefined && this.#next > newest.last
  }

  /** Sequence of the first message that the target does not have; 0: it is not known yet. */
  get #nextFolded(): number {
    return this.#held[0]?.header.index ?? this.#next
  }

  /** Where the target goes on, and a writer where nothing is held; null: nothing was read yet. */
  get place(): (Omit<StreamPlace, 'epoch'> & { readonly created: string }) | null {
    if (this.#created === null || this.#next === 0) return null
    const crc = this.#held[0]?.header.previousCrc ?? this.#crc ?? 0
    return { created: this.#created, index: this.#nextFolded, seq: this.#target.seq, crc }
  }

  /** Events of the stream, where that is known. */
  get lag(): StreamLag {
    const nowMs = this.#clockMs()
    const next = this.#nextFolded
    const newest = this.#heads.at(-1)
    const missing = this.#heads.find(({ last }) => last >= next)
    const sinceMs = Math.min(missing?.atMs ?? Number.POSITIVE_INFINITY, this.#heldSinceMs)
    const isBehind = Number.isFinite(sinceMs)
    const endSeq = Math.max(this.#headSeq ?? 0, this.#held.at(-1)?.endSeq ?? 0)
    const unreachedMs = nowMs - this.#reachedAtMs
    return {
      messages: Math.max(this.#next, newest === undefined ? 0 : newest.last + 1) - next,
      events: isBehind ? Math.max(0, endSeq - this.#target.seq) : 0,
      ms: isBehind ? Math.round(nowMs - sinceMs) : 0,
      unreachedMs: unreachedMs < 2 * LOOK_EVERY_MS ? 0 : Math.round(unreachedMs),
    }
  }

  /**
   * Where the target stands in the stream as it is now: the first message that may have what it lacks.
   * @throws StoreError as `run`; Error when there is no answer
   */
  async find(): Promise<{ readonly next: number; readonly head: StreamHead } | null> {
    const head = await this.#stream.head()
    return head === null ? null : { next: await this.#found(head), head }
  }

  /** One look at the leader; false: it gave no answer, or the stream is not the one that is followed any more. */
  async look(): Promise<boolean> {
    try {
      const next = this.#next
      const head = await this.#stream.head()
      this.#reachedAtMs = this.#clockMs()
      if (head === null || head.created !== this.#created || head.last < next - 1) {
        // A quiet stream would never tell: `#place` says what has become of it.
        this.#reading?.close()
        return false
      }
      await this.#seen(head)
      return true
    } catch (error) {
      this.waiting = messageOf(error)
      return false
    }
  }

  async #seen(head: StreamHead): Promise<void> {
    const next = this.#nextFolded
    while (this.#heads.length > 0 && (this.#heads[0]?.last ?? 0) < next) this.#heads.shift()
    if (this.#heads.at(-1)?.last !== head.last || this.#heads.length === 0)
      this.#heads.push({ last: head.last, atMs: this.#clockMs() })
    if (this.#heads.length > HEADS_MAX) this.#heads.splice(1, 1)
    if (head.last < this.#next || head.messages === 0) return
    const newest = await this.#stream.message(head.last)
    if (newest !== null) this.#headSeq = readMessage(newest, head.last).endSeq
  }

  /** The message to go on with; null: it was stopped. */
  async #place(): Promise<number | null> {
    let looks = 0
    while (!this.#isStopped)
      try {
        const head = await this.#stream.head()
        this.#reachedAtMs = this.#clockMs()
        // A leader may be a moment behind the server that messages were read from.
        const isBehind = head?.created === this.#created && head.last < this.#next - 1
        if (isBehind && ++looks < LOOKS_BEFORE_LOST) {
          await sleep(ASK_AGAIN_MS)
        } else if (head !== null) {
          const from = this.#next === 0 ? await this.#found(head) : await this.#again(head)
          await this.#seen(head)
          return from
        } else if (this.#created !== null) throw madeAnew()
        else {
          this.waiting = 'There is no such stream yet: no sequencer has made it.'
          await sleep(ASK_AGAIN_MS)
        }
      } catch (error) {
        if (error instanceof StoreError) throw error
        this.waiting = messageOf(error)
        await sleep(ASK_AGAIN_MS)
      }
    return null
  }

  /** @throws StoreError when what comes next is not there any more */
  async #again(head: StreamHead): Promise<number> {
    if (head.created !== this.#created) throw madeAnew()
    if (head.last < this.#next - 1) throw lost(head.last, this.#next - 1)
    if (head.messages > 0 && head.first > this.#next) throw gone(this.#target.seq)
    // A reading passes over one that was taken out: it would be begun anew for ever.
    if (head.last >= this.#next) await this.#header(this.#next)
    return this.#next
  }

  /** The first message that the target does not have, by the positions in their headers. */
  async #found(head: StreamHead): Promise<number> {
    const { seq, epoch } = this.#target
    this.#created = head.created
    if (head.messages === 0) return this.#begun(head.last + 1)
    const first = await this.#header(head.first)
    if (epoch !== null && first.header.epoch !== epoch) throw otherEpoch()
    if (first.header.firstSeq > seq) throw gone(seq)
    const last = await this.#header(head.last)
    if (last.endSeq < seq) throw lost(last.endSeq, seq)
    let [low, high] = [head.first, head.last + 1]
    // The first one that begins at the target's seq or behind it: what the one before it holds may be new in part.
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((await this.#header(middle)).header.firstSeq < seq) low = middle + 1
      else high = middle
    }
    return this.#begun(Math.max(head.first, low - 1))
  }

  #begun(next: number): number {
    this.#next = next
    return next
  }

  /** @throws StoreError when it is not there, Error when there is no answer */
  async #header(index: number): Promise<ReadMessage> {
    const stored = await this.#stream.message(index)
    if (stored === null) throw damaged(index, 'is not there, though messages before it are')
    return readMessage(stored, index)
  }

  /** Reads until it has to be begun anew. */
  async #read(from: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    try {
      const reading = await this.#stream.read(from)
      this.#reading = reading
      if (this.#isStopped) reading.close()
      this.#takenAtMs = this.#clockMs()
      this.#runSilentSinceMs = this.#takenAtMs
      timer = setInterval(() => void this.#watch(reading), LOOK_EVERY_MS)
      this.waiting = null
      let sliceEndMs = this.#clockMs() + SLICE_MS
      for await (const { seq, data } of reading.messages) {
        if (this.#isStopped || seq !== this.#next) break
        this.#take(readMessage(data, seq))
        if (this.#clockMs() < sliceEndMs) continue
        await setImmediate()
        sliceEndMs = this.#clockMs() + SLICE_MS
      }
    } catch (error) {
      if (error instanceof StoreError) throw error
      this.waiting = messageOf(error)
      await sleep(ASK_AGAIN_MS)
    } finally {
      clearInterval(timer)
      this.#reading?.close()
      this.#reading = null
    }
  }

  #take(message: ReadMessage): void {
    const { header, crc } = message
    const before = this.#held.at(-1)
    const seq = before?.endSeq ?? this.#target.seq
    const epoch = before?.header.epoch ?? this.#target.epoch
    if (epoch !== null && header.epoch !== epoch) throw otherEpoch()
    if (header.firstSeq > seq)
      throw damaged(header.index, `begins at seq ${header.firstSeq}, not at ${seq}`)
    // 0: the one before had expired when this was written.
    if (this.#crc !== null && ![0, this.#crc].includes(header.previousCrc))
      throw damaged(header.index, 'does not go on where the message before it ends')
    const isInRun = message.endsInRun ?? before !== undefined
    if (isInRun && this.#target.takesRunsWhole) this.#hold(message)
    else this.#handOver([...this.#held, message])
    this.#crc = crc
    this.#next += 1
    this.#takenAtMs = this.#clockMs()
    this.#runSilentSinceMs = this.#takenAtMs
  }

  #hold(message: ReadMessage): void {
    this.#held.push({ ...message, bytes: message.bytes.slice() })
    this.#heldBytes += message.bytes.length
    this.#heldSinceMs = Math.min(this.#heldSinceMs, this.#clockMs())
    if (this.#heldBytes > this.#heldBytesMax) this.#endRun()
  }

  /** Its end is not waited for any more. */
  #endRun(): void {
    if (this.#held.length > 0) this.#handOver(this.#held)
  }

  #handOver(messages: readonly ReadMessage[]): void {
    this.#target.take(messages)
    this.#held = []
    this.#heldBytes = 0
    this.#heldSinceMs = Number.POSITIVE_INFINITY
  }

  /** Ends a reading that is silent though there are messages. */
  async #watch(reading: StreamReading): Promise<void> {
    const isAsked = await this.look()
    if (!isAsked) this.#runSilentSinceMs = this.#clockMs()
    if (!isAsked || this.#reading !== reading) return
    this.waiting = null
    const nowMs = this.#clockMs()
    if (!this.hasRead && nowMs - this.#takenAtMs > SILENT_MS) reading.close()
    if (this.#held.length === 0 || nowMs - this.#runSilentSinceMs <= RUN_SILENT_MS) return
    this.#isRunCut = true
    reading.close()
  }
}

function otherEpoch(): StoreError {
  return new StoreError(
    'stream',
    'The stream has another epoch than this state: it was begun anew, or is that of another market.',
  )
}

function madeAnew(): StoreError {
  return new StoreError('stream', 'The stream was deleted, or made anew, while it was followed.')
}

function lost(last: number, before: number): StoreError {
  return new StoreError(
    'damaged',
    `The stream ends at ${last}, though it had been at ${before}: NATS has lost what it had taken (sync_interval: always ` +
      'keeps it from that). Delete the stream: a sequencer then begins a new one where its folder ends.',
  )
}

function gone(seq: number): StoreError {
  return new StoreError(
    'stream',
    `The stream no longer has what comes behind seq ${seq}: NATS_KEEP was shorter than the time without it.`,
  )
}
