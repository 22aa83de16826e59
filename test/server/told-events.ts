/** Events of a market that a server under test is told, one after the other. */
import type { Swap, TokenCreated } from '../../src/events/event.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'

let trades = 0

/** Trades begin in their first slot again, as each file of tests does. */
export function restartTrades(): void {
  trades = 0
}

/** A trade in the slot and second after those of the last one. */
export function trade(over: Partial<Swap> = {}): Swap {
  trades += 1
  return swap({ slot: 10 + trades, txIndex: 0, timestamp: START_SECOND + trades, ...over })
}

/** The creation of a mint, before all trades. */
export function born(mint: string, over: Partial<TokenCreated> = {}): TokenCreated {
  return created({ slot: 1, mint, signature: `create ${mint}`, ...over })
}
