import { setTimeout as pause } from 'node:timers/promises'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { WebSocket } from 'ws'
import { migrationMessage } from '../crash/json.ts'
import type { Chronicle } from './chronicle.ts'

/** Mints that a client follows beside the streams of the whole market. */
const MINTS_MAX = 40
/** Of a client that is new: every launch and migration there ever was, and trades from now on. */
const FIRST_SEQS = { new_launched_pool: 0, mint_migration: 0, all_trades: null } as const
/** A replica that sends nothing for so long counts as dead, though its socket is open. */
const SILENT_MS = 3_000
/** Between two tries to be served. */
const RETRY_MS = 200

const frame = Compile(
  Type.Object({
    channel: Type.String(),
    seq: Type.Integer(),
    epoch: Type.String(),
    data: Type.Object({ mint: Type.String() }),
  }),
)
const trade = Compile(
  Type.Object({ mint: Type.String(), signature: Type.String(), signer: Type.String() }),
)
const answer = Compile(
  Type.Object({
    type: Type.Union([Type.Literal('ping'), Type.Literal('subscribed'), Type.Literal('resync')]),
    event: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    seq: Type.Optional(Type.Integer()),
    epoch: Type.Optional(Type.String()),
  }),
)
/** A replica that is being loaded. */
const starting = Compile(
  Type.Object({ type: Type.Literal('error'), code: Type.Literal('starting') }),
)

/**
 * A client that is to get every trade once and in order, whatever dies: it follows one replica, and goes to the next
 * one when that is gone, silent, or cannot go on from where the client is.
 */
export class Follower {
  /** How often it went to another replica, by reason. */
  readonly moves: Record<string, number> = {}
  readonly #urls: readonly string[]
  readonly #name: string
  readonly #chronicle: Chronicle
  /** The last seq of each stream; null: from now on. */
  readonly #lastSeqs = new Map<string, number | null>(Object.entries(FIRST_SEQS))
  readonly #work: Promise<void>
  #place: number
  #epoch: string | null = null
  #socket: WebSocket | null = null
  #heardMs = 0
  #isOver = false

  constructor(urls: readonly string[], place: number, chronicle: Chronicle) {
    this.#urls = urls
    this.#place = place
    this.#name = `follower-${place + 1}`
    this.#chronicle = chronicle
    this.#work = this.#follow()
  }

  /** Of all mints' trades. */
  get lastTrade(): number {
    return this.#lastSeqs.get('all_trades') ?? 0
  }

  get mints(): readonly string[] {
    return [...this.#lastSeqs.keys()].flatMap((stream) => mintOf(stream) ?? [])
  }

  lastOf(mint: string): number {
    return this.#lastSeqs.get(streamOf(mint)) ?? 0
  }

  end(): Promise<void> {
    this.#isOver = true
    this.#socket?.close()
    return this.#work
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      const reason = await this.#served(this.#urls[this.#place])
      this.moves[reason] = (this.moves[reason] ?? 0) + 1
      this.#place = (this.#place + 1) % this.#urls.length
      if (!this.#isOver) await pause(RETRY_MS)
    }
  }

  /** Follows one replica as long as that serves; why it does not any more. */
  #served(url: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?id=${this.#name}`, {
        handshakeTimeout: SILENT_MS,
      })
      this.#socket = socket
      this.#heardMs = Date.now()
      const watch = setInterval(() => {
        if (Date.now() - this.#heardMs > SILENT_MS) leave('silent')
      }, RETRY_MS)
      const leave = (reason: string) => {
        clearInterval(watch)
        socket.removeAllListeners('message')
        socket.terminate()
        resolve(reason)
      }
      socket.on('error', () => leave('away'))
      socket.on('close', () => leave('closed'))
      socket.on('open', () => {
        for (const stream of this.#lastSeqs.keys()) this.#subscribe(stream)
      })
      socket.on('message', (data) => {
        const message: unknown = JSON.parse(String(data))
        if (frame.Check(message)) this.#heard(message)
        else if (answer.Check(message)) this.#answered(message, leave)
        else if (starting.Check(message)) leave('starting')
        else this.#fault(`it was told ${String(data)}`)
      })
    })
  }

  #subscribe(stream: string): void {
    const mint = mintOf(stream)
    const last = this.#lastSeqs.get(stream) ?? null
    const data = {
      ...{ action: 'subscribe', id: this.#name, seq: true },
      ...(mint !== null && { mint }),
      ...(last !== null && { from_seq: last }),
      ...(last !== null && this.#epoch !== null && { epoch: this.#epoch }),
    }
    const event = mint === null ? stream : 'update_mint_info'
    this.#socket?.send(JSON.stringify({ event, data }))
  }

  #answered(
    { type, event, reason, seq, epoch }: ReturnType<typeof answer.Parse>,
    leave: (reason: string) => void,
  ): void {
    if (type === 'ping') this.#socket?.send('{"type":"pong"}')
    else if (type === 'subscribed') {
      this.#sawEpoch(epoch)
      if (event === 'all_trades' && this.#lastSeqs.get(event) === null)
        this.#lastSeqs.set(event, seq ?? 0)
    } else {
      if (reason === 'epoch_changed') this.#sawEpoch(epoch)
      leave(`${event} ${reason}`)
    }
  }

  #heard({ channel, seq, epoch, data }: ReturnType<typeof frame.Parse>): void {
    const stream = channel === 'update_mint_info' ? streamOf(data.mint) : channel
    const last = this.#lastSeqs.get(stream)
    this.#sawEpoch(epoch)
    if (typeof last !== 'number') this.#fault(`nobody asked for ${stream}`)
    else if (seq !== last + 1)
      this.#fault(`${seq > last ? 'lost' : 'repeated'}: ${stream} went from ${last} to ${seq}`)
    this.#lastSeqs.set(stream, seq)
    // Without trades nothing is said of a market, whoever serves it.
    if (channel === 'all_trades') this.#heardMs = Date.now()
    if (trade.Check(data)) {
      this.#chronicle.sawTrade(stream, seq, data)
      this.#chronicle.wallets.add(data.signer)
    } else if (channel === 'new_launched_pool') {
      this.#chronicle.sawLaunch(stream, seq, data.mint)
      this.#followMint(data.mint)
    } else {
      const message: unknown = { channel, data }
      if (migrationMessage.Check(message)) this.#chronicle.sawMigration(stream, seq, message.data)
    }
  }

  /** From its first trade on. */
  #followMint(mint: string): void {
    if (this.mints.length >= MINTS_MAX || this.#lastSeqs.has(streamOf(mint))) return
    this.#lastSeqs.set(streamOf(mint), 0)
    this.#subscribe(streamOf(mint))
  }

  #sawEpoch(epoch: string | undefined): void {
    if (epoch === undefined || epoch === this.#epoch) return
    if (this.#epoch !== null) this.#fault(`the epoch was ${this.#epoch} and is ${epoch}`)
    this.#epoch = epoch
  }

  #fault(text: string): void {
    this.#chronicle.faults.push(`${this.#name}: ${text}`)
  }
}

function streamOf(mint: string): string {
  return `mint ${mint}`
}

function mintOf(stream: string): string | null {
  return stream.startsWith('mint ') ? stream.slice(5) : null
}
