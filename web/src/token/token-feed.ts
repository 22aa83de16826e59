import { signal } from '@preact/signals'
import type {
  Page,
  Subscription,
  Swap,
  TokenDetail,
  TraderQuery,
  TraderRecord,
  TradeUpdate,
} from '../../../client/src/mintfeed.ts'
import { client, heard, live } from '../feed/connection.ts'
import { nextBeat } from '../frame/beat.ts'

/** Trades of the tape, newest first; older ones leave. */
const TAPE_MAX = 400
/** Trades before now that the tape begins with. */
const TAPE_FIRST = 200
/** Details, holders and traders are read again this often while trades come, in ms. */
const DETAIL_EVERY_MS = 1_000
const TABLES_EVERY_MS = 4_000
const RECORDS = 100

/** One trade of the tape; `seq` is its number among the token's trades. */
export interface TapeTrade {
  readonly seq: number
  readonly swap: Swap
}

export type TraderOrder = NonNullable<TraderQuery['orderBy']>

/** All that the page of a token shows, live. */
export class TokenFeed {
  readonly mint: string
  readonly detail = signal<TokenDetail | null>(null)
  /** Nobody knows the mint yet. */
  readonly isUnknown = signal(false)
  readonly problem = signal<string | null>(null)
  readonly tape = signal<readonly TapeTrade[]>([])
  readonly holders = signal<Page<TraderRecord> | null>(null)
  readonly traders = signal<Page<TraderRecord> | null>(null)
  readonly snipers = signal<readonly TraderRecord[]>([])
  readonly creatorSwaps = signal<readonly Swap[]>([])
  readonly orderBy = signal<TraderOrder>('pnl')
  #subscription: Subscription<TradeUpdate> | null = null
  /** Of what is shown; null: nothing is. */
  #epoch: string | null = null
  #isOpen = true
  #hasNews = false
  readonly #timers: number[] = []

  constructor(mint: string) {
    this.mint = mint
    void this.#start()
  }

  close(): void {
    this.#isOpen = false
    this.#leave()
    for (const timer of this.#timers) clearInterval(timer)
  }

  order(by: TraderOrder): void {
    this.orderBy.value = by
    void this.#readTraders()
  }

  async #start(): Promise<void> {
    const epoch = await this.#readDetail()
    if (!this.#isOpen) return
    this.#epoch = epoch
    this.#follow()
    void this.#readTables()
    void this.#readFirst()
    this.#every(DETAIL_EVERY_MS, () => void this.#readDetail())
    this.#every(TABLES_EVERY_MS, () => void this.#readTables())
  }

  #follow(): void {
    const epoch = this.#epoch
    const seq = Math.max(0, (this.detail.value?.swaps ?? 0) - TAPE_FIRST)
    // The stream itself brings the trades before now: nothing has to be joined by hand.
    const from = epoch === null ? new Map() : new Map([[this.mint, { seq, epoch }]])
    this.#subscription = live.trades(this.mint, { from })
    void this.#readTrades(this.#subscription)
  }

  #leave(): void {
    this.#subscription?.close()
    this.#subscription = null
  }

  /** All anew: the service began another stream, which may lack any trade that is shown. */
  #restart(): void {
    this.#leave()
    for (const timer of this.#timers.splice(0)) clearInterval(timer)
    this.tape.value = []
    this.snipers.value = []
    this.creatorSwaps.value = []
    void this.#start()
  }

  #every(everyMs: number, read: () => void): void {
    let readAt = 0
    const look = () => {
      const newest = this.tape.value[0]?.seq ?? 0
      if (newest === readAt && !this.#hasNews) return
      readAt = newest
      read()
    }
    this.#timers.push(setInterval(look, everyMs))
  }

  async #readTrades(subscription: Subscription<TradeUpdate>): Promise<void> {
    let fresh: TapeTrade[] = []
    for await (const update of subscription) {
      // A burst is drawn once, with its beat; only the first trades are not waited with.
      if (fresh.length === 0 && this.tape.value.length > 0) await nextBeat()
      if (subscription !== this.#subscription) return
      if (update.kind === 'snapshot') {
        const known = this.#epoch
        if (known !== null && known !== update.epoch) {
          this.#restart()
          return
        }
        const hadTrades = this.tape.value.length > 0
        this.#epoch = update.epoch
        this.tape.value = []
        fresh = []
        if (update.data !== null) {
          this.detail.value = update.data
          // The first read had no answer, or trades were lost: only now is it known where the newest begin.
          if (known === null || hadTrades) {
            this.#leave()
            this.#follow()
            return
          }
        }
      }
      if (update.kind === 'refused') this.problem.value = update.problem.message
      if (update.kind === 'event') fresh.unshift({ seq: update.seq, swap: update.data })
      if (subscription.buffered > 0 && fresh.length < TAPE_MAX) continue
      if (fresh.length > 0) this.tape.value = [...fresh, ...this.tape.value].slice(0, TAPE_MAX)
      fresh = []
    }
  }

  /** The epoch of the answer; null when there was none. */
  async #readDetail(): Promise<string | null> {
    const answer = await client.token(this.mint)
    this.#hasNews = false
    if (answer.ok) {
      this.detail.value = answer.data
      if (this.isUnknown.value) void this.#readFirst()
      this.isUnknown.value = false
      this.problem.value = null
      if (answer.position !== null) heard(answer.position)
      return answer.epoch
    }
    if (answer.problem.code === 'not_found') {
      this.detail.value = null
      this.isUnknown.value = true
      this.#hasNews = true
    } else {
      if (this.detail.value === null) this.problem.value = answer.problem.message
      // No further trade may come that would have it read again.
      this.#hasNews = true
    }
    return null
  }

  async #readTables(): Promise<void> {
    const [holders] = await Promise.all([
      client.holders(this.mint, { limit: RECORDS }),
      this.#readTraders(),
    ])
    if (holders.ok) this.holders.value = holders.data
  }

  async #readTraders(): Promise<void> {
    const orderBy = this.orderBy.value
    const traders = await client.tokenTraders(this.mint, { limit: RECORDS, orderBy })
    if (traders.ok && orderBy === this.orderBy.value) this.traders.value = traders.data
  }

  /** What is of the token's beginning: it does not change often enough to be followed. */
  async #readFirst(): Promise<void> {
    const creator = this.detail.value?.creator ?? ''
    const buyers = await client.firstBuyers(this.mint, { limit: RECORDS })
    if (buyers.ok) this.snipers.value = buyers.data.items.filter((buyer) => buyer.sniper_wallet)
    if (creator === '') return
    const swaps = await client.swaps(this.mint, { wallet: creator, limit: 200 })
    if (swaps.ok) this.creatorSwaps.value = swaps.data.items
  }
}
