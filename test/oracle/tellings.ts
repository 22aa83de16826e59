/**
 * What events tell of quotes beside what they are. The first that arrived of those told for a mint is
 * its coin, and the first decimals that arrived for a coin are the coin's, whatever the order says.
 */
import type { Placed, PositionResolver } from './order.ts'
import { type Quote, quoteOf, SOL } from './quote.ts'

interface Told<T> {
  readonly value: T
  /** How many events had been taken before it. */
  readonly arrival: number
}

export class Tellings {
  /** By mint the quote that the first telling swap in order named. */
  private readonly kinds = new Map<string, Quote>()
  private readonly coins = new Map<string, Quote>()
  private readonly decimalsOfCoins = new Map<string, Told<number>>()
  private readonly arrivalOf = new Map<Placed, number>()
  /** The newest arrival among the events up to this place. */
  private reached = -1

  constructor(arrivals: PositionResolver) {
    for (const [arrival, placed] of arrivals.placed.entries()) {
      this.arrivalOf.set(placed, arrival)
      const { event } = placed
      if (event.type !== 'swap' && event.type !== 'token_created') continue
      const quote = quoteOf(event.quoteMint)
      if (quote.kind !== 'coin') continue
      if (event.type === 'swap' && !this.coins.has(event.mint)) this.coins.set(event.mint, quote)
      const value = event.quoteDecimals
      if (value !== undefined && !this.decimalsOfCoins.has(quote.coin))
        this.decimalsOfCoins.set(quote.coin, { value, arrival })
    }
    for (const { event } of arrivals.sorted())
      if (event.type === 'swap' && event.quoteMint !== undefined && !this.kinds.has(event.mint))
        this.kinds.set(event.mint, quoteOf(event.quoteMint))
  }

  /** The fold has come to this event. */
  reach(placed: Placed): void {
    if (placed.foldsAnew) this.reached = Math.max(this.reached, this.arrivalOf.get(placed) ?? -1)
  }

  /** What all swaps of a mint say together: the kind by their order, the coin by their arrival. */
  quote(mint: string): Quote {
    const first = this.kinds.get(mint) ?? SOL
    return first.kind === 'coin' ? this.coin(mint) : first
  }

  coin(mint: string): Quote {
    return this.coins.get(mint) ?? SOL
  }

  decimals(coin: string): number | undefined {
    return this.decimalsOfCoins.get(coin)?.value
  }

  /**
   * As it was when the event at this place was last folded: that is when the newest arrival came of
   * those that stand up to here. What arrived later leaves what is stored with a swap.
   */
  decimalsThen(coin: string): number | undefined {
    const told = this.decimalsOfCoins.get(coin)
    return told !== undefined && told.arrival <= this.reached ? told.value : undefined
  }
}
