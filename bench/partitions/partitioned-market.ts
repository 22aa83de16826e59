import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent, Swap } from '../../src/events/event.ts'
import { Flag, RecordBatch, SwapLane, walletOf } from '../../src/events/swap-record.ts'
import type { Market } from '../../src/feeds/simulator/market.ts'
import { copyInto, type MarketSize, newMarket, playHistory } from '../recorded-market.ts'
import { Partition } from './partition.ts'

export const PARTITIONS = 16
/** More than a batch of the simulator has. */
const COPIED_RECORDS = 1 << 16

/** By what a mint is put into a partition; a token that is quoted in a coin follows the coin in a family. */
type Placement = 'mint' | 'family'

/** Partitions of one market, and what the sequencer tells them. */
export class PartitionSet {
  readonly placement: Placement
  /** Are the facts that need other mints told? */
  readonly hasStamps: boolean
  readonly partitions: readonly Partition[]
  readonly #homes = new Map<string, number>()

  constructor(whole: Engine, placement: Placement, hasStamps: boolean) {
    this.placement = placement
    this.hasStamps = hasStamps
    this.partitions = Array.from({ length: PARTITIONS }, () => new Partition(whole))
  }

  /** The partition of a mint; the quote counts where it is the first time that the mint is named. */
  homeOf(mint: string, quoteMint?: string): number {
    const known = this.#homes.get(mint)
    if (known !== undefined) return known
    const coin = quoteMint === undefined ? undefined : this.#homes.get(quoteMint)
    const home = this.placement === 'family' && coin !== undefined ? coin : homeByHash(mint)
    this.#homes.set(mint, home)
    return home
  }

  other(event: Exclude<FeedEvent, Swap>): void {
    if (!('mint' in event)) for (const partition of this.partitions) partition.other(event)
    else {
      const quote = event.type === 'token_created' ? event.quoteMint : undefined
      this.partitions[this.homeOf(event.mint, quote)].other(event)
    }
  }

  /** All partitions stand where the whole does. */
  mark(): void {
    for (const partition of this.partitions) {
      partition.mark()
      if (this.hasStamps) partition.handOver()
    }
  }
}

/** FNV-1a with a last mix, as any hash would do. */
export function homeByHash(mint: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < mint.length; i++) hash = Math.imul(hash ^ mint.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return ((hash ^ (hash >>> 13)) >>> 0) % PARTITIONS
}

/** A simulated market that one engine folds whole, and sets of partitions behind it. */
export class PartitionedMarket {
  readonly whole = new Engine({ clock: 'event' })
  sets: readonly PartitionSet[]
  /** What the sequencer would have sent beside the swaps. */
  readonly told = { launches: 0, migrations: 0, links: 0, prices: 0, proTurns: 0 }
  readonly #market: Market
  readonly #copy = new RecordBatch(COPIED_RECORDS)
  /** By wallet row: was it a pro at its last swap? */
  readonly #pros: boolean[] = []
  #swaps = 0

  constructor(size: MarketSize, sets: readonly (readonly [Placement, boolean])[]) {
    this.sets = sets.map(([placement, hasStamps]) => {
      return new PartitionSet(this.whole, placement, hasStamps)
    })
    const sink = { records: (batch: RecordBatch) => this.#take(batch) }
    this.#market = newMarket(size, this.whole.state.book, sink)
    playHistory(this.#market, size)
    this.mark()
  }

  /** Goes on for some swaps, at so many a second. */
  live(swaps: number, rate: number): void {
    this.#market.run(swaps, this.#market.seconds + swaps / rate)
    this.#market.flush()
    this.mark()
  }

  /** Goes on with the last of the sets alone. */
  keepLast(): void {
    this.sets = this.sets.slice(-1)
  }

  mark(): void {
    this.whole.order.keepUp()
    for (const set of this.sets) set.mark()
  }

  #take(batch: RecordBatch): void {
    // The fold writes into a batch.
    const copy = this.#copy
    copyInto(copy, batch)
    this.whole.records(batch)
    copy.walk(
      (from, to) => {
        for (let i = from; i < to; i++) this.#swap(i)
      },
      (event) => this.#other(event),
    )
    if (this.whole.state.tape.count !== this.#swaps)
      throw new Error('the market gave a swap twice or late: stamps would belong to others')
  }

  #swap(index: number): void {
    const copy = this.#copy
    const { tape, book } = this.whole.state
    const shown = tape.u32Of(this.#swaps)[tape.at(this.#swaps) + SwapLane.flags]
    this.#swaps += 1
    const stamps = this.#stampsOf(shown)
    const at = RecordBatch.u32At(index)
    this.#countTurn(walletOf(copy.u32, at), (shown & Flag.proTrader) !== 0)
    const mint = book.mintOf(copy.u32[at + SwapLane.token])
    for (const set of this.sets)
      set.partitions[set.homeOf(mint)].swap(copy, index, set.hasStamps ? stamps : 0)
  }

  /** The wallet's classes at a swap, in the bits that a feed gives them in. */
  #stampsOf(shown: number): number {
    const fresh = shown & Flag.freshWallet ? Flag.freshValue : 0
    const pro = shown & Flag.proTrader ? Flag.proValue : 0
    return Flag.freshGiven | fresh | Flag.proGiven | pro
  }

  #countTurn(wallet: number, isPro: boolean): void {
    if (isPro !== (this.#pros[wallet] ?? false)) this.told.proTurns += 1
    this.#pros[wallet] = isPro
  }

  #other(event: FeedEvent): void {
    if (event.type === 'swap') return
    if (event.type === 'token_created') this.told.launches += 1
    if (event.type === 'migrated') this.told.migrations += 1
    if (event.type === 'metadata' && event.twitter) this.told.links += 1
    if (event.type === 'sol_price') this.told.prices += 1
    for (const set of this.sets) set.other(event)
  }
}
