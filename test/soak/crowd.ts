import WebSocket from 'ws'
import { Random } from '../../src/base/random.ts'

/** Mints that one reader follows. */
const FOLLOWED = 5
/** One reader in so many leaves and comes back each second. */
const LEAVING_SHARE = 0.01
/** One reader in so many never reads. */
const SLOW_EVERY = 100
/** Polls a second, all routes in turn. */
const POLLS_PER_SECOND = 50
/** One poll in so many asks for nonsense, which has to be a 400. */
const NONSENSE_EVERY = 20
const STEP_MS = 100
/** Closes that are as they should be: asked for, service restart, slow reader. */
const EXPECTED_CODES = [1000, 1005, 1012, 4009]

interface Reader {
  readonly socket: WebSocket
  readonly isSlow: boolean
  isLeaving: boolean
}

/** Clients of all kinds: readers that come and go, slow ones, pollers; counts what goes wrong. */
export class Crowd {
  readonly #url: string
  readonly #size: number
  readonly #random: Random
  readonly #readers = new Set<Reader>()
  #mints: readonly string[] = []
  #timer: NodeJS.Timeout | null = null
  #isOver = false
  #joined = 0
  #asked = 0
  readonly counts = { trades: 0, answers: 0, reconnects: 0, slowClosed: 0 }
  readonly errors = new Map<string, number>()

  constructor(url: string, size: number, seed: number) {
    this.#url = url
    this.#size = size
    this.#random = new Random(seed)
  }

  async start(): Promise<void> {
    await this.#learnMints()
    for (let index = 0; index < this.#size; index++) this.#join()
    let steps = 0
    this.#timer = setInterval(() => {
      if (++steps % (1000 / STEP_MS) === 0) this.#reshuffle()
      for (let poll = 0; poll < (POLLS_PER_SECOND * STEP_MS) / 1000; poll++) void this.#poll()
    }, STEP_MS)
  }

  stop(): void {
    this.#isOver = true
    if (this.#timer !== null) clearInterval(this.#timer)
    for (const { socket } of this.#readers) socket.terminate()
  }

  #join(): void {
    const id = `reader${this.#joined++}`
    const socket = new WebSocket(`${this.#url.replace(/^http/, 'ws')}/ws?id=${id}`)
    const reader: Reader = { socket, isSlow: this.#joined % SLOW_EVERY === 0, isLeaving: false }
    this.#readers.add(reader)
    socket.on('error', (error) => {
      // One that leaves, or is sent away at the end, before it is there says so itself.
      if (!reader.isLeaving && !this.#isOver) this.#fault(`live connection: ${error.message}`)
    })
    socket.on('open', () => {
      const mints = Array.from({ length: FOLLOWED }, () => this.#random.pick(this.#mints))
      const data = { action: 'subscribe', id, mints: reader.isSlow ? this.#mints : mints }
      socket.send(JSON.stringify({ event: 'update_mint_info', data }))
      if (reader.isSlow) socket.pause()
    })
    socket.on('message', (message: Buffer) => {
      if (message.includes('"ping"')) socket.send('{"type":"pong"}')
      else this.counts.trades++
    })
    socket.on('close', (code) => this.#closed(reader, code))
  }

  #closed(reader: Reader, code: number): void {
    this.#readers.delete(reader)
    if (this.#isOver) return
    if (code === 4009) this.counts.slowClosed++
    // A slow reader that was cut meets the end of its socket before the close frame.
    if (!reader.isLeaving && !reader.isSlow && !EXPECTED_CODES.includes(code))
      this.#fault(`closed with ${code}`)
    this.counts.reconnects++
    this.#join()
  }

  #reshuffle(): void {
    void this.#learnMints()
    for (const reader of this.#readers) {
      if (!this.#random.chance(LEAVING_SHARE)) continue
      reader.isLeaving = true
      if (this.#random.chance(0.5)) reader.socket.terminate()
      else reader.socket.close()
    }
  }

  async #learnMints(): Promise<void> {
    const tables = await this.#json('/api/v2/meme', { method: 'POST', body: '{"limit":100}' })
    if (typeof tables !== 'object' || tables === null) return
    const rows: { mint: string }[] = Object.values(tables).flat()
    if (rows.length > 0) this.#mints = rows.map(({ mint }) => mint)
  }

  async #poll(): Promise<void> {
    const index = this.#asked++
    if (index % NONSENSE_EVERY === 0) {
      await this.#json('/api/v2/meme', { method: 'POST', body: '{"nonsense":[[[', status: 400 })
      return
    }
    const paths = pathsOf(this.#random.pick(this.#mints))
    await this.#json(paths[index % paths.length], {})
  }

  async #json(
    path: string,
    { method = 'GET', body, status = 200 }: { method?: string; body?: string; status?: number },
  ): Promise<unknown> {
    try {
      const headers = { 'Content-Type': 'application/json' }
      const init = body === undefined ? { method } : { method, body, headers }
      const response = await fetch(this.#url + path, init)
      const value: unknown = await response.json()
      this.counts.answers++
      if (response.status !== status) this.#fault(`${response.status} to ${routeOf(path)}`)
      return value
    } catch (error) {
      if (!this.#isOver) this.#fault(`request: ${String(error)}`)
      return null
    }
  }

  #fault(what: string): void {
    this.errors.set(what, (this.errors.get(what) ?? 0) + 1)
  }
}

/** A path without what is asked for: faults of one route are counted together. */
function routeOf(path: string): string {
  return path.split('?')[0].replaceAll(/\/\w{32,}/g, '/:mint')
}

/** The reads of one token. */
export function pathsOf(mint: string): readonly string[] {
  return [
    `/api/v2/search/tokens/${mint}/market-data`,
    `/api/v2/search/tokens/${mint}/swaps?limit=200`,
    `/api/v2/search/traders/tokens/${mint}?limit=200`,
    `/api/v2/meme/chart/ohlcv?mint=${mint}&from=0&to=4000000000&resolution=1`,
    `/api/v2/search/tokens/detailed?query=${mint}`,
  ]
}
