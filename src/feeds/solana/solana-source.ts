/**
 * feeds/solana: FEED=solana. In: log notifications over a WebSocket, blocks and accounts over JSON-RPC. Out: transactions by slot.
 * `SocketFrames` reads frames, `LogReader` makes transactions of logs, `BlockReader` reads whole slots from blocks, `PoolResolver`
 * looks up the mints of pools. What logs lack (a cut log, an unknown pool) is fetched, or its slot is read from the block.
 * `TokenLife` is no part of the source: it fetches one token of the past by its signatures.
 */

import { LRUCache } from 'lru-cache'
import type { WebSocket } from 'ws'
import { integerAt, isRecord, jsonOf, recordAt, textAt } from '../../base/json-access.ts'
import { totals } from '../../base/safe-text.ts'
import type { SolanaSetting } from '../../config/source-settings.ts'
import { AMM_PROGRAM, COMMITMENT, PUMP_PROGRAM } from '../chain/layouts/programs.ts'
import { ChainNormaliser } from '../chain/normalise.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import { transactionOfLogsFrame } from '../chain/transactions/rpc-json.ts'
import type { ChainTransaction } from '../chain/transactions/transaction.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { isTooLong, peerSocket } from '../peer-socket.ts'
import type { RawFrames } from '../raw-frames.ts'
import { secretsOf } from '../secrets.ts'
import type { Receiver, SlotReceiver, Source } from '../supervisor/source.ts'
import { REAL_TIMERS, type Timers } from '../timers.ts'
import { BlockReader } from './block-reader.ts'
import { FrameCheck } from './frame-check.ts'
import { LogReader, type LogReading, newLogCounters } from './log-reader.ts'
import { PoolResolver } from './pool-resolver.ts'
import { RpcClient, type RpcPace } from './rpc-client.ts'
import { RpcQuestions } from './rpc-questions.ts'

/** The logs of a confirmed slot come in one burst. */
const SETTLE_MS = 60
/** Longest frame: logs end at 10 KB, so nothing that is meant for us comes near it. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024
/** Slots remembered that were asked for, more than are open at once; past it the oldest are forgotten. */
const ASKED_MAX = 2_048

/** FEED=solana: the logs of both programs over a WebSocket, and blocks over HTTP. */
export class SolanaSource implements Source {
  readonly name = SOLANA
  readonly isDegraded = false
  readonly secrets: readonly string[]
  readonly #wsUrl: string
  readonly #frameBytesMax: number
  readonly #rawFrames: RawFrames | null
  readonly #isByBlocks: boolean
  readonly #rpc: RpcClient
  readonly #pools: PoolResolver
  readonly #blocks: BlockReader
  readonly #reading: LogReading
  readonly #check = new FrameCheck()
  readonly #own = newLogCounters()

  constructor(
    options: SolanaSetting & {
      readonly counters: FeedCounters
      /** Reports events that no layout knows. */
      readonly forms?: NewForms
      readonly rawFrames?: RawFrames
      readonly timers?: Timers
      readonly settleMs?: number
      readonly frameBytesMax?: number
      /** How fast the server is asked. */
      readonly pace?: RpcPace
    },
  ) {
    const { counters, forms, timers = REAL_TIMERS, settleMs = SETTLE_MS } = options
    this.#wsUrl = options.wsUrl
    this.#frameBytesMax = options.frameBytesMax ?? FRAME_BYTES_MAX
    this.#rawFrames = options.rawFrames ?? null
    this.#isByBlocks = options.blocks === 'all'
    this.secrets = [...secretsOf(options.rpcUrl), ...secretsOf(options.wsUrl)]
    this.#rpc = new RpcClient(options.rpcUrl, timers, options.pace)
    const questions = new RpcQuestions(this.#rpc)
    const normaliser = new ChainNormaliser(counters, forms)
    const pools = new PoolResolver(questions, normaliser.pools, timers)
    this.#pools = pools
    const reading = { questions, normaliser, pools, counters, check: this.#check, timers }
    this.#blocks = new BlockReader(reading)
    this.#reading = { ...reading, own: this.#own, settleMs, isByBlocks: this.#isByBlocks }
  }

  figures(): Readonly<Record<string, number>> {
    const { repeated, missed, misplaced, disordered } = this.#check.counters
    return {
      ...totals(this.#own),
      pools_resolved_total: this.#pools.resolved,
      pools_unresolved_total: this.#pools.failed,
      frames_repeated_total: repeated,
      frames_missed_total: missed,
      frames_misplaced_total: misplaced,
      slots_disordered_total: disordered,
      blocks_total: this.#blocks.blocks,
      ...totals(this.#rpc.counters, 'rpc_'),
    }
  }

  backfill(from: number, to: number, receiver: SlotReceiver, signal: AbortSignal): Promise<void> {
    return this.#blocks.deliverRange(from, to, receiver, signal)
  }

  connect(receiver: Receiver, cursor: number | null, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = peerSocket(this.#wsUrl, this.#frameBytesMax, signal)
    const reader = new LogReader(this.#reading, receiver, this.#onWhole(receiver, signal), signal)
    const frames = new SocketFrames(this.#reading, this.#rawFrames, cursor !== null)
    let isOver = false
    socket.on('open', () => subscribe(socket))
    socket.on('message', (data) => {
      // Frames that are there already come after the end.
      if (signal.aborted || isOver) return
      const reason = frames.read(bytesOf(data), reader, receiver)
      if (reason === null) return
      isOver = true
      reject(new Error(reason))
      socket.terminate()
    })
    socket.on('error', (error) => {
      if (isTooLong(error)) this.#own.hugeFrames++
      reject(error)
    })
    socket.on('close', () => {
      reader.stop()
      // Frames of these may have been on their way: silence is all that says where a slot ends.
      const { openFrom } = frames
      if (!this.#isByBlocks && openFrom !== null && openFrom <= reader.newestWhole)
        receiver.slotsIncomplete(openFrom, reader.newestWhole)
      resolve()
    })
    return promise
  }

  /** A slot that is whole is reported, or read from its block first; in order either way. */
  #onWhole(
    receiver: Receiver,
    signal: AbortSignal,
  ): (slot: number, parentSlot: number | null) => void {
    if (!this.#isByBlocks) return (slot, parentSlot) => receiver.slotComplete(slot, parentSlot)
    const inOrder = new BlocksInOrder(this.#blocks, receiver, signal)
    return (slot, parentSlot) => inOrder.whole(slot, parentSlot)
  }
}

function subscribe(socket: WebSocket): void {
  const logs = (program: string) => [{ mentions: [program] }, { commitment: COMMITMENT }]
  const send = (id: number, method: string, params: unknown) =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  send(PUMP_ID, 'logsSubscribe', logs(PUMP_PROGRAM))
  send(AMM_ID, 'logsSubscribe', logs(AMM_PROGRAM))
  send(SLOTS_ID, 'slotSubscribe', [])
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}

/** Reads slots from their blocks as they become whole, each once, and delivers them in that order. */
class BlocksInOrder {
  readonly #blocks: BlockReader
  readonly #receiver: SlotReceiver
  readonly #signal: AbortSignal
  /** Each late frame of a slot makes it whole once more, and a question costs. */
  readonly #asked = new LRUCache<number, true>({ max: ASKED_MAX })
  #before: Promise<void> = Promise.resolve()

  constructor(blocks: BlockReader, receiver: SlotReceiver, signal: AbortSignal) {
    this.#blocks = blocks
    this.#receiver = receiver
    this.#signal = signal
  }

  /** @param parentSlot the slot before it on the chain; null: not known */
  whole(slot: number, parentSlot: number | null): void {
    if (this.#asked.has(slot)) return
    this.#asked.set(slot, true)
    const deliveries: (() => void)[] = []
    const later: SlotReceiver = {
      transaction: (transaction) => deliveries.push(() => this.#receiver.transaction(transaction)),
      slotComplete: (...place) => deliveries.push(() => this.#receiver.slotComplete(...place)),
    }
    // A block that cannot be had leaves a gap, which is filled as all others are.
    const read = this.#blocks.deliver(slot, parentSlot, later, this.#signal).catch(() => {})
    this.#before = Promise.all([this.#before, read]).then(() => {
      for (const deliver of deliveries) deliver()
    })
  }
}

/** Name of the source, in FEED and in recordings. */
const SOLANA = 'solana'
/** Ids of the subscriptions; the last is of help and may be refused. */
export const [PUMP_ID, AMM_ID, SLOTS_ID] = [1, 2, 3]

/** Frames of what the connection is for. */
const SIGNS_OF_LIFE: readonly LogFrame['kind'][] = ['logs', 'failed', 'acknowledged']
/** Each program has a hundred frames a second: a subscription that is silent for so long is dead. */
const SILENCE_MS = 5_000

/** The frames of one connection, to what they mean. */
class SocketFrames {
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

  #acknowledge(
    { id, subscription }: Extract<LogFrame, { kind: 'acknowledged' }>,
    reader: LogReader,
    receiver: Receiver,
  ): void {
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
