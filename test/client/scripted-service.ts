import { type WebSocket, WebSocketServer } from 'ws'
import { isRecord } from '../../src/base/json-access.ts'

/** A live feed that says whatever a test wants it to say. */
export class ScriptedService {
  readonly url: string
  /** What clients sent, as JSON. */
  readonly heard: unknown[] = []
  connections = 0
  readonly #server: WebSocketServer

  private constructor(
    server: WebSocketServer,
    answer: (socket: WebSocket, message: unknown, connection: number) => void,
  ) {
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('the service has no port')
    this.url = `http://127.0.0.1:${address.port}`
    this.#server = server
    server.on('connection', (socket) => {
      this.connections += 1
      const connection = this.connections
      socket.on('error', () => {})
      socket.on('message', (data) => {
        const message: unknown = JSON.parse(data.toString())
        this.heard.push(message)
        answer(socket, message, connection)
      })
    })
  }

  /** `answer` is called with each message, and the number of the connection from 1. */
  static async start(
    answer: (socket: WebSocket, message: unknown, connection: number) => void,
  ): Promise<ScriptedService> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await new Promise((resolve) => server.once('listening', resolve))
    return new ScriptedService(server, answer)
  }

  async stop(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** The `from_seq` of a subscription to trades; null when it has none or is none. */
export function askedFrom(message: unknown): number | null {
  if (!isRecord(message) || !isRecord(message.data)) return null
  return typeof message.data.from_seq === 'number' ? message.data.from_seq : null
}

export function isSubscription(message: unknown): boolean {
  return isRecord(message) && isRecord(message.data) && message.data.action === 'subscribe'
}

const SWAP = {
  slot: 1,
  tx_index: 0,
  timestamp: '2026-01-02 03:04:05',
  source: 'pump',
  direction: 'buy',
  signer: 'alice',
  mint: 'A',
  pool: 'curve',
  base_mint_amount: 1,
  quote_mint_amount: 1,
  base_mint_price_usd: 1,
  sol_price_usd: 1,
  volume_usd: 1,
  m_cap_usd: 1,
  bonding_curve_progress: 1,
  liquidity_usd: 1,
  chain_fee: 0,
  platform_fee: 0,
  creator_fee: 0,
  base_balance_before: 0,
  base_balance_after: 1,
  fresh_wallet: false,
  sniper_wallet: false,
  pro_trader: false,
}

/** The frame of a trade of mint A whose signature tells its seq, unless another is given. */
export function tradeFrame(seq: number, over: { signature?: string; epoch?: string } = {}): string {
  const { signature = `s${seq}`, epoch = 'e1' } = over
  const data = { ...SWAP, signature }
  return JSON.stringify({ channel: 'update_mint_info', pool: 'p', seq, epoch, ordinal: 0, data })
}

export function subscribedFrame(seq: number, epoch = 'e1'): string {
  return JSON.stringify({ type: 'subscribed', event: 'update_mint_info', mint: 'A', seq, epoch })
}
