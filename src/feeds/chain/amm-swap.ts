import { asU64 } from '../../base/u64.ts'
import type { ChainPosition, Swap } from '../../events/event.ts'
import {
  BOOST_BUY_AND_BURN_EVENT,
  type BUY_EVENT,
  type SELL_EVENT,
} from './layouts/amm-pool-layouts.ts'
import { type DecodedEvent, type EventOf, isEvent } from './layouts/decode-event.ts'
import { isSolMint, ZERO_ADDRESS } from './layouts/programs.ts'
import type { PoolMint } from './pool-mints.ts'
import type { ChainTransaction } from './transactions/transaction.ts'

/** What buys and sells of the AMM have in common; raw units. */
export interface AmmTrade {
  readonly pool: string
  readonly signer: string
  readonly direction: 'buy' | 'sell'
  readonly baseRaw: bigint
  /** At the pool, before fees. */
  readonly quoteRaw: bigint
  readonly balanceBeforeRaw: bigint
  /** Reserves of the pool after the trade. */
  readonly poolBaseRaw: bigint
  readonly poolQuoteRaw: bigint
  /** Added to the quote reserve in the price formula; may be negative. */
  readonly virtualQuoteRaw: bigint
  readonly platformFeeRaw: bigint
  readonly creatorFeeRaw: bigint
  readonly lpFeeRaw: bigint
  readonly cashbackRaw: bigint
  /** 0: the event does not say. */
  readonly supplyRaw: bigint
}

/**
 * The events have the reserves before the trade. The LP fee stays in the pool: a buy adds the
 * amount with it, a sell takes out the amount without it. What a buy is worth at the pool is the first
 * without the fee: `quote_amount_in` is that in some instructions, and all that was spent in others.
 * null: the event ends too early.
 */
export function tradeOfBuy(event: EventOf<typeof BUY_EVENT>): AmmTrade | null {
  if (!event.has('user')) return null
  const baseRaw = event.integer('base_amount_out')
  const paidIn = event.integer('quote_amount_in_with_lp_fee')
  const lpFeeRaw = event.integer('lp_fee')
  return {
    pool: event.text('pool'),
    signer: event.text('user'),
    direction: 'buy',
    baseRaw,
    quoteRaw: paidIn - lpFeeRaw,
    balanceBeforeRaw: event.integer('user_base_token_reserves'),
    poolBaseRaw: event.integer('pool_base_token_reserves') - baseRaw,
    poolQuoteRaw: event.integer('pool_quote_token_reserves') + paidIn,
    virtualQuoteRaw: event.integer('virtual_quote_reserves'),
    platformFeeRaw: event.integer('protocol_fee'),
    creatorFeeRaw: event.integer('coin_creator_fee'),
    lpFeeRaw,
    cashbackRaw: event.integer('cashback'),
    supplyRaw: event.integer('base_supply'),
  }
}

/** As `tradeOfBuy`. */
export function tradeOfSell(event: EventOf<typeof SELL_EVENT>): AmmTrade | null {
  if (!event.has('user')) return null
  const baseRaw = event.integer('base_amount_in')
  const takenOut = event.integer('quote_amount_out_without_lp_fee')
  return {
    pool: event.text('pool'),
    signer: event.text('user'),
    direction: 'sell',
    baseRaw,
    quoteRaw: event.integer('quote_amount_out'),
    balanceBeforeRaw: event.integer('user_base_token_reserves'),
    poolBaseRaw: event.integer('pool_base_token_reserves') + baseRaw,
    poolQuoteRaw: event.integer('pool_quote_token_reserves') - takenOut,
    virtualQuoteRaw: event.integer('virtual_quote_reserves'),
    platformFeeRaw: event.integer('protocol_fee'),
    creatorFeeRaw: event.integer('coin_creator_fee'),
    lpFeeRaw: event.integer('lp_fee'),
    cashbackRaw: event.integer('cashback'),
    supplyRaw: event.integer('base_supply'),
  }
}

/**
 * Whether a EventOf<typeof BUY_EVENT> is of the platform's own boost, which buys out of its vault and burns: no token account
 * gets anything though one pays, and nobody is paid a fee. The event of the burn stands beside it, unless the
 * log was cut.
 */
export function isBoost(
  event: EventOf<typeof BUY_EVENT>,
  decoded: readonly DecodedEvent[],
): boolean {
  if (event.text('user_base_token_account') !== ZERO_ADDRESS) return false
  const fees = ['lp_fee', 'protocol_fee', 'coin_creator_fee'] as const
  if (fees.some((fee) => event.integer(fee) > 0n)) return false
  if (event.text('user_quote_token_account') !== ZERO_ADDRESS) return true
  const pool = event.text('pool')
  return decoded.some(
    (other) => isEvent(other, BOOST_BUY_AND_BURN_EVENT) && other.text('pool') === pool,
  )
}

/** Whether the amounts of a trade do not go with its reserves, so that something would be below 0. */
export function isContradictory(trade: AmmTrade): boolean {
  const { poolBaseRaw, poolQuoteRaw, virtualQuoteRaw, quoteRaw } = trade
  return [poolBaseRaw, poolQuoteRaw, poolQuoteRaw + virtualQuoteRaw, quoteRaw].some((n) => n < 0n)
}

/** Reserves of the pool after a trade, as the engine takes them: what makes the price, and what is there. */
export function reservesAfter({ poolBaseRaw, poolQuoteRaw, virtualQuoteRaw }: AmmTrade) {
  return {
    virtualBaseRaw: asU64(poolBaseRaw),
    virtualQuoteRaw: asU64(poolQuoteRaw + virtualQuoteRaw),
    realBaseRaw: asU64(poolBaseRaw),
    realQuoteRaw: asU64(poolQuoteRaw),
  }
}

/**
 * The swap as the engine takes it: virtual reserves are the effective ones that make the price,
 * real reserves what the pool holds. Its balances are those that the event has of its own token account,
 * which may pass on what it got: where the transaction tells better ones they win (`settled-swaps.ts`).
 */
export function swapOfAmm(
  trade: AmmTrade,
  position: ChainPosition,
  { mint, quoteMint }: PoolMint,
  { feeRaw }: Pick<ChainTransaction, 'feeRaw'>,
): Swap {
  const { direction, baseRaw, balanceBeforeRaw, lpFeeRaw, cashbackRaw } = trade
  const isBuy = direction === 'buy'
  return {
    type: 'swap',
    ...position,
    source: 'pump_amm',
    mint,
    pool: trade.pool,
    signer: trade.signer,
    direction,
    baseRaw,
    quoteRaw: asU64(trade.quoteRaw),
    ...reservesAfter(trade),
    platformFeeRaw: trade.platformFeeRaw,
    creatorFeeRaw: trade.creatorFeeRaw,
    ...(lpFeeRaw > 0n && { lpFeeRaw }),
    ...(cashbackRaw > 0n && { cashbackRaw }),
    ...(feeRaw !== null && { chainFeeRaw: feeRaw }),
    baseBalanceBeforeRaw: balanceBeforeRaw,
    baseBalanceAfterRaw: asU64(isBuy ? balanceBeforeRaw + baseRaw : balanceBeforeRaw - baseRaw),
    ...(trade.supplyRaw > 0n && { supplyRaw: trade.supplyRaw }),
    ...(quoteMint !== null && !isSolMint(quoteMint) && { quoteMint }),
  }
}
