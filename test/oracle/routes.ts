/**
 * Routes through several coins in one transaction (contract section 2). A transaction is a run of
 * neighbours with one signature. Of a buy with hop 1 the coin is the middle, whatever follows; of a
 * sell with a later hop it is where hop 1 sold for that coin.
 */
import type { Swap } from '../../src/events/event.ts'
import { foldProceeds, type Position } from './positions.ts'
import type { FoldedSwap } from './world.ts'

interface Sale {
  readonly position: Position
  readonly folded: FoldedSwap
  isPaid: boolean
}

export class Routes {
  /** Counts the transactions so far. */
  transaction = 0
  private signature: string | null = null
  /** The swaps of the present transaction. */
  private swaps: FoldedSwap[] = []
  /** Of these the sells with hop 1. */
  private sales: Sale[] = []

  /** Called before a swap is looked at; true: it opens a transaction. */
  begin({ signature }: Swap): boolean {
    if (this.signature === signature) return false
    this.signature = signature
    this.transaction += 1
    this.swaps = []
    this.sales = []
    return true
  }

  isMiddle(swap: Swap): boolean {
    if (swap.direction === 'buy') return swap.route === 1
    return this.saleFor(swap) !== undefined
  }

  take(folded: FoldedSwap): void {
    this.swaps.push(folded)
  }

  /** The hop that bought the coin which a buy with a later hop pays with. */
  payerOf({ direction, route = 0, signer }: Swap, coin: string | null): FoldedSwap | null {
    if (direction !== 'buy' || route < 2) return null
    const payer = this.swaps.findLast(
      ({ swap }) =>
        swap.direction === 'buy' &&
        swap.route === 1 &&
        swap.signer === signer &&
        swap.mint === coin,
    )
    return payer ?? null
  }

  foldedInto(position: Position, folded: FoldedSwap): void {
    const { direction, route } = folded.swap
    if (direction === 'sell' && route === 1) this.sales.push({ position, folded, isPaid: false })
  }

  /** Hop 2 of a sale is what hop 1 was sold for. */
  giveProceeds(folded: FoldedSwap): void {
    const sale = folded.swap.direction === 'sell' ? this.saleFor(folded.swap) : undefined
    if (sale === undefined) return
    sale.isPaid = true
    foldProceeds(sale.position, sale.folded, folded)
  }

  private saleFor({ route = 0, signer, mint }: Swap): Sale | undefined {
    if (route < 2) return undefined
    return this.sales.findLast(
      ({ folded, isPaid }) =>
        !isPaid && folded.swap.signer === signer && folded.quoteThen.coin === mint,
    )
  }
}
