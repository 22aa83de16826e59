import { setTimeout as pause } from 'node:timers/promises'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import type { Chronicle } from './chronicle.ts'

const READ_EVERY_MS = 50

/** The typed client with the urls of all replicas: its stream of all trades, and reads that may never go back in time. */
export class ClientReader {
  /** How often it went to another replica, by reason. */
  readonly moves: Record<string, number> = {}
  lastTrade = 0
  reads = 0
  readonly #client: Mintfeed
  readonly #chronicle: Chronicle
  readonly #work: Promise<unknown>
  #isOver = false

  constructor(urls: readonly string[], chronicle: Chronicle) {
    this.#client = new Mintfeed(urls)
    this.#chronicle = chronicle
    this.#client.live.onMove(({ reason }) => {
      const name = `typed client: ${reason.code}`
      this.moves[name] = (this.moves[name] ?? 0) + 1
    })
    this.#work = Promise.all([this.#follow(), this.#read()])
  }

  async end(): Promise<void> {
    this.#isOver = true
    this.#client.close()
    await this.#work
  }

  async #follow(): Promise<void> {
    for await (const update of this.#client.live.allTrades({ snapshot: false })) {
      if (update.kind === 'event') {
        const { seq, data } = update
        if (this.lastTrade !== 0 && seq !== this.lastTrade + 1)
          this.#fault(`all_trades went from ${this.lastTrade} to ${seq}`)
        this.lastTrade = seq
        this.#chronicle.sawTrade('all_trades', seq, data)
      } else this.#fault(`it was told ${JSON.stringify(update).slice(0, 300)}`)
    }
  }

  /** A market never has less trades than it had. */
  async #read(): Promise<void> {
    let [position, epoch] = [0, '']
    while (!this.#isOver) {
      const answer = await this.#client.read.tables({ type: 'new', limit: 1 })
      if (answer.ok) {
        this.reads += 1
        if (answer.epoch === epoch && (answer.position ?? 0) < position)
          this.#fault(`a read went back from ${position} to ${answer.position}`)
        position = answer.position ?? position
        epoch = answer.epoch ?? epoch
      }
      await pause(READ_EVERY_MS)
    }
  }

  #fault(text: string): void {
    if (!this.#isOver) this.#chronicle.faults.push(`the typed client: ${text}`)
  }
}
