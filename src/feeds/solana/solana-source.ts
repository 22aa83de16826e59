/**
 * feeds/solana: FEED=solana. In: log notifications over a WebSocket, blocks and accounts over JSON-RPC. Out: transactions by slot.
 * `SocketFrames` reads frames, `LogReader` makes transactions of logs, `BlockReader` reads whole slots from blocks, `PoolResolver`
 * looks up the mints of pools. What logs lack (a cut log, an unknown pool) is fetched, or its slot is read from the block.
 */

import { LRUCache } from 'lru-cache'
import type { WebSocket } from 'ws'
import { totals } from '../../base/snake-case.ts'
import type { SolanaSetting } from '../../config/source-settings.ts'
import { AMM_PROGRAM, COMMITMENT, PUMP_PROGRAM } from '../chain/layouts/programs.ts'
import { ChainNormaliser } from '../chain/normalise.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { isTooLong, peerSocket } from '../peer-socket.ts'
import type { RawFrames } from '../raw-frames.ts'
import { secretsOf } from '../secrets.ts'
import type { Receiver, SlotReceiver, Source } from '../supervisor/source.ts'
import { REAL_TIMERS, type Timers } from '../timers.ts'
import { BlockReader } from './block-reader.ts'
import { FrameCheck } from './frame-check.ts'
import { type LogCounters, LogReader, type LogReading, newLogCounters } from './log-reader.ts'
import { PoolResolver } from './pool-resolver.ts'
import { RpcClient } from './rpc-client.ts'
import { RpcQuestions } from './rpc-questions.ts'
import { AMM_ID, PUMP_ID, SLOTS_ID, SOLANA, SocketFrames } from './socket-frames.ts'

/** The logs of a confirmed slot come in one burst. */
const SETTLE_MS = 60
/** Longest frame: logs end at 10 KB, so nothing that is meant for us comes near it. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024
/** Slots remembered that were asked for, more than are open at once; past it the oldest are forgotten. */
const ASKED_MAX = 2_048

interface SolanaOptions extends SolanaSetting {
  readonly counters: FeedCounters
  /** Reports events that no layout knows. */
  readonly forms?: NewForms
  readonly rawFrames?: RawFrames
  readonly timers?: Timers
  readonly settleMs?: number
  readonly frameBytesMax?: number
}

/** FEED=solana: the logs of both programs over a WebSocket, and blocks over HTTP. */
export class SolanaSource implements Source {
  readonly name = SOLANA
  readonly isDegraded = false
  readonly secrets: readonly string[]
  readonly #options: SolanaOptions
  readonly #rpc: RpcClient
  readonly #pools: PoolResolver
  readonly #blocks: BlockReader
  readonly #reading: LogReading
  readonly #check = new FrameCheck()
  readonly #own: LogCounters = newLogCounters()

  constructor(options: SolanaOptions) {
    const { counters, forms, timers = REAL_TIMERS, settleMs = SETTLE_MS } = options
    this.#options = options
    this.secrets = [...secretsOf(options.rpcUrl), ...secretsOf(options.wsUrl)]
    this.#rpc = new RpcClient(options.rpcUrl, timers)
    const questions = new RpcQuestions(this.#rpc)
    const normaliser = new ChainNormaliser(counters, forms)
    const pools = new PoolResolver(questions, normaliser.pools, timers)
    this.#pools = pools
    const reading = { questions, normaliser, pools, counters, check: this.#check, timers }
    this.#blocks = new BlockReader(reading)
    const isByBlocks = options.blocks === 'all'
    this.#reading = { ...reading, own: this.#own, settleMs, isByBlocks }
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
    const { wsUrl, frameBytesMax = FRAME_BYTES_MAX } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = peerSocket(wsUrl, frameBytesMax, signal)
    const reader = new LogReader(this.#reading, receiver, this.#onWhole(receiver, signal), signal)
    const { rawFrames = null, blocks } = this.#options
    const frames = new SocketFrames(this.#reading, rawFrames, cursor !== null)
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
      if (blocks === 'gaps' && openFrom !== null && openFrom <= reader.newestWhole)
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
    if (this.#options.blocks === 'gaps')
      return (slot, parentSlot) => receiver.slotComplete(slot, parentSlot)
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
