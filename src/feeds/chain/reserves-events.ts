import { asU64 } from '../../base/u64.ts'
import type { ChainPosition, Reserves, Swap } from '../../events/event.ts'
import { type AmmTrade, reservesAfter } from './amm-swap.ts'
import type {
  BOOST_BUY_AND_BURN_EVENT,
  CREATE_POOL_EVENT,
  DEPOSIT_EVENT,
  INIT_BOOST_EVENT,
  WITHDRAW_EVENT,
} from './layouts/amm-pool-layouts.ts'
import type { EventOf } from './layouts/decode-event.ts'
import type { UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT } from './layouts/pump-coin-layouts.ts'

/** What a deposit or a withdrawal leaves in its pool; raw units, may be below 0 where the event is wrong. */
export interface PoolChange {
  readonly reason: 'deposit' | 'withdraw'
  readonly pool: string
  readonly baseRaw: bigint
  readonly quoteRaw: bigint
}

/** A mayhem curve was priced anew. null: the event ends before its reserves. */
export function repricedCurve(
  event: EventOf<typeof UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT>,
  position: ChainPosition,
): Reserves | null {
  if (!event.has('real_sol_reserves')) return null
  return {
    type: 'reserves',
    ...position,
    mint: event.text('mint'),
    source: 'pump',
    virtualBaseRaw: event.integer('new_virtual_token_reserves'),
    virtualQuoteRaw: event.integer('new_virtual_sol_reserves'),
    realBaseRaw: event.integer('real_token_reserves'),
    realQuoteRaw: event.integer('real_sol_reserves'),
    reason: 'mayhem',
  }
}

/** That a curve is a mayhem one, shown by a trade on it: its reserves are those after the trade. */
export function mayhemCurve(trade: Swap, ordinal: number): Reserves {
  const { slot, txIndex, signature, timestamp, mint } = trade
  return {
    ...{ type: 'reserves', slot, txIndex, ordinal, signature, timestamp, mint, source: 'pump' },
    virtualBaseRaw: trade.virtualBaseRaw,
    virtualQuoteRaw: trade.virtualQuoteRaw,
    realBaseRaw: trade.realBaseRaw,
    realQuoteRaw: trade.realQuoteRaw,
    reason: 'mayhem',
  }
}

/** A boost's purchase of what it burns; the supply of the event is the one behind the burn. */
export function boostedPool(trade: AmmTrade, position: ChainPosition, mint: string): Reserves {
  return {
    type: 'reserves',
    ...position,
    mint,
    source: 'pump_amm',
    ...reservesAfter(trade),
    ...(trade.supplyRaw > 0n && { supplyRaw: trade.supplyRaw }),
    reason: 'boost',
  }
}

/** The same out of the event of the burn, where that of the purchase is missing. */
export function burnedPool(
  event: EventOf<typeof BOOST_BUY_AND_BURN_EVENT>,
  position: ChainPosition,
): Reserves | null {
  if (!event.has('base_reserves_after')) return null
  const baseRaw = event.integer('base_reserves_after')
  const quoteRaw = event.integer('real_quote_reserves_after')
  return {
    type: 'reserves',
    ...position,
    mint: event.text('mint'),
    source: 'pump_amm',
    virtualBaseRaw: baseRaw,
    virtualQuoteRaw: asU64(quoteRaw + event.integer('virtual_quote_reserves')),
    realBaseRaw: baseRaw,
    realQuoteRaw: quoteRaw,
    reason: 'boost',
  }
}

/** As those of trades, the events have the reserves before. null: the event ends too early. */
export function changeOfDeposit(event: EventOf<typeof DEPOSIT_EVENT>): PoolChange | null {
  if (!event.has('pool')) return null
  return {
    reason: 'deposit',
    pool: event.text('pool'),
    baseRaw: event.integer('pool_base_token_reserves') + event.integer('base_amount_in'),
    quoteRaw: event.integer('pool_quote_token_reserves') + event.integer('quote_amount_in'),
  }
}

/** As `changeOfDeposit`. */
export function changeOfWithdrawal(event: EventOf<typeof WITHDRAW_EVENT>): PoolChange | null {
  if (!event.has('pool')) return null
  return {
    reason: 'withdraw',
    pool: event.text('pool'),
    baseRaw: event.integer('pool_base_token_reserves') - event.integer('base_amount_out'),
    quoteRaw: event.integer('pool_quote_token_reserves') - event.integer('quote_amount_out'),
  }
}

/**
 * @param virtualQuoteRaw what is virtual of the pool's quote, which these events do not tell; null: nobody
 *   did. Then the reserves that make the price are 0, which leaves it as it is: a share of both sides
 *   does not move it
 */
export function changedPool(
  { reason, baseRaw, quoteRaw }: PoolChange,
  position: ChainPosition,
  mint: string,
  virtualQuoteRaw: bigint | null,
): Reserves {
  const isKnown = virtualQuoteRaw !== null
  return {
    type: 'reserves',
    ...position,
    mint,
    source: 'pump_amm',
    virtualBaseRaw: isKnown ? asU64(baseRaw) : 0n,
    virtualQuoteRaw: isKnown ? asU64(quoteRaw + virtualQuoteRaw) : 0n,
    realBaseRaw: asU64(baseRaw),
    realQuoteRaw: asU64(quoteRaw),
    reason,
  }
}

/** What a pool opens with; a boost makes a part of its quote virtual at once. */
export function openedPool(
  opened: EventOf<typeof CREATE_POOL_EVENT>,
  boost: EventOf<typeof INIT_BOOST_EVENT> | null,
  position: ChainPosition,
): Reserves {
  const baseRaw = opened.integer('pool_base_amount')
  const quoteRaw =
    boost === null
      ? opened.integer('pool_quote_amount')
      : boost.integer('real_quote_reserves_after')
  return {
    type: 'reserves',
    ...position,
    mint: opened.text('base_mint'),
    source: 'pump_amm',
    virtualBaseRaw: baseRaw,
    virtualQuoteRaw: asU64(quoteRaw + (boost?.integer('virtual_quote_reserves') ?? 0n)),
    realBaseRaw: baseRaw,
    realQuoteRaw: quoteRaw,
    reason: 'pool_opened',
  }
}
