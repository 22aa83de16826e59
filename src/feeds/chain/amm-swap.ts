import { asU64 } from '../../base/u64.ts'
import type { ChainPosition, Swap } from '../../engine/event.ts'
import type { BUY_EVENT, SELL_EVENT } from './amm-pool-layouts.ts'
import type { DecodedEvent } from './decode-event.ts'
import type { PoolMint } from './pool-mints.ts'
import { isSolMint } from './programs.ts'
import { type Balance, balanceOf, type ChainTransaction } from './transaction.ts'

type BuyEvent = DecodedEvent<(typeof BUY_EVENT)['fields']>
type SellEvent = DecodedEvent<(typeof SELL_EVENT)['fields']>

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
  /** 0: the event does not say. */
  readonly supplyRaw: bigint
}

/**
 * The events have the reserves before the trade. The LP fee stays in the pool: a buy adds the
 * amount with it, a sell takes out the amount without it. null: the event ends too early.
 */
export function tradeOfBuy(event: BuyEvent): AmmTrade | null {
  if (!event.has('user')) return null
  const baseRaw = event.integer('base_amount_out')
  const paidIn = event.integer('quote_amount_in_with_lp_fee')
  return {
    pool: event.text('pool'),
    signer: event.text('user'),
    direction: 'buy',
    baseRaw,
    quoteRaw: event.integer('quote_amount_in'),
    balanceBeforeRaw: event.integer('user_base_token_reserves'),
    poolBaseRaw: event.integer('pool_base_token_reserves') - baseRaw,
    poolQuoteRaw: event.integer('pool_quote_token_reserves') + paidIn,
    virtualQuoteRaw: event.integer('virtual_quote_reserves'),
    platformFeeRaw: event.integer('protocol_fee'),
    creatorFeeRaw: event.integer('coin_creator_fee'),
    supplyRaw: event.integer('base_supply'),
  }
}

/** As `tradeOfBuy`. */
export function tradeOfSell(event: SellEvent): AmmTrade | null {
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
    supplyRaw: event.integer('base_supply'),
  }
}

/**
 * The swap as the engine takes it: virtual reserves are the effective ones that make the price,
 * real reserves what the pool holds. The balance is that of the transaction, where it is known: what the
 * event has of its own token account may be passed on behind it.
 */
export function swapOfAmm(
  trade: AmmTrade,
  position: ChainPosition,
  { mint, quoteMint }: PoolMint,
  transaction: Pick<ChainTransaction, 'feeRaw' | 'balances'>,
): Swap {
  const { feeRaw } = transaction
  const balance = balanceOf(transaction, trade.signer, mint) ?? balanceOfEvent(trade)
  return {
    type: 'swap',
    ...position,
    source: 'pump_amm',
    mint,
    pool: trade.pool,
    signer: trade.signer,
    direction: trade.direction,
    baseRaw: trade.baseRaw,
    quoteRaw: trade.quoteRaw,
    virtualBaseRaw: asU64(trade.poolBaseRaw),
    virtualQuoteRaw: asU64(trade.poolQuoteRaw + trade.virtualQuoteRaw),
    realBaseRaw: asU64(trade.poolBaseRaw),
    realQuoteRaw: asU64(trade.poolQuoteRaw),
    platformFeeRaw: trade.platformFeeRaw,
    creatorFeeRaw: trade.creatorFeeRaw,
    ...(feeRaw !== null && { chainFeeRaw: feeRaw }),
    baseBalanceBeforeRaw: balance.beforeRaw,
    baseBalanceAfterRaw: balance.afterRaw,
    ...(trade.supplyRaw > 0n && { supplyRaw: trade.supplyRaw }),
    ...(quoteMint !== null && !isSolMint(quoteMint) && { quoteMint }),
  }
}

function balanceOfEvent({ direction, balanceBeforeRaw, baseRaw }: AmmTrade): Balance {
  const isBuy = direction === 'buy'
  return {
    beforeRaw: balanceBeforeRaw,
    afterRaw: asU64(isBuy ? balanceBeforeRaw + baseRaw : balanceBeforeRaw - baseRaw),
  }
}
