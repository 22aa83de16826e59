import { setTimeout as sleep } from 'node:timers/promises'
import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js'
import { SUBSCRIBE, SUBSCRIBE_REPLAY_INFO } from '../../../src/feeds/yellowstone/geyser-client.ts'
import type { Block, TestChain } from './chain-blocks.ts'
import type { Fault, FaultPlan } from './faults.ts'
import {
  blockMeta,
  ofBank,
  slotConfirmed,
  slotDead,
  slotProcessed,
  transactionUpdate,
} from './geyser-forms.ts'

/** An update, or bytes that are sent as they are. */
type Sent = object | Buffer
type Stream = ServerDuplexStream<{ fromSlot?: number; ping?: object }, Sent>

const BLOCK_MS = 1
/** After so many blocks a client that has left is known to have. */
const LOOK_BACK_BLOCKS = 5
/** A client that has stopped to read is not waited for any longer. */
const READ_TURNS_MAX = 500
/** Faults that end every stream. */
const ENDING: readonly Fault[] = ['disconnect', 'stall', 'rate limit', 'huge frame']
/** Slots that a wrong update is ahead of its own; one that is still open would be believed. */
const WRONG_BY = [1, 5, 1_000]

export interface GeyserPeerOptions {
  readonly chain: TestChain
  /** Blocks that are over when it starts. */
  readonly head?: number
  readonly plan?: FaultPlan
  /** Certificate and key, PEM. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer }
  /** Bytes of a huge frame. */
  readonly hugeBytes?: number
  /** First slot that is told again; null: none. */
  readonly firstAvailable?: number | null
  readonly token?: string
  /** From this block on the streams that are there then get slots and no transactions any more. */
  readonly isEmptyFrom?: number
  /** Before this block those that begin behind `isEmptyFrom` get none either. */
  readonly isEmptyTo?: number
  /** From this block on the streams that are there then get no updates of this kind any more. */
  readonly withoutFrom?: { readonly block: number; readonly kind: 'blockMeta' | 'slot' }
  /** All of this block is told of another slot first. */
  readonly mistaken?: { readonly block: number; readonly slot: number }
  /** Behind this block the streams end. */
  readonly cutAt?: number
  /** The same without an error, as of a server that goes down in good order. */
  readonly endsAt?: number
  /** Waits between two blocks; else they come as fast as they are read. */
  readonly pace?: () => Promise<void>
  /** What becomes of the question for the first slot, if it is not answered. */
  readonly replayInfo?: 'denied' | 'unheard' | 'unimplemented'
  /**
   * The node executes another version of each slot as well, and tells its transactions first or in between: with
   * other signatures, in a bank that is told dead in the end, or not at all any more.
   */
  readonly hasOtherBanks?: boolean
  /** With this code it refuses streams that begin at an old slot, whatever it says of its first one. */
  readonly refusesReplays?: status
}

/** A Yellowstone server that plays a chain, block by block, to whoever listens. */
export class GeyserPeer {
  readonly #options: GeyserPeerOptions
  readonly #server = new Server({ 'grpc.max_send_message_length': -1 })
  /** Pings to each listener that it has not answered. */
  readonly #streams = new Map<Stream, number>()
  readonly #emptied = new WeakSet<Stream>()
  readonly #dulled = new WeakSet<Stream>()
  #head = 0
  #refusals = 0
  #isStopped = false
  pongs = 0
  refusedTokens = 0
  /** What streams were asked for, in order. */
  readonly asked: object[] = []

  constructor(options: GeyserPeerOptions) {
    this.#options = options
    this.#head = options.head ?? 0
    this.#server.addService(
      {
        Subscribe: {
          ...SUBSCRIBE,
          responseSerialize: (value: Sent) =>
            Buffer.isBuffer(value) ? value : SUBSCRIBE.responseSerialize(value),
        },
        SubscribeReplayInfo: SUBSCRIBE_REPLAY_INFO,
      },
      {
        Subscribe: (stream: Stream) => this.#subscribed(stream),
        SubscribeReplayInfo: (
          _call: unknown,
          answer: (error: { code: number; details: string } | null, value?: object) => void,
        ) => {
          const { replayInfo } = this.#options
          if (replayInfo === 'denied')
            answer({ code: status.PERMISSION_DENIED, details: 'not in your plan' })
          if (replayInfo === 'unimplemented')
            answer({ code: status.UNIMPLEMENTED, details: 'unknown method' })
          if (replayInfo !== undefined) return
          const { firstAvailable = this.#options.chain.blocks[0].slot - 1 } = this.#options
          answer(null, firstAvailable === null ? {} : { firstAvailable })
        },
      },
    )
  }

  /** Listens; resolves with the url. */
  async start(): Promise<string> {
    const { tls } = this.#options
    const credentials =
      tls === undefined
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }])
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      )
    })
    return tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`
  }

  /** Plays the chain to its end; waits while nobody listens. */
  async play(): Promise<void> {
    const { blocks } = this.#options.chain
    while (this.#head < blocks.length && !this.#isStopped) {
      await (this.#options.pace?.() ?? sleep(BLOCK_MS))
      if (this.#streams.size === 0) continue
      await this.#allHaveRead()
      if (this.#streams.size > 0) await this.#next(blocks[this.#head])
    }
    const last = blocks[blocks.length - 1].slot
    while (!this.#isStopped) {
      // The chain goes on with slots that hold nothing of ours.
      this.#send(slotProcessed(last + 1), slotConfirmed(last + 1))
      await sleep(BLOCK_MS * 2)
    }
  }

  /** Ends every stream; so many blocks go by before anybody comes back. */
  lose(blocks: number): void {
    this.#lose(status.UNAVAILABLE)
    this.#head += blocks
  }

  stop(): void {
    this.#isStopped = true
    this.#server.forceShutdown()
  }

  #subscribed(stream: Stream): void {
    stream.on('error', () => this.#streams.delete(stream))
    stream.on('cancelled', () => this.#streams.delete(stream))
    const { token } = this.#options
    if (token !== undefined && stream.metadata.get('x-token')[0] !== token) {
      this.refusedTokens++
      stream.emit('error', { code: status.UNAUTHENTICATED, details: 'wrong x-token' })
      return
    }
    if (this.#refusals > 0) {
      this.#refusals--
      stream.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'too many requests' })
      return
    }
    stream.on('data', (request) => {
      if (request.ping !== undefined) {
        this.pongs++
        const pings = this.#streams.get(stream)
        if (pings !== undefined) this.#streams.set(stream, pings - 1)
        return
      }
      this.asked.push(request)
      const { refusesReplays } = this.#options
      if (refusesReplays !== undefined && request.fromSlot !== undefined) {
        stream.emit('error', { code: refusesReplays, details: 'broadcast is not available' })
        return
      }
      this.#streams.set(stream, 0)
      const { isEmptyFrom, isEmptyTo = 0 } = this.#options
      if (isEmptyFrom !== undefined && this.#head > isEmptyFrom && this.#head < isEmptyTo)
        this.#emptied.add(stream)
      const { blocks } = this.#options.chain
      const { parentSlot, timestamp } = blocks[0]
      // The block before the chain's first holds nothing of ours.
      const before = { slot: parentSlot, parentSlot: parentSlot - 1, timestamp, transactions: [] }
      for (const block of [before, ...blocks.slice(0, this.#head)])
        if (block.slot >= (request.fromSlot ?? Number.POSITIVE_INFINITY))
          for (const update of this.#options.hasOtherBanks === true
            ? updatesOfBanks(block)
            : updatesOf(block))
            this.#write(stream, update)
    })
    stream.on('end', () => stream.end())
  }

  #send(...updates: readonly Sent[]): void {
    for (const stream of this.#streams.keys())
      for (const update of updates) this.#write(stream, update)
  }

  #write(stream: Stream, update: Sent): void {
    if ('transaction' in update && this.#emptied.has(stream)) return
    const { kind = '' } = this.#options.withoutFrom ?? {}
    if (kind in update && this.#dulled.has(stream)) return
    if ('ping' in update) this.#streams.set(stream, (this.#streams.get(stream) ?? 0) + 1)
    stream.write(update)
  }

  /** What was not read when a stream ends was not seen by anybody. */
  async #allHaveRead(): Promise<void> {
    for (let turn = 0; turn < READ_TURNS_MAX && !this.#isStopped; turn++) {
      if ([...this.#streams.values()].every((pings) => pings <= 1)) return
      await sleep(BLOCK_MS)
    }
  }

  /** Ends every stream; what happens until somebody comes back is not seen. */
  #lose(code: status): void {
    for (const stream of [...this.#streams.keys()]) stream.emit('error', { code, details: 'lost' })
    this.#streams.clear()
    this.#head += this.#options.plan?.unseen(this.#head) ?? 0
  }

  #end(): void {
    for (const stream of this.#streams.keys()) stream.end()
    this.#streams.clear()
  }

  /** A fault counts when whoever was to see it is still listening afterwards, or was cut off by it. */
  async #next(block: Block): Promise<void> {
    const { plan } = this.#options
    const fault = plan?.at(this.#head) ?? null
    const streams = [...this.#streams.keys()]
    if (this.#head === this.#options.isEmptyFrom)
      for (const stream of streams) this.#emptied.add(stream)
    if (this.#head === this.#options.withoutFrom?.block)
      for (const stream of streams) this.#dulled.add(stream)
    const { mistaken } = this.#options
    if (this.#head === mistaken?.block) this.#send(...updatesOf({ ...block, slot: mistaken.slot }))
    this.#tell(block)
    if (this.#head === this.#options.cutAt) this.#lose(status.UNAVAILABLE)
    if (this.#head === this.#options.endsAt) this.#end()
    if (plan === undefined || fault === null) return
    await sleep(BLOCK_MS * LOOK_BACK_BLOCKS)
    const good = block.transactions.filter((transaction) => !transaction.hasFailed).length
    if (ENDING.includes(fault) || streams.some((stream) => this.#streams.has(stream)))
      plan.happened(fault, good)
  }

  #tell(block: Block): void {
    const { plan, hugeBytes = 0 } = this.#options
    const fault = plan?.at(this.#head) ?? null
    this.#head++
    const updates = this.#options.hasOtherBanks === true ? updatesOfBanks(block) : updatesOf(block)
    if (plan === undefined || fault === null || fault === 'truncate') {
      this.#send(...updates)
      return
    }
    const { random } = plan
    const half = random.below(updates.length)
    if (fault === 'drop') {
      // The block meta at least: without it the client knows that something is missing.
      const from = random.below(updates.length - 1)
      this.#send(...updates.slice(0, from), slotConfirmed(block.slot))
    } else if (fault === 'duplicate') {
      this.#send(...updates.slice(0, -2), ...updates)
    } else if (fault === 'reorder') {
      this.#send(updates[0], ...updates.slice(1, -1).reverse(), slotConfirmed(block.slot))
    } else if (fault === 'disconnect') {
      this.#send(...updates.slice(0, half))
      this.#lose(status.UNAVAILABLE)
    } else if (fault === 'stall') {
      this.#send(...updates.slice(0, half))
      this.#streams.clear()
      this.#head += plan.unseen(this.#head)
    } else if (fault === 'rate limit') {
      this.#refusals = random.between(1, 2)
      this.#lose(status.UNAVAILABLE)
    } else if (fault === 'wrong slot') {
      const { transactions } = block
      const wrong = block.slot + random.pick(WRONG_BY)
      const copies = transactions.map((transaction) => transactionUpdate(wrong, transaction))
      this.#send(
        updates[0],
        ...copies,
        blockMeta({ ...block, slot: block.slot + 5_000 }),
        ...updates,
      )
    } else if (fault === 'huge frame') {
      this.#send(...updates.slice(0, half), Buffer.alloc(hugeBytes))
      this.#streams.clear()
    } else this.#send(Buffer.from('ffffffffff', 'hex'), ...updates)
  }
}

function updatesOf(block: Block): object[] {
  return [
    slotProcessed(block.slot),
    { ping: {} },
    ...block.transactions.map((transaction) => transactionUpdate(block.slot, transaction)),
    blockMeta(block),
    slotConfirmed(block.slot),
  ]
}

/** The same with another version of the slot, half of it before the block's own and half in between. */
function updatesOfBanks(block: Block): object[] {
  const own = block.slot * 2
  const other = own + 1
  const { slot, transactions } = block
  const others = transactions.map((transaction) => {
    const signature = `${transaction.signature.slice(0, -2)}zz`
    return ofBank(other, transactionUpdate(slot, { ...transaction, signature }))
  })
  const half = others.length >> 1
  const [first, ping, ...rest] = updatesOf(block).map((update) => ofBank(own, update))
  return [
    ofBank(other, slotProcessed(slot)),
    ...others.slice(0, half),
    ...[first, ping],
    ...rest.flatMap((update, at) => [update, ...others.slice(half + at, half + at + 1)]),
    ...(slot % 2 === 0 ? [ofBank(other, slotDead(slot))] : []),
  ]
}
