import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { AMM_PROGRAM, PUMP_PROGRAM } from '../../../src/feeds/chain/layouts/programs.ts'
import { listening } from '../../process/free-port.ts'
import type { ChainAccounts } from './chain-accounts.ts'
import { type Block, type BlockTransaction, FAILED, type TestChain } from './chain-blocks.ts'
import { type Fault, type FaultPlan, shownIn } from './faults.ts'
import { blockAnswer, logsFrame, mentions, transactionAnswer } from './rpc-forms.ts'
import { listedSignatures, type SignatureLists } from './signature-lists.ts'

const BLOCK_MS = 1
/** 400 ms in the time of these tests. */
const TURNS_A_SLOT = 16
const SKIPPED = -32_007
const METHOD_NOT_FOUND = -32_601
const NOT_YET = -32_004
/** A client that has stopped to read is not waited for any longer. */
const READ_TURNS_MAX = 500
/** After so many blocks a client that has left is known to have. */
const LOOK_BACK_BLOCKS = 5
const ENDING: readonly Fault[] = ['disconnect', 'stall', 'huge frame']
/** Slots that a wrong frame is ahead of its own: the chain does not come there in a run. */
const WRONG_BY = 1_000

export interface SolanaPeerOptions {
  readonly chain: TestChain
  /** Blocks that are over when it starts. */
  readonly head?: number
  readonly plan?: FaultPlan
  readonly hugeBytes?: number
  /** Whether single frames are lost without a trace; else whole slots are. */
  readonly losesFrames?: boolean
  /** Whether single transactions are answered with null, as by a node without an index of them. */
  readonly hidesTransactions?: boolean
  /** Whether it does not tell the index in the answer about a transaction. */
  readonly hidesIndexes?: boolean
  /** How it lists the transactions of an address. */
  readonly lists?: SignatureLists
  /** Whether a question is answered with 429; asked at each. */
  readonly isTired?: () => boolean
  /** Whether the answer about this transaction is null this time. */
  readonly loses?: (signature: string) => boolean
  /** With this code it refuses every question of this method. */
  readonly refuses?: { readonly method: string; readonly code: number }
  /** The block of this place it never has, though it lists its slot. */
  readonly lacksBlock?: number
  /** First slot whose block is still there. */
  readonly firstBlock?: number
  /** The first question for this block is answered with the one so many behind it. */
  readonly mixedUp?: { readonly block: number; readonly by: number }
  /** From this block on the subscriptions to the AMM that are there then get nothing any more. */
  readonly deafFrom?: number
  /** Whether the first connection's subscription to the AMM is neither answered nor served. */
  readonly forgetsOne?: boolean
  /** So many blocks go by before the first connection's subscription to the AMM is served, though it is answered. */
  readonly lateBlocks?: number
  /** All of this block is told of another slot first. */
  readonly mistaken?: { readonly block: number; readonly slot: number }
  /** From this block on slot notifications are sent no more. */
  readonly isMuteFrom?: number
  /** Accounts of tokens; without them it has those of the chain alone. */
  readonly known?: ChainAccounts
  /** Waits between two blocks; else they come as fast as they are read. */
  readonly pace?: () => Promise<void>
}

interface Listener {
  /** Subscription id by program, and that of slots. */
  readonly subscriptions: Map<string, number>
  pings: number
  /** Transactions of its first block that were over when it came. */
  missed: number
  isDeaf: boolean
}

/** A Solana RPC server, HTTP and WebSocket, that plays a chain, block by block, to whoever listens. */
export class SolanaPeer {
  readonly #options: SolanaPeerOptions
  readonly #http = createServer((request, response) => void this.#request(request, response))
  readonly #sockets: WebSocketServer
  readonly #listeners = new Map<WebSocket, Listener>()
  /** Empty blocks behind the chain. */
  readonly #afterwards: Block[] = []
  #head = 0
  #refusals = 0
  #connections = 0
  #isStopped = false
  /** What of the block before comes behind the first frame of this one. */
  #late: { readonly slot: number; readonly transactions: readonly BlockTransaction[] } | null = null
  /** Questions answered, by method. */
  readonly asked = new Map<string, number>()
  /** Slots whose blocks were asked for. */
  readonly askedBlocks: number[] = []

  constructor(options: SolanaPeerOptions) {
    this.#options = options
    this.#head = options.head ?? 0
    this.#sockets = new WebSocketServer({ server: this.#http })
    this.#sockets.on('connection', (socket) => this.#connected(socket))
  }

  /** Blocks that were told. */
  get told(): number {
    return this.#head
  }

  /** Listens; resolves with host and port. */
  async start(): Promise<string> {
    return `127.0.0.1:${await listening(this.#http)}`
  }

  /** Plays the chain to its end; waits while nobody listens. */
  async play(): Promise<void> {
    const { blocks } = this.#options.chain
    while (this.#head < blocks.length && !this.#isStopped) {
      await (this.#options.pace?.() ?? sleep(BLOCK_MS))
      if (this.#listeners.size === 0) continue
      await this.#allHaveRead()
      if (this.#listeners.size > 0) await this.#next(blocks[this.#head])
    }
    const last = blocks[blocks.length - 1].slot
    for (let slot = last + 1; !this.#isStopped; slot++) {
      // The chain goes on with slots in which only failed transactions are ours.
      const block = { slot, parentSlot: slot - 1, timestamp: 0, transactions: [] }
      this.#afterwards.push(block)
      this.#sendSlot(block)
      this.#sendLogs(slot, FAILED)
      // Not faster than the chain: what waits for a look-up meanwhile is held.
      await sleep(BLOCK_MS * TURNS_A_SLOT)
    }
  }

  /** So many blocks go by while nobody listens. */
  skip(blocks: number): void {
    this.#head += blocks
  }

  /** Ends every connection; so many blocks go by before anybody comes back. */
  lose(blocks: number): void {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#listeners.clear()
    this.#head += blocks
  }

  stop(): void {
    this.#isStopped = true
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#sockets.close()
    this.#http.closeAllConnections()
    this.#http.close()
  }

  #connected(socket: WebSocket): void {
    const missed = this.#options.plan?.random.below(3) ?? 0
    const isFirst = this.#connections++ === 0
    const isForgotten = isFirst && this.#options.forgetsOne === true
    const isDeaf = isForgotten || (isFirst && this.#options.lateBlocks !== undefined)
    const listener: Listener = { subscriptions: new Map(), pings: 0, missed, isDeaf }
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data))
      const subscription = 100 + listener.subscriptions.size
      const program = method === 'logsSubscribe' ? params[0].mentions[0] : 'slots'
      listener.subscriptions.set(program, subscription)
      if (!isForgotten || program !== AMM_PROGRAM)
        socket.send(JSON.stringify({ jsonrpc: '2.0', result: subscription, id }))
      if (listener.subscriptions.size === 3) this.#listeners.set(socket, listener)
    })
    socket.on('pong', () => {
      listener.pings--
    })
    socket.on('close', () => this.#listeners.delete(socket))
    socket.on('error', () => this.#listeners.delete(socket))
  }

  async #allHaveRead(): Promise<void> {
    for (const [socket, listener] of this.#listeners) {
      listener.pings++
      socket.ping()
    }
    for (let turn = 0; turn < READ_TURNS_MAX && !this.#isStopped; turn++) {
      if ([...this.#listeners.values()].every(({ pings }) => pings === 0)) return
      await sleep(BLOCK_MS)
    }
  }

  async #next(block: Block): Promise<void> {
    const { plan } = this.#options
    const fault = plan?.at(this.#head) ?? null
    const listeners = [...this.#listeners.keys()]
    const good = block.transactions.filter((transaction) => !transaction.hasFailed)
    if (this.#head === this.#options.deafFrom)
      for (const listener of this.#listeners.values()) listener.isDeaf = true
    if (this.#head === this.#options.lateBlocks)
      for (const listener of this.#listeners.values()) listener.isDeaf = false
    const { mistaken } = this.#options
    if (this.#head === mistaken?.block)
      this.#tell({ ...block, slot: mistaken.slot }, block.transactions)
    this.#head++
    if (plan === undefined || fault === null) this.#tell(block, block.transactions)
    else {
      const missed = Math.max(0, ...[...this.#listeners.values()].map((one) => one.missed))
      const shown = shownIn(fault, block.transactions, missed).filter((one) => !one.hasFailed)
      this.#tellWrongly(block, good, fault, plan)
      for (const listener of this.#listeners.values()) listener.missed = 0
      await sleep(BLOCK_MS * LOOK_BACK_BLOCKS)
      if (ENDING.includes(fault) || listeners.some((socket) => this.#listeners.has(socket)))
        plan.happened(fault, shown.length)
    }
  }

  #tell(block: Block, transactions: readonly BlockTransaction[]): void {
    this.#sendSlot(block)
    for (const [n, transaction] of transactions.entries()) {
      this.#sendLogs(block.slot, transaction, null, n)
      this.#tellLate()
    }
    for (const listener of this.#listeners.values()) listener.missed = 0
  }

  #tellLate(): void {
    const late = this.#late
    this.#late = null
    for (const transaction of late?.transactions ?? []) this.#sendLogs(late?.slot ?? 0, transaction)
  }

  #tellWrongly(
    block: Block,
    good: readonly BlockTransaction[],
    fault: Fault,
    plan: FaultPlan,
  ): void {
    const { transactions, slot } = block
    const { random } = plan
    const half = transactions.slice(0, random.below(transactions.length))
    const { losesFrames = false, hugeBytes = 0 } = this.#options
    if (fault === 'drop') {
      // Every frame but one, or the whole slot with its notification.
      if (losesFrames && good.length > 1) this.#tell(block, good.slice(1))
      return
    }
    if (fault === 'duplicate') this.#tell(block, [...transactions, ...transactions])
    else if (fault === 'reorder') this.#tell(block, [...transactions].reverse())
    else if (fault === 'disconnect') {
      this.#tell(block, half)
      for (const socket of this.#listeners.keys()) socket.terminate()
      this.#listeners.clear()
      this.#head += plan.unseen(this.#head)
    } else if (fault === 'stall') {
      this.#tell(block, half)
      this.#listeners.clear()
      this.#head += plan.unseen(this.#head)
    } else if (fault === 'late frames') {
      this.#tell(block, [FAILED, ...half])
      this.#late = { slot, transactions: transactions.slice(half.length) }
    } else if (fault === 'truncate') {
      this.#sendSlot(block)
      // The first lines of a log are those of whoever called.
      for (const transaction of transactions)
        this.#sendLogs(slot, transaction, random.between(1, 5))
    } else if (fault === 'rate limit') {
      // Without a question there is no refusal: the slot is lost, and asked for.
      this.#refusals += random.between(1, 3)
    } else if (fault === 'wrong slot') {
      for (const transaction of good) this.#sendLogs(slot + WRONG_BY, transaction)
      this.#tell(block, transactions)
    } else if (fault === 'huge frame') {
      this.#tell(block, half)
      for (const socket of this.#listeners.keys()) socket.send('x'.repeat(hugeBytes))
      this.#listeners.clear()
    } else {
      for (const socket of this.#listeners.keys()) socket.send('{"jsonrpc":"2.0","method":"logsNo')
      this.#tell(block, transactions)
    }
  }

  #sendSlot({ slot, parentSlot }: Block): void {
    if (this.#head > (this.#options.isMuteFrom ?? Number.POSITIVE_INFINITY)) return
    for (const [socket, { subscriptions }] of this.#listeners)
      socket.send(
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'slotNotification',
          params: {
            result: { slot, parent: parentSlot, root: slot - 32 },
            subscription: subscriptions.get('slots'),
          },
        }),
      )
  }

  /** One frame for each subscription whose program is in the logs. */
  #sendLogs(
    slot: number,
    transaction: BlockTransaction,
    cutAt: number | null = null,
    place = Number.POSITIVE_INFINITY,
  ): void {
    for (const [socket, { subscriptions, missed, isDeaf }] of this.#listeners)
      for (const program of isDeaf ? [PUMP_PROGRAM] : [PUMP_PROGRAM, AMM_PROGRAM])
        if (place >= missed && mentions(transaction).includes(program))
          socket.send(
            transaction.frame ??
              logsFrame(slot, transaction, subscriptions.get(program) ?? 0, cutAt),
          )
  }

  async #request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    if (this.#refusals > 0 || this.#options.isTired?.() === true) {
      this.#refusals = Math.max(0, this.#refusals - 1)
      response.writeHead(429).end('too many requests')
      return
    }
    const { id, method, params } = JSON.parse(Buffer.concat(parts).toString())
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1)
    if (method === 'getBlock') this.askedBlocks.push(params[0])
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...this.#answer(method, params) }))
  }

  #answer(method: string, params: readonly unknown[]): object {
    const known = [...this.#options.chain.blocks.slice(0, this.#head), ...this.#afterwards]
    const { firstBlock = 0, refuses } = this.#options
    if (method === refuses?.method) return error(refuses.code, 'not from this node')
    if (method === 'getFirstAvailableBlock') return { result: firstBlock }
    if (method === 'getBlocks') {
      const [from, to] = [Math.max(Number(params[0]), firstBlock), Number(params[1])]
      return { result: known.map(({ slot }) => slot).filter((slot) => slot >= from && slot <= to) }
    }
    if (method === 'getSlot') return { result: known.at(-1)?.slot ?? 0 }
    if (method === 'getBlockTime') {
      const block = known.find(({ slot }) => slot === params[0])
      return block === undefined ? error(SKIPPED, 'skipped') : { result: block.timestamp }
    }
    if (method === 'getBlock') return this.#block(Number(params[0]), known)
    if (method === 'getTransaction') return { result: this.#transaction(params[0], known) }
    if (method === 'getSignaturesForAddress')
      return { result: listedSignatures(known, params, this.#options.lists ?? {}) }
    // What is told of is in the engine: blocks behind the chain have nothing of ours.
    const slot = this.#options.chain.blocks[this.#head - 1]?.slot ?? 0
    const told = this.#options.known?.answer(method, params, slot) ?? null
    if (told !== null) return { result: told }
    if (method !== 'getMultipleAccounts') return error(METHOD_NOT_FOUND, 'Method not found')
    const [addresses] = params
    if (!Array.isArray(addresses)) return error(METHOD_NOT_FOUND, 'no addresses')
    const value = addresses.map((address) => {
      const data = this.#options.chain.accounts.get(String(address))
      return data === undefined ? null : { data: [data.toString('base64'), 'base64'] }
    })
    return { result: { context: { slot: 1 }, value } }
  }

  #transaction(signature: unknown, known: readonly Block[]): object | null {
    const { hidesTransactions, hidesIndexes, loses } = this.#options
    if (hidesTransactions || loses?.(String(signature))) return null
    for (const block of known)
      for (const transaction of block.transactions) {
        if (transaction.signature !== signature) continue
        const { transactionIndex, ...rest } = transactionAnswer(block, transaction)
        return hidesIndexes ? rest : { ...rest, transactionIndex }
      }
    return null
  }

  /** -1: it is not there. */
  #placeOf(slot: number, known: readonly Block[]): number {
    const place = known.findIndex((candidate) => candidate.slot === slot)
    const { mixedUp } = this.#options
    const isFirst = this.askedBlocks.indexOf(slot) === this.askedBlocks.length - 1
    return mixedUp !== undefined && place === mixedUp.block && isFirst ? place + mixedUp.by : place
  }

  #block(slot: number, known: readonly Block[]): object {
    if (slot < (this.#options.firstBlock ?? 0))
      return error(-32_001, `Block ${slot} cleaned up, does not exist on node.`)
    const place = this.#placeOf(slot, known)
    if (place >= 0 && place === this.#options.lacksBlock)
      return error(NOT_YET, `Block not available for slot ${slot}`)
    const block = known[place]
    if (block !== undefined) return { result: blockAnswer(block) }
    const newest = known.at(-1)?.slot ?? 0
    return slot > newest
      ? error(NOT_YET, `Block not available for slot ${slot}`)
      : error(SKIPPED, `Slot ${slot} was skipped`)
  }
}

function error(code: number, message: string): object {
  return { error: { code, message } }
}
