import { signal } from '@preact/signals'
import type { Swap, TraderRecord } from '../../../client/src/mintfeed.ts'
import { client } from '../feed/connection.ts'
import { isAnswered } from '../feed/reread.ts'

/** First buyers that are read: snipers are among them. */
const BUYERS = 100
/** Trades of a wallet that are read; those after them come live. */
const SWAPS = 200

/** The wallet whose trades are marked, those that were read, and why they were not; '': nobody. */
export interface Followed {
  readonly wallet: string
  /** Null: there is no answer yet. */
  readonly swaps: readonly Swap[] | null
  readonly problem: string | null
}
const NOBODY: Followed = { wallet: '', swaps: null, problem: null }

/** Trades of one token that the chart marks: read before they leave the tape, and anew when that began anew. */
export class MarkedTrades {
  readonly snipers = signal<readonly TraderRecord[]>([])
  readonly creatorSwaps = signal<readonly Swap[]>([])
  readonly followed = signal<Followed>(NOBODY)
  readonly #mint: string
  #creator = ''
  #areRead = false

  constructor(mint: string) {
    this.#mint = mint
  }

  /** What was read is of another state of the market, or lacks trades. */
  want(): void {
    this.#areRead = false
  }

  /** Nothing that was read holds any more. */
  forget(): void {
    this.snipers.value = []
    this.creatorSwaps.value = []
    this.followed.value = { ...NOBODY, wallet: this.followed.value.wallet }
    this.want()
  }

  /** Came on the tape, which does not keep them. */
  came(trades: readonly { readonly swap: Swap }[]): void {
    const { wallet } = this.followed.value
    if (trades.some(({ swap: { signer } }) => signer === wallet || signer === this.#creator))
      this.want()
  }

  async follow(text: string): Promise<void> {
    this.followed.value = { ...NOBODY, wallet: text.trim() }
    if (!(await this.#readFollowed())) this.want()
  }

  /** Reads what is wanted; answers whether there is nothing left to read. */
  async read(creator: string): Promise<boolean> {
    if (this.#areRead) return true
    this.#areRead = true
    this.#creator = creator
    const answered = await Promise.all([
      this.#readSnipers(),
      this.#readCreator(creator),
      this.#readFollowed(),
    ])
    if (answered.includes(false)) this.want()
    return this.#areRead
  }

  async #readSnipers(): Promise<boolean> {
    const buyers = await client.firstBuyers(this.#mint, { limit: BUYERS })
    if (buyers.ok) this.snipers.value = buyers.data.items.filter((buyer) => buyer.sniper_wallet)
    return isAnswered(buyers)
  }

  async #readCreator(creator: string): Promise<boolean> {
    if (creator === '') return true
    const swaps = await client.swaps(this.#mint, { wallet: creator, limit: SWAPS })
    if (swaps.ok) this.creatorSwaps.value = swaps.data.items
    return isAnswered(swaps)
  }

  async #readFollowed(): Promise<boolean> {
    const { wallet, swaps: before } = this.followed.value
    if (wallet === '') return true
    const answer = await client.swaps(this.#mint, { wallet, limit: SWAPS })
    // Somebody else may be followed by now.
    if (this.followed.value.wallet !== wallet) return true
    this.followed.value = answer.ok
      ? { wallet, swaps: answer.data.items, problem: null }
      : { wallet, swaps: before, problem: answer.problem.message }
    return isAnswered(answer)
  }
}
