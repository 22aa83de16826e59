import { Engine } from '../../src/engine/engine.ts'
import { Holders } from '../../src/engine/fold/position-fold.ts'
import { U32List } from '../../src/engine/memory/rows.ts'
import type { AddressBook } from '../../src/engine/state/address-book.ts'
import { LifecycleLane, WalletFlag, WalletLane } from '../../src/engine/state/layout.ts'
import type { FeedEvent, Swap } from '../../src/events/event.ts'
import { Quote } from '../../src/events/platform.ts'
import {
  givenQuoteOf,
  poolLane,
  poolOf,
  RecordBatch,
  SWAP_U32_LANES,
  SwapLane,
} from '../../src/events/swap-record.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'

const BATCH_RECORDS = 1_024
const CREATOR_LANES = [WalletLane.creations, WalletLane.migrations]

/** An engine that folds the events of some mints, which come from the batches of an engine of all mints. */
export class Partition {
  readonly engine = new Engine({ clock: 'wall' })
  readonly answers = new EngineQueries(this.engine, () => undefined)
  /** Swaps and events of its mints. */
  events = 0
  readonly #whole: Engine
  readonly #batch = new RecordBatch(BATCH_RECORDS)
  readonly #holders = new Holders(this.engine.state, this.engine.top)
  /** Time of the newest event. */
  #seconds = 0
  /** Rows here plus one, by those of the whole. */
  readonly #tokens = new U32List()
  readonly #wallets = new U32List()
  readonly #addresses = new U32List()
  /** Rows of the whole by those here. */
  readonly #wholeTokens = new U32List()
  readonly #wholeWallets = new U32List()

  constructor(whole: Engine) {
    this.#whole = whole
  }

  /** Takes a record of a batch; `given` are flags that the feed of this partition adds. */
  swap(from: RecordBatch, index: number, given: number): void {
    if (this.#batch.isFull) this.flush()
    const at = RecordBatch.u32At(this.#batch.next())
    const source = RecordBatch.u32At(index)
    const { u32 } = this.#batch
    u32.set(from.u32.subarray(source, source + SWAP_U32_LANES), at)
    const { book } = this.#whole.state
    const own = this.engine.state.book
    u32[at + SwapLane.token] = numberOf(this.#tokens, u32[at + SwapLane.token], (row) =>
      own.token(book.mintOf(row)),
    )
    u32[at + SwapLane.wallet] = numberOf(this.#wallets, u32[at + SwapLane.wallet], (row) =>
      own.wallet(book.walletText(row)),
    )
    const quote = givenQuoteOf(u32, at)
    const pool = this.#address(poolOf(u32, at), book)
    u32[at + SwapLane.pool] = poolLane(pool, quote < 0 ? undefined : quote)
    if (quote === Quote.other)
      u32[at + SwapLane.quoteMint] = this.#address(u32[at + SwapLane.quoteMint], book)
    u32[at + SwapLane.flags] |= given
    this.#seconds = Math.max(this.#seconds, u32[at + SwapLane.timestamp])
    this.events += 1
  }

  other(event: Exclude<FeedEvent, Swap>): void {
    this.#batch.addOther(event)
    this.#seconds = Math.max(this.#seconds, event.timestamp)
    if ('mint' in event) this.events += 1
  }

  flush(): void {
    this.engine.advance(this.#seconds)
    if (this.#batch.events > 0) this.engine.records(this.#batch)
    this.#batch.clear()
  }

  /** Folds what came, up to a mark of the sequencer. */
  mark(): void {
    this.flush()
    this.engine.advance(this.#whole.state.now)
    this.engine.order.keepUp()
  }

  /**
   * What events of their own would bring, which the formats do not have: judgements of wallets, counts of creators,
   * reuses of links. They are written into the rows.
   */
  handOver(): void {
    this.#judgeWallets()
    const [state, whole] = [this.engine.state, this.#whole.state]
    const { count } = state.tokens
    const rows = this.#wholeTokens
    while (rows.length < count) rows.push(whole.book.findToken(state.book.mintOf(rows.length)))
    const reuses = this.engine.links.reuses(count)
    const wholeReuses = this.#whole.links.reuses(whole.tokens.count)
    for (let token = 0; token < count; token++) {
      const row = rows.get(token)
      reuses[token] = wholeReuses[row]
      const creator = state.births.get(token, LifecycleLane.creatorPlus1) - 1
      const wholeCreator = whole.births.get(row, LifecycleLane.creatorPlus1) - 1
      if (creator < 0 || wholeCreator < 0) continue
      for (const lane of CREATOR_LANES) {
        const told = whole.wallets.get(wholeCreator, lane)
        if (told === state.wallets.get(creator, lane)) continue
        state.wallets.set(creator, lane, told)
        state.creatorChanges.note(creator)
      }
    }
  }

  #judgeWallets(): void {
    const [state, whole] = [this.engine.state, this.#whole.state]
    const { count } = state.wallets
    const rows = this.#wholeWallets
    while (rows.length < count) rows.push(whole.book.findWallet(state.book.walletText(rows.length)))
    for (let wallet = 0; wallet < count; wallet++) {
      const row = rows.get(wallet)
      const told = row < whole.wallets.count ? whole.wallets.get(row, WalletLane.flags) : 0
      if (((told ^ state.wallets.get(wallet, WalletLane.flags)) & WalletFlag.pro) !== 0)
        this.#turnPro(wallet)
    }
  }

  #turnPro(wallet: number): void {
    const { state } = this.engine
    const positions: number[] = []
    let next = state.wallets.get(wallet, WalletLane.positionsPlus1)
    for (; next !== 0; next = state.nextInWallet(next - 1)) positions.push(next - 1)
    for (const position of positions) this.#holders.takeOut(position)
    const flags = state.wallets.get(wallet, WalletLane.flags)
    state.wallets.set(wallet, WalletLane.flags, flags ^ WalletFlag.pro)
    for (const position of positions) this.#holders.putBack(position)
  }

  #address(id: number, book: AddressBook): number {
    const own = this.engine.state.book
    return numberOf(this.#addresses, id, () => own.address(book.text(id)))
  }
}

/** A number that is looked up once. */
function numberOf(known: U32List, of: number, find: (of: number) => number): number {
  const numberPlus1 = known.get(of)
  if (numberPlus1 !== 0) return numberPlus1 - 1
  const found = find(of)
  known.set(of, found + 1)
  return found
}
