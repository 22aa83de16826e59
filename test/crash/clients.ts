import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Random } from '../../src/base/random.ts'
import { type Answer, get, getSwaps, getTables } from './http.ts'
import { migrationMessage, readAs, swapMessage, tableAnswer } from './json.ts'
import type { Witness } from './witness.ts'

/** Between two looks for mints to follow, in ms. */
const FOLLOW_EVERY_MS = 100
/** Mints one connection may follow (contract section 4). */
const MINTS_MAX = 1_000
/** Pages of a mint's swaps that are read while it is traded. */
const PAGES_READ = 3

/** Clients of one program: a socket that follows every mint it finds, and two readers over HTTP. */
export class Clients {
  readonly #url: string
  readonly #random: Random
  readonly #witness: Witness
  readonly #socket: WebSocket
  readonly #followed = new Set<string>()
  readonly #work: Promise<void>[]
  readonly #closed: Promise<void>
  #isOver = false

  private constructor(url: string, random: Random, witness: Witness, socket: WebSocket) {
    this.#url = url
    this.#random = random
    this.#witness = witness
    this.#socket = socket
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {})
    socket.on('message', (data) => this.#heard(data.toString()))
    this.#order({ event: 'mint_migration', data: { action: 'subscribe', id: 'witness' } })
    this.#work = [this.#follow(), this.#read(), this.#read()]
  }

  static async open(url: string, random: Random, witness: Witness): Promise<Clients> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?id=witness`)
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    return new Clients(url, random, witness, socket)
  }

  /** Resolves when the program is gone and all that it had sent was read. */
  async over(): Promise<void> {
    this.#isOver = true
    await this.#closed
    await Promise.all(this.#work)
  }

  /** Follows these as well, before anybody trades them. */
  follow(mints: readonly string[]): void {
    const fresh = mints
      .filter((mint) => !this.#followed.has(mint))
      .slice(0, MINTS_MAX - this.#followed.size)
    for (const mint of mints) this.#witness.mints.add(mint)
    if (fresh.length === 0) return
    for (const mint of fresh) this.#followed.add(mint)
    const data = { action: 'subscribe', id: 'witness', mints: fresh }
    this.#order({ event: 'update_mint_info', data })
  }

  #order(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  #heard(text: string): void {
    const message: unknown = JSON.parse(text)
    if (swapMessage.Check(message)) this.#witness.sawTrade(message.data)
    else if (migrationMessage.Check(message)) this.#witness.sawMigration(message.data)
  }

  async #follow(): Promise<void> {
    await this.#untilGone(async () => {
      const answer = this.#noted(await getTables(this.#url))
      const tables = Object.values(readAs(tableAnswer, answer.text))
      this.follow(tables.flat().map(({ mint }) => mint))
      await pause(FOLLOW_EVERY_MS)
    })
  }

  async #read(): Promise<void> {
    await this.#untilGone(async () => {
      const mints = [...this.#followed]
      if (mints.length === 0) return pause(FOLLOW_EVERY_MS)
      const mint = this.#random.pick(mints)
      const page = this.#random.between(1, PAGES_READ)
      const { items, position } = await getSwaps(this.#url, mint, page)
      this.#witness.sawPosition(position)
      for (const item of items) this.#witness.sawTrade(item)
      this.#noted(await get(`${this.#url}/api/v2/search/tokens/${mint}/market-data`))
    })
  }

  #noted(answer: Answer): Answer {
    this.#witness.sawPosition(answer.position)
    return answer
  }

  /** Works on until the program is killed: calls to it then fail, as they must. */
  async #untilGone(work: () => Promise<void>): Promise<void> {
    while (!this.#isOver)
      try {
        await work()
      } catch (error) {
        if (this.#isOver || error instanceof TypeError) return
        throw error
      }
  }
}
