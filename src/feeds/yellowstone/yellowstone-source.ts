/**
 * feeds/yellowstone: FEED=yellowstone. In: a gRPC stream of transactions, block metas and slots. Out: transactions by slot, with their
 * index in the block. `GeyserReader` reads updates, `SlotBanks` drops banks that are not the slot's block, `EmptySlots` notices a
 * stream without transactions, `ReplayRefusals` learns what the server keeps.
 */

import { once } from 'node:events'
import { status } from '@grpc/grpc-js'
import { messageOf } from '../../base/errors.ts'
import { totals } from '../../base/safe-text.ts'
import { AMM_PROGRAM, GEYSER_COMMITMENT, PUMP_PROGRAM } from '../chain/layouts/programs.ts'
import { ChainNormaliser } from '../chain/normalise.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { NO_RECORDER, type RawFrames } from '../raw-frames.ts'
import { secretsOf } from '../secrets.ts'
import { LastingRefusals } from '../supervisor/lasting-refusals.ts'
import {
  type Receiver,
  type SlotReceiver,
  SlotsUnavailable,
  type Source,
} from '../supervisor/source.ts'
import { SILENCE_MS } from '../supervisor/source-run.ts'
import { REAL_TIMERS, type Timers } from '../timers.ts'
import { EmptySlots } from './empty-slots.ts'
import { GeyserClient, type GeyserMessage, type GeyserPeer } from './geyser-client.ts'
import {
  type ChainPlace,
  GeyserReader,
  type GeyserReading,
  newGeyserCounters,
  YELLOWSTONE,
} from './geyser-reader.ts'
import type { GeyserUpdate } from './geyser-update.ts'

/** A confirmed slot comes in one burst that its block meta ends. */
const SETTLE_MS = 10
const PING = { ping: { id: 1 } }
/** Messages are read for this long in one turn of the loop: a server delivers old slots as fast as they are taken. */
const TURN_MS = 2
/** The chain makes several slots a second: a stream that delivers none whole for so long lacks what ends them. */
const NONE_WHOLE_MS = 15_000

/** Of a back-fill only what was asked for counts. */
const ANYWHERE: ChainPlace = { admits: () => true, slotSeen: () => {} }

/**
 * FEED=yellowstone: transactions of both programs, block metas and slots at commitment confirmed,
 * with index, fee and balances. After a loss it goes on where it was (`from_slot`).
 */
export class YellowstoneSource implements Source {
  readonly name = YELLOWSTONE
  readonly isDegraded = false
  readonly secrets: readonly string[]
  readonly #peer: GeyserPeer
  readonly #reading: GeyserReading
  readonly #own = newGeyserCounters()
  readonly #empty = new EmptySlots()
  readonly #refusals: ReplayRefusals
  #replays = 0
  #emptyStreams = 0

  constructor(options: {
    readonly peer: GeyserPeer
    readonly counters: FeedCounters
    /** Reports events that no layout knows. */
    readonly forms?: NewForms
    readonly rawFrames?: RawFrames
    readonly timers?: Timers
    readonly settleMs?: number
  }) {
    this.#peer = options.peer
    const { url, token } = options.peer
    this.secrets = secretsOf(url, token)
    this.#reading = {
      normaliser: new ChainNormaliser(options.counters, options.forms),
      counters: options.counters,
      own: this.#own,
      timers: options.timers ?? REAL_TIMERS,
      rawFrames: options.rawFrames ?? NO_RECORDER,
      settleMs: options.settleMs ?? SETTLE_MS,
    }
    this.#refusals = new ReplayRefusals(this.#reading.timers)
  }

  figures(): Readonly<Record<string, number>> {
    return {
      ...totals(this.#own),
      replays_total: this.#replays,
      empty_streams_total: this.#emptyStreams,
    }
  }

  async connect(receiver: Receiver, cursor: number | null, signal: AbortSignal): Promise<void> {
    // Live trades wait: another machine behind the address is asked at once, and then none for old slots.
    let isRefused = true
    while (isRefused && !signal.aborted) {
      const client = new GeyserClient(this.#peer)
      try {
        isRefused = await this.#stream(client, receiver, cursor, signal)
      } finally {
        client.close()
      }
    }
  }

  /** One stream, up to its end; whether the server does not keep the slot that it was to begin at. */
  async #stream(
    client: GeyserClient,
    receiver: Receiver,
    cursor: number | null,
    signal: AbortSignal,
  ): Promise<boolean> {
    const wanted = this.#empty.begin(cursor)
    const from = await this.#replayableFrom(client, wanted, cursor)
    if (signal.aborted) return false
    if (wanted !== null && cursor !== null && wanted < (from ?? cursor)) {
      receiver.slotsIncomplete(wanted, from === null ? cursor : from - 1)
      this.#empty.forget()
    }
    if (from !== null) this.#replays++
    return this.#listen(client, receiver, from, signal)
  }

  async #listen(
    client: GeyserClient,
    receiver: Receiver,
    from: number | null,
    signal: AbortSignal,
  ): Promise<boolean> {
    const empty = this.#empty
    const stream = client.subscribe(requestFrom(from))
    let reason: string | null = null
    const giveUp = (why: string | null) => {
      reason ??= why
      if (reason !== null) stream.cancel()
    }
    const none = `no slot was told whole for ${NONE_WHOLE_MS / 1000} s`
    const { timers } = this.#reading
    const watch = new SilenceWatch(timers, NONE_WHOLE_MS, () => giveUp(none))
    const watched: SlotReceiver = {
      transaction: (transaction) => receiver.transaction(transaction),
      slotComplete: (slot, parentSlot) => {
        // Behind a stream that was empty, one without a transaction is not whole: it would be handed over so.
        if (!empty.isDoubtful) receiver.slotComplete(slot, parentSlot)
        watch.alive()
        giveUp(empty.whole(slot, timers.nowMs()))
      },
    }
    const reader = new GeyserReader(this.#reading, watched, receiver, from)
    let isFirst = true
    let hasMessage = false
    const ended = this.#run(stream, reader, signal, (update) => {
      if (!hasMessage && from !== null) this.#refusals.succeeded()
      hasMessage = true
      if (update?.transaction !== undefined) empty.transaction(update.transaction.slot ?? 0)
      // Behind a stream that was empty, slots alone do not make one that works.
      if (isFirst && !empty.isDoubtful) {
        receiver.connected()
        isFirst = false
      }
      // Pings go on while the stream behind them stands still.
      if (update?.ping === undefined) receiver.alive()
      return reason !== null
    })
    try {
      await ended
    } catch (error) {
      if (!hasMessage && from !== null && this.#refusals.stream(error)) return true
      // A stream that is cancelled ends with an error of its own.
      if (reason === null) throw error
    } finally {
      watch.stop()
    }
    if (reason === null) return false
    this.#emptyStreams++
    throw new Error(reason)
  }

  async oldestReplayed(): Promise<number | null> {
    const client = new GeyserClient(this.#peer)
    try {
      return await client.firstAvailableSlot()
    } finally {
      client.close()
    }
  }

  async backfill(
    from: number,
    to: number,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    let hasMessage = false
    const onMessage = () => {
      if (!hasMessage) this.#refusals.succeeded()
      hasMessage = true
    }
    try {
      await this.#backfill(from, to, receiver, signal, onMessage)
    } catch (error) {
      if (!hasMessage && this.#refusals.backfill(error))
        throw new SlotsUnavailable(`the server refuses to tell them again: ${messageOf(error)}`, to)
      throw error
    }
  }

  async #backfill(
    from: number,
    to: number,
    receiver: SlotReceiver,
    signal: AbortSignal,
    onMessage: () => void,
  ): Promise<void> {
    const client = new GeyserClient(this.#peer)
    try {
      const first = await client.firstAvailableSlot()
      if (first === null || first > from)
        throw new SlotsUnavailable(
          `the server tells slots again from ${first ?? 'now'} on`,
          first === null ? null : first - 1,
        )
      let isComplete = false
      const within: SlotReceiver = {
        transaction: (transaction) => {
          if (transaction.slot >= from && transaction.slot <= to) receiver.transaction(transaction)
        },
        slotComplete: (slot, parentSlot) => {
          if (slot >= from && slot <= to) receiver.slotComplete(slot, parentSlot)
          // Without a slot at `to` the first one behind it says that there is none.
          if (slot >= to) isComplete = true
        },
      }
      const reader = new GeyserReader(this.#reading, within, ANYWHERE, from)
      const stream = client.subscribe(requestFrom(from))
      const watch = new SilenceWatch(this.#reading.timers, SILENCE_MS, () => stream.cancel())
      try {
        await this.#run(stream, reader, signal, () => {
          onMessage()
          watch.alive()
          return isComplete
        })
      } catch (error) {
        throw watch.isSilent ? new Error(`nothing came for ${SILENCE_MS / 1000} s`) : error
      } finally {
        watch.stop()
      }
      if (!isComplete && !signal.aborted) throw new Error('the server ended the stream too early')
    } finally {
      client.close()
    }
  }

  /** The slot a stream can begin at without a gap behind `cursor`; null: only at now. */
  async #replayableFrom(
    client: GeyserClient,
    wanted: number | null,
    cursor: number | null,
  ): Promise<number | null> {
    if (wanted === null || cursor === null || !this.#refusals.mayReplay) return null
    // Without an answer there is a stream all the same, or its own reason why not. What lies between
    // is a gap like any other.
    const first = await client.firstAvailableSlot().catch(() => null)
    return first !== null && first <= cursor ? Math.max(first, wanted) : null
  }

  /** Reads until the stream or the signal ends, or until `onMessage` says that it is enough. */
  async #run(
    stream: ReturnType<GeyserClient['subscribe']>,
    reader: GeyserReader,
    signal: AbortSignal,
    onMessage: (update: GeyserUpdate | null) => boolean,
  ): Promise<void> {
    let isEnough = false
    let turnEndMs = 0
    const stop = () => stream.cancel()
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    stream.on('data', (message: GeyserMessage) => {
      if (signal.aborted || isEnough) return
      if (reader.read(message)) stream.write(PING)
      isEnough = onMessage(message.update)
      if (isEnough) stream.cancel()
      else if (turnEndMs === 0) {
        turnEndMs = performance.now() + TURN_MS
        setImmediate(() => {
          turnEndMs = 0
          stream.resume()
        })
      } else if (performance.now() > turnEndMs) stream.pause()
    })
    try {
      await once(stream, 'end')
    } catch (error) {
      if (signal.aborted || isEnough) return
      if (isTooLong(error)) this.#own.hugeMessages++
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
      // A stream that is cancelled emits the error once more.
      stream.on('error', () => {})
      reader.stop()
    }
  }
}

/** The library's own refusal of a message; a server's has another text. */
function isTooLong(error: unknown): boolean {
  return error instanceof Error && error.message.includes('larger than max')
}

function requestFrom(fromSlot: number | null): object {
  return {
    transactions: {
      pump: { vote: false, failed: false, accountInclude: [PUMP_PROGRAM, AMM_PROGRAM] },
    },
    blocksMeta: { blocks: {} },
    // Without the statuses on the way a server names no dead slots.
    slots: { slots: { interslotUpdates: true } },
    commitment: GEYSER_COMMITMENT,
    ...(fromSlot !== null && { fromSlot }),
  }
}

/** Notices when nothing comes of a stream any more: behind each slot the next one follows. */
class SilenceWatch {
  readonly #timers: Timers
  readonly #silenceMs: number
  readonly #onSilence: () => void
  #cancel = () => {}
  isSilent = false

  constructor(timers: Timers, silenceMs: number, onSilence: () => void) {
    this.#timers = timers
    this.#silenceMs = silenceMs
    this.#onSilence = onSilence
    this.alive()
  }

  alive(): void {
    this.stop()
    this.#cancel = this.#timers.after(this.#silenceMs, () => {
      this.isSilent = true
      this.#onSilence()
    })
  }

  stop(): void {
    this.#cancel()
  }
}

/**
 * Codes by which servers refuse a slot that they do not keep: Yellowstone OUT_OF_RANGE (before, INTERNAL), richat
 * INVALID_ARGUMENT, LaserStream DATA_LOSS.
 */
const REFUSALS: readonly number[] = [status.OUT_OF_RANGE, status.INVALID_ARGUMENT, status.DATA_LOSS]
/**
 * Codes by which they may refuse it, or fail for any other reason: their words say which. What a server is short of for a while
 * (UNAVAILABLE, RESOURCE_EXHAUSTED) and keys are none of these.
 */
const DOUBTFUL: readonly number[] = [status.UNKNOWN, status.DEADLINE_EXCEEDED, status.INTERNAL]
/** `broadcast from 5 is not available, last available: 9`, and the like. */
const NOT_KEPT = /\bbroadcast\b.*\bnot available\b|\blast available\b/i
/** The server delivers nothing again at all. */
const NOT_SUPPORTED = /\bfrom_slot is not supported\b/i
/** Streams in a row refused at an old slot, behind which one is to begin at now. */
const STREAMS_MAX = 3
/** Of streams that failed for a reason that may or may not be a refusal, so many times more. */
const DOUBT = 2

/**
 * Counts how often a server refuses to deliver slots again that it says it has: behind one address are
 * several machines, and not all of them keep as much.
 */
export class ReplayRefusals {
  readonly #backfills: LastingRefusals
  #streams = 0

  constructor(timers: Timers) {
    this.#backfills = new LastingRefusals(timers)
  }

  /** Whether a stream is to begin at an old slot. */
  get mayReplay(): boolean {
    return this.#streams < STREAMS_MAX
  }

  /** Something came of a stream that began at an old slot. */
  succeeded(): void {
    this.#streams = 0
    this.#backfills.succeeded()
  }

  /** A stream from an old slot on has ended before anything came; whether that slot alone was the reason. */
  stream(error: unknown): boolean {
    const is = refusalOf(error)
    if (is === 'for good') this.#streams = STREAMS_MAX
    else if (is !== null) this.#streams += is === 'this slot' ? 1 : 1 / DOUBT
    return is === 'for good' || is === 'this slot'
  }

  /** The same of a back-fill; whether its slots are to be given up. */
  backfill(error: unknown): boolean {
    const is = refusalOf(error)
    return is !== null && this.#backfills.refused(is === 'for good')
  }
}

/** What a failure refuses, by its code and its words; `perhaps`: the code may mean anything. null: nothing. */
function refusalOf(error: unknown): 'for good' | 'this slot' | 'perhaps' | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return null
  const isDoubtful = DOUBTFUL.includes(error.code)
  if (!isDoubtful && !REFUSALS.includes(error.code)) return null
  if (NOT_SUPPORTED.test(error.message)) return 'for good'
  return isDoubtful && !NOT_KEPT.test(error.message) ? 'perhaps' : 'this slot'
}
