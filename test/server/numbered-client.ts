import Type from 'typebox'
import { Compile } from 'typebox/compile'
import WebSocket from 'ws'

const Trade = Compile(
  Type.Object({
    channel: Type.Literal('update_mint_info'),
    seq: Type.Integer(),
    epoch: Type.String(),
    ordinal: Type.Integer(),
    data: Type.Object({ mint: Type.String(), signature: Type.String() }),
  }),
)
const Resync = Compile(
  Type.Object({ type: Type.Literal('resync'), mint: Type.String(), reason: Type.String() }),
)

/** A reader of several mints that is cut again and again, and keeps all it ever got, by mint. */
export class NumberedClient {
  readonly mints: readonly string[]
  /** (signature, ordinal) of each trade; place n - 1 has seq n. */
  readonly got = new Map<string, string[]>()
  readonly resyncs: string[] = []
  readonly faults: string[] = []
  #socket: WebSocket | null = null
  #framesLeft = 0
  cuts = 0
  isSubscribed = false
  closeCode = 0

  constructor(mints: readonly string[]) {
    this.mints = mints
    for (const mint of mints) this.got.set(mint, [])
  }

  get isConnected(): boolean {
    return this.#socket !== null
  }

  /** Goes on where it was cut; is cut again behind so many frames. */
  async connect(wsUrl: string, frames: number, isSlow: boolean): Promise<void> {
    const socket = new WebSocket(`${wsUrl}?id=numbered`)
    this.#socket = socket
    this.#framesLeft = frames
    socket.on('error', () => {})
    socket.on('close', (code) => this.#gone(socket, code))
    socket.on('message', (data) => this.#heard(socket, data.toString()))
    await new Promise<void>((resolve) => {
      socket.once('open', resolve)
      socket.once('error', () => resolve())
    })
    const from = Object.fromEntries(
      this.mints.map((mint) => [mint, this.got.get(mint)?.length ?? 0]),
    )
    const data = {
      action: 'subscribe',
      id: 'numbered',
      mints: this.mints,
      from_seq: from,
      epoch: 'e1',
    }
    if (socket.readyState !== socket.OPEN) return
    socket.send(JSON.stringify({ event: 'update_mint_info', data }))
    if (isSlow) {
      socket.pause()
      setTimeout(() => socket.resume(), 30)
    }
  }

  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }

  cut(): void {
    this.#socket?.terminate()
    this.#socket = null
  }

  /** Frames on their way when it was cut are lost, as on a broken line. */
  #heard(socket: WebSocket, text: string): void {
    if (socket !== this.#socket) return
    const frame: unknown = JSON.parse(text)
    this.isSubscribed = true
    if (Trade.Check(frame))
      this.#take(frame.data.mint, frame.seq, `${frame.data.signature}/${frame.ordinal}`)
    else if (Resync.Check(frame)) this.resyncs.push(`${frame.mint} ${frame.reason}`)
    this.#framesLeft -= 1
    if (this.#framesLeft > 0) return
    this.cuts += 1
    this.cut()
  }

  #take(mint: string, seq: number, name: string): void {
    const got = this.got.get(mint)
    if (got === undefined) this.faults.push(`a trade of ${mint}, which was not asked for`)
    else if (seq !== got.length + 1) this.faults.push(`${mint}: ${seq} after ${got.length}`)
    else got.push(name)
  }

  #gone(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return
    this.closeCode = code
    this.cuts += 1
    this.#socket = null
  }
}
