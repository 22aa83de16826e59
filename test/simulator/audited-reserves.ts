import type { Reserves } from '../../src/events/event.ts'
import { must } from './must.ts'

/** What a curve or pool stands at. */
export interface Pot {
  base: bigint
  quote: bigint
  realBase: bigint
  /** Virtual quote that is not real. */
  offset: bigint
  supply: bigint
}

/** Rounding that a ratio may be off by, raw units. */
const ROUNDING = 2n

/**
 * Applies what may happen for the event's reason, and nothing else; returns the tokens that left the
 * hands of holders by it.
 */
export function auditReserves(event: Reserves, pot: Pot): bigint {
  const { base, quote } = pot
  switch (event.reason) {
    case 'mayhem': {
      const offset = event.virtualQuoteRaw - event.realQuoteRaw
      must(
        offset > 0n && event.realQuoteRaw === quote - pot.offset,
        'real quote of a re-priced curve',
      )
      pot.offset = offset
      pot.quote = event.virtualQuoteRaw
      return 0n
    }
    case 'boost': {
      const spent = event.virtualQuoteRaw - quote
      const bought = (base * spent) / (quote + spent)
      must(spent > 0n && bought > 0n, 'a boost of nothing')
      pot.base = base - bought
      pot.realBase = pot.base
      pot.quote = event.virtualQuoteRaw
      pot.supply -= bought
      return 0n
    }
    case 'burn': {
      const burned = pot.supply - (event.supplyRaw ?? 0n)
      must(burned > 0n, 'a burn of nothing')
      pot.supply -= burned
      return burned
    }
    case 'deposit':
    case 'withdraw': {
      const given = event.virtualBaseRaw - base
      must(event.reason === 'deposit' ? given > 0n : given < 0n, 'direction of liquidity')
      const off = event.virtualQuoteRaw - (quote * event.virtualBaseRaw) / base
      must(off >= -ROUNDING && off <= ROUNDING, 'ratio of liquidity')
      pot.base = event.virtualBaseRaw
      pot.realBase = pot.base
      pot.quote = event.virtualQuoteRaw
      return given
    }
    case 'pool_opened':
      throw new Error('opened twice')
  }
}
