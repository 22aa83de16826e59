import { LRUCache } from 'lru-cache'
import { asU64 } from '../../base/u64.ts'
import type { ChainPosition, FeedEvent, Migrated, Reserves, Swap } from '../../events/event.ts'
import type { FeedCounters } from '../feed-counters.ts'
import {
  type AmmTrade,
  isBoost,
  isContradictory,
  reservesAfter,
  swapOfAmm,
  tradeOfBuy,
  tradeOfSell,
} from './amm-swap.ts'
import {
  BOOST_BUY_AND_BURN_EVENT,
  BUY_EVENT,
  CREATE_POOL_EVENT,
  DEPOSIT_EVENT,
  INIT_BOOST_EVENT,
  SELL_EVENT,
  WITHDRAW_EVENT,
} from './layouts/amm-pool-layouts.ts'
import { type DecodedEvent, type EventOf, isEvent } from './layouts/decode-event.ts'
import { bondingCurveAddress, canonicalPoolAddress } from './layouts/program-address.ts'
import {
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  type UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT,
} from './layouts/pump-coin-layouts.ts'
import type { PoolMints, QuoteDecimals } from './pool-mints.ts'
import type { ChainTransaction } from './transactions/transaction.ts'

/** Pools whose virtual part of the quote is remembered, the busiest of a day. */
const POOLS_MAX = 20_000

/** One event of a transaction and what stands around it. */
export interface EventPlace {
  readonly position: ChainPosition
  readonly transaction: ChainTransaction
  /** All events of the transaction. */
  readonly decoded: readonly DecodedEvent[]
}

/** Events of the AMM program to the engine's. */
export class PoolEvents {
  readonly #pools: PoolMints
  readonly #decimals: QuoteDecimals
  readonly #counters: FeedCounters
  /** By pool, what its last event said. */
  readonly #virtualQuoteRaw = new LRUCache<string, bigint>({ max: POOLS_MAX })

  constructor(pools: PoolMints, decimals: QuoteDecimals, counters: FeedCounters) {
    this.#pools = pools
    this.#decimals = decimals
    this.#counters = counters
  }

  /** null: the event lacks what it is read for. */
  eventsOf(event: DecodedEvent, place: EventPlace): readonly FeedEvent[] | null {
    if (isEvent(event, BUY_EVENT))
      return isBoost(event, place.decoded)
        ? this.#boost(tradeOfBuy(event), place)
        : this.#swap(tradeOfBuy(event), place)
    if (isEvent(event, SELL_EVENT)) return this.#swap(tradeOfSell(event), place)
    if (isEvent(event, CREATE_POOL_EVENT)) return this.#created(event, place)
    if (isEvent(event, DEPOSIT_EVENT)) return this.#changed(changeOfDeposit(event), place)
    if (isEvent(event, WITHDRAW_EVENT)) return this.#changed(changeOfWithdrawal(event), place)
    if (isEvent(event, INIT_BOOST_EVENT)) {
      if (!event.has('real_quote_reserves_after')) return null
      const pool = event.text('pool')
      this.#virtualQuoteRaw.set(pool, event.integer('virtual_quote_reserves'))
      const opened = place.decoded.find(
        (other) => isEvent(other, CREATE_POOL_EVENT) && other.text('pool') === pool,
      )
      if (opened === undefined || !isEvent(opened, CREATE_POOL_EVENT) || !isCanonical(opened))
        return []
      return [openedPool(opened, event, place.position)]
    }
    if (isEvent(event, BOOST_BUY_AND_BURN_EVENT)) {
      const pool = event.text('pool')
      const isEmitted = place.decoded.some(
        (other) =>
          isEvent(other, BUY_EVENT) && other.text('pool') === pool && isBoost(other, place.decoded),
      )
      if (isEmitted) return []
      const burned = burnedPool(event, place.position)
      if (burned !== null) this.#virtualQuoteRaw.set(pool, event.integer('virtual_quote_reserves'))
      return burned === null ? null : [burned]
    }
    return []
  }

  #swap(trade: AmmTrade | null, { position, transaction }: EventPlace): FeedEvent[] | null {
    if (trade === null) return null
    const lookup = this.#pools.lookupIn(trade.pool, transaction.balances)
    if (lookup.found !== 'mint') {
      if (lookup.found === 'foreign') this.#counters.foreignPools++
      else this.#counters.unknownPools++
      return []
    }
    this.#noteReserves(trade)
    const decimals = this.#decimals.keyOf(lookup.quoteMint, transaction.balances)
    return [{ ...swapOfAmm(trade, position, lookup, transaction), ...decimals }]
  }

  #boost(trade: AmmTrade | null, { position, transaction }: EventPlace): FeedEvent[] | null {
    if (trade === null) return null
    const lookup = this.#pools.lookupIn(trade.pool, transaction.balances)
    if (lookup.found !== 'mint') return []
    this.#noteReserves(trade)
    return [boostedPool(trade, position, lookup.mint)]
  }

  #noteReserves(trade: AmmTrade): void {
    this.#virtualQuoteRaw.set(trade.pool, trade.virtualQuoteRaw)
    if (isContradictory(trade)) this.#counters.contradictoryEvents++
  }

  #changed(change: PoolChange | null, { position, transaction }: EventPlace): Reserves[] | null {
    if (change === null) return null
    const lookup = this.#pools.lookupIn(change.pool, transaction.balances)
    // Anybody's other pools of the mint have no part in its price.
    if (lookup.found !== 'mint') return []
    if (change.baseRaw < 0n || change.quoteRaw < 0n) this.#counters.contradictoryEvents++
    const virtualRaw = this.#virtualQuoteRaw.get(change.pool) ?? null
    return [changedPool(change, position, lookup.mint, virtualRaw)]
  }

  /**
   * Who makes the pool of a mint is its migration, and nobody else can: where the log was cut before the
   * event of that, the pool says it.
   */
  #created(
    event: EventOf<typeof CREATE_POOL_EVENT>,
    { position, decoded }: EventPlace,
  ): FeedEvent[] | null {
    if (!event.has('pool')) return null
    const mint = event.text('base_mint')
    const poolAmm = event.text('pool')
    this.#pools.learnCreated(poolAmm, mint, event.text('quote_mint'))
    this.#decimals.learn(event.text('quote_mint'), event.small('quote_mint_decimals'))
    if (!isCanonical(event)) return []
    const events: FeedEvent[] = []
    const isMigrationTold = decoded.some(
      (other) =>
        isEvent(other, COMPLETE_PUMP_AMM_MIGRATION_EVENT) &&
        other.has('pool') &&
        other.text('mint') === mint,
    )
    const bondingCurve = bondingCurveAddress(mint)
    if (!isMigrationTold && bondingCurve !== null) {
      const migrated: Migrated = { type: 'migrated', ...position, mint, bondingCurve, poolAmm }
      events.push(migrated)
    }
    const isBoosted = decoded.some(
      (other) =>
        isEvent(other, INIT_BOOST_EVENT) &&
        other.has('real_quote_reserves_after') &&
        other.text('pool') === poolAmm,
    )
    if (!isBoosted) events.push(openedPool(event, null, position))
    return events
  }
}

/** Index 0 and the platform's authority of the mint as creator: both are in the address. */
function isCanonical(event: EventOf<typeof CREATE_POOL_EVENT>): boolean {
  return (
    canonicalPoolAddress(event.text('base_mint'), event.text('quote_mint')) === event.text('pool')
  )
}

/** What a deposit or a withdrawal leaves in its pool; raw units, may be below 0 where the event is wrong. */
interface PoolChange {
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
function boostedPool(trade: AmmTrade, position: ChainPosition, mint: string): Reserves {
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
function burnedPool(
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
function changeOfDeposit(event: EventOf<typeof DEPOSIT_EVENT>): PoolChange | null {
  if (!event.has('pool')) return null
  return {
    reason: 'deposit',
    pool: event.text('pool'),
    baseRaw: event.integer('pool_base_token_reserves') + event.integer('base_amount_in'),
    quoteRaw: event.integer('pool_quote_token_reserves') + event.integer('quote_amount_in'),
  }
}

/** As `changeOfDeposit`. */
function changeOfWithdrawal(event: EventOf<typeof WITHDRAW_EVENT>): PoolChange | null {
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
function changedPool(
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
function openedPool(
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
