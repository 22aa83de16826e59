import { signal } from '@preact/signals'
import type {
  Page,
  Problem,
  Subscription,
  Swap,
  TraderRecord,
  WalletSummary,
  WalletUpdate,
} from '../../../client/src/mintfeed.ts'
import { client, heard, isOtherStream, live } from '../feed/connection.ts'
import { isAnswered, Reread } from '../feed/reread.ts'
import { STREAM_AWAITED_MS } from '../feed/stream-awaited.ts'
import { nextBeat } from '../frame/beat.ts'
import { lastTrades, TRADES_MAX, tradesWithoutGaps } from './last-trades.ts'

const RECORDS = 100
/** Tokens whose trades before now are read: the ones traded last. */
const TOKENS_READ = 6
/** Trades read of each. */
const TRADES_READ = 30
/** Records are read again at most this often, in ms. */
const EVERY_MS = 2_000

/** What a wallet holds, earned and does, live. */
export class WalletFeed {
  readonly wallet: string
  readonly records = signal<Page<TraderRecord> | null>(null)
  /** By days and windows; null until it came. */
  readonly summary = signal<WalletSummary | null>(null)
  /** Newest first. */
  readonly trades = signal<readonly Swap[]>([])
  readonly problem = signal<Problem | null>(null)
  /** Why no trades come any more. */
  readonly refusal = signal<string | null>(null)
  #subscription: Subscription<WalletUpdate> | null = null
  readonly #withoutStream: ReturnType<typeof setTimeout>
  readonly #reads = new Reread(EVERY_MS, () => this.#readRecords())
  /** No stream brings them: the next records that are read say of which tokens they are. */
  #areTradesWanted = false
  /** Of the records that are shown; null: none are. */
  #epoch: string | null = null

  constructor(wallet: string) {
    this.wallet = wallet
    const subscription = live.walletTrades(wallet, { extra: true })
    this.#subscription = subscription
    void this.#readTrades(subscription)
    void this.#reads.start()
    this.#withoutStream = setTimeout(() => this.#wantTrades(), STREAM_AWAITED_MS)
  }

  close(): void {
    clearTimeout(this.#withoutStream)
    this.#reads.close()
    this.#subscription?.close()
    this.#subscription = null
  }

  #wantTrades(): void {
    this.#areTradesWanted = true
    void this.#reads.now()
  }

  /** The trades before now of these tokens, the one traded last first. */
  async #readBefore(tokens: readonly TraderRecord[]): Promise<void> {
    const answers = await Promise.all(
      tokens
        .slice(0, TOKENS_READ)
        .map(({ mint }) =>
          client.swaps(mint, { wallet: this.wallet, limit: TRADES_READ, extra: true }),
        ),
    )
    const pages = answers.map((answer) => (answer.ok ? answer.data : null))
    const before = tradesWithoutGaps(tokens, pages)
    this.trades.value = lastTrades([...this.trades.value, ...before])
  }

  async #readTrades(subscription: Subscription<WalletUpdate>): Promise<void> {
    let fresh: Swap[] = []
    for await (const update of subscription) {
      if (fresh.length === 0 && this.trades.value.length > 0) await nextBeat()
      if (update.kind === 'snapshot' || update.kind === 'refused') clearTimeout(this.#withoutStream)
      if (update.kind === 'snapshot') {
        this.#areTradesWanted = false
        // Behind a loss what is shown may be of a state that is no more.
        fresh = []
        this.trades.value = []
        void this.#reads.now()
        // Followed first and read then: what comes between is in both, and told apart below.
        void this.#readBefore(update.data.items)
      }
      if (update.kind === 'refused') {
        this.refusal.value = update.problem.message
        this.#wantTrades()
      }
      if (update.kind === 'event') fresh.unshift(update.data)
      if (subscription.buffered > 0 && fresh.length < TRADES_MAX) continue
      if (fresh.length > 0) this.#reads.want()
      this.trades.value = lastTrades([...fresh, ...this.trades.value])
      fresh = []
    }
  }

  /** Its figures stay those of before while the service is asked for too much, or recovers. */
  async #readSummary(): Promise<void> {
    const answer = await client.wallet(this.wallet)
    if (answer.ok) this.summary.value = answer.data
  }

  async #readRecords(): Promise<boolean> {
    const summary = this.#readSummary()
    const query = { limit: RECORDS, orderBy: 'last_active_ts' } as const
    const answer = await client.walletTokens(this.wallet, query)
    if (answer.ok) {
      this.records.value = answer.data
      if (answer.position !== null) heard(answer.position)
      if (isOtherStream(this.#epoch, answer.epoch)) {
        this.trades.value = []
        this.#areTradesWanted = true
      }
      this.#epoch = answer.epoch
      if (this.#areTradesWanted) void this.#readBefore(answer.data.items)
      this.#areTradesWanted = false
    } else if (this.records.value === null) this.problem.value = answer.problem
    await summary
    return isAnswered(answer)
  }
}
