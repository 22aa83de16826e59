import { signal } from '@preact/signals'
import type {
  Page,
  Problem,
  Subscription,
  Swap,
  TokenDetail,
  TraderQuery,
  TraderRecord,
  TradeUpdate,
} from '../../../client/src/mintfeed.ts'
import { client, heard, isOtherStream, live } from '../feed/connection.ts'
import { isAnswered, Reread } from '../feed/reread.ts'
import { STREAM_AWAITED_MS } from '../feed/stream-awaited.ts'
import { nextBeat } from '../frame/beat.ts'
import { MarkedTrades } from './marked-trades.ts'

/** Trades of the tape, newest first; older ones leave. */
const TAPE_MAX = 400
/** Trades before now that the tape begins with. */
const TAPE_FIRST = 200
/** Details, holders and traders are read again at most this often, in ms. */
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
  readonly problem = signal<Problem | null>(null)
  /** Why no trades come any more. */
  readonly refusal = signal<string | null>(null)
  readonly tape = signal<readonly TapeTrade[]>([])
  readonly holders = signal<Page<TraderRecord> | null>(null)
  readonly traders = signal<Page<TraderRecord> | null>(null)
  readonly marked: MarkedTrades
  readonly orderBy = signal<TraderOrder>('pnl')
  #subscription: Subscription<TradeUpdate> | null = null
  /** Until the stream tells something; null: it did, or is left. */
  #withoutStream: ReturnType<typeof setTimeout> | null = null
  /** The number up to which trades were read beside the stream. */
  #readTo = 0
  /** Of what is shown; null: nothing is. */
  #epoch: string | null = null
  #isOpen = true
  /** Of the newest detail that was read; null: it had no answer. */
  #readEpoch: string | null = null
  #details: Reread | null = null
  #tables: Reread | null = null

  constructor(mint: string) {
    this.mint = mint
    this.marked = new MarkedTrades(mint)
    void this.#start()
  }

  close(): void {
    this.#isOpen = false
    this.#leave()
  }

  order(by: TraderOrder): void {
    this.orderBy.value = by
    void this.#readTraders()
  }

  async #start(): Promise<void> {
    const details = new Reread(DETAIL_EVERY_MS, () => this.#readDetail())
    this.#details = details
    await details.start()
    if (!this.#isOpen || details !== this.#details) return
    this.#epoch = this.#readEpoch
    this.#follow()
    this.#tables = new Reread(TABLES_EVERY_MS, () => this.#readTables())
    void this.#tables.start()
  }

  #follow(): void {
    const epoch = this.#epoch
    const seq = Math.max(0, (this.detail.value?.swaps ?? 0) - TAPE_FIRST)
    // The stream itself brings the trades before now: nothing has to be joined by hand.
    const from = epoch === null ? new Map() : new Map([[this.mint, { seq, epoch }]])
    this.#subscription = live.trades(this.mint, { from, extra: true })
    void this.#readTrades(this.#subscription)
    this.#awaitStream()
  }

  #awaitStream(): void {
    const isAwaited = () => this.#withoutStream !== null
    this.#withoutStream = setTimeout(async () => {
      const wasAnswered = await this.#readBefore(isAwaited)
      if (!wasAnswered && isAwaited()) this.#awaitStream()
    }, STREAM_AWAITED_MS)
  }

  #awaitNoMore(): void {
    if (this.#withoutStream !== null) clearTimeout(this.#withoutStream)
    this.#withoutStream = null
  }

  #leave(): void {
    this.#leaveTrades()
    this.#details?.close()
    this.#tables?.close()
  }

  #leaveTrades(): void {
    this.#awaitNoMore()
    this.#subscription?.close()
    this.#subscription = null
  }

  /** All anew: the service began another stream, which may lack any trade that is shown. */
  #restart(): void {
    this.#leave()
    this.tape.value = []
    this.#readTo = 0
    this.refusal.value = null
    this.marked.forget()
    this.#epoch = null
    void this.#start()
  }

  async #readTrades(subscription: Subscription<TradeUpdate>): Promise<void> {
    let fresh: TapeTrade[] = []
    const isFollowed = () => subscription === this.#subscription
    for await (const update of subscription) {
      // A burst is drawn once, with its beat; only the first trades are not waited with.
      if (fresh.length === 0 && this.tape.value.length > 0) await nextBeat()
      if (!isFollowed()) return
      this.#awaitNoMore()
      if (update.kind === 'snapshot') {
        const known = this.#epoch
        if (known !== null && known !== update.epoch) {
          this.#restart()
          return
        }
        const hadTrades = this.tape.value.length > 0
        this.#epoch = update.epoch
        if (hadTrades) this.marked.want()
        this.tape.value = []
        this.#readTo = 0
        fresh = []
        if (update.data !== null) {
          this.detail.value = update.data
          // The first read had no answer, or trades were lost: only now is it known where the newest begin.
          if (known === null || hadTrades) {
            this.#leaveTrades()
            this.#follow()
            return
          }
          await this.#readBefore(isFollowed)
          if (!isFollowed()) return
        }
      }
      if (update.kind === 'refused') {
        this.refusal.value = update.problem.message
        if (this.tape.value.length === 0) await this.#readBefore(isFollowed)
      }
      if (update.kind === 'event' && update.seq > this.#readTo)
        fresh.unshift({ seq: update.seq, swap: update.data })
      if (subscription.buffered > 0 && fresh.length < TAPE_MAX) continue
      if (fresh.length > 0) this.#add(fresh)
      fresh = []
    }
  }

  /**
   * Reads the trades before now where the stream cannot bring them, as when it does not come or the order of
   * their arrival is lost: in their order on the chain. Answers whether there was an answer.
   */
  async #readBefore(isWanted: () => boolean): Promise<boolean> {
    const page = await client.swaps(this.mint, { limit: TAPE_FIRST, extra: true })
    if (page.ok && isWanted() && page.epoch === (this.#epoch ?? page.epoch)) {
      const { total, items } = page.data
      this.tape.value = items.map((swap, at) => ({ seq: total - at, swap }))
      this.#readTo = total
    }
    return isAnswered(page)
  }

  #add(fresh: readonly TapeTrade[]): void {
    this.tape.value = [...fresh, ...this.tape.value].slice(0, TAPE_MAX)
    this.marked.came(fresh)
    this.#details?.want()
    this.#tables?.want()
  }

  async #readDetail(): Promise<boolean> {
    const answer = await client.token(this.mint)
    this.#readEpoch = answer.ok ? answer.epoch : null
    if (answer.ok) {
      this.detail.value = answer.data
      this.isUnknown.value = false
      this.problem.value = null
      if (answer.position !== null) heard(answer.position)
      if (isOtherStream(this.#epoch, answer.epoch)) this.#restart()
      return true
    }
    if (answer.problem.code === 'not_found') {
      this.detail.value = null
      this.isUnknown.value = true
      this.marked.want()
      // It may be known in a second.
      this.#details?.want()
    } else if (this.detail.value === null) this.problem.value = answer.problem
    return isAnswered(answer)
  }

  async #readTables(): Promise<boolean> {
    const [holders, hasTraders, areMarksRead] = await Promise.all([
      client.holders(this.mint, { limit: RECORDS, extra: true }),
      this.#readTraders(),
      this.marked.read(this.detail.value?.creator ?? ''),
    ])
    if (holders.ok) this.holders.value = holders.data
    return isAnswered(holders) && hasTraders && areMarksRead
  }

  async #readTraders(): Promise<boolean> {
    const orderBy = this.orderBy.value
    const traders = await client.tokenTraders(this.mint, { limit: RECORDS, orderBy, extra: true })
    if (traders.ok && orderBy === this.orderBy.value) this.traders.value = traders.data
    return isAnswered(traders)
  }
}
