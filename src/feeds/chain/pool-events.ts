import { LRUCache } from 'lru-cache'
import type { ChainPosition, FeedEvent, Migrated, Reserves } from '../../events/event.ts'
import type { FeedCounters } from '../feed-counters.ts'
import {
  type AmmTrade,
  isBoost,
  isContradictory,
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
import { COMPLETE_PUMP_AMM_MIGRATION_EVENT } from './layouts/pump-coin-layouts.ts'
import type { PoolMints, QuoteDecimals } from './pool-mints.ts'
import {
  boostedPool,
  burnedPool,
  changedPool,
  changeOfDeposit,
  changeOfWithdrawal,
  openedPool,
  type PoolChange,
} from './reserves-events.ts'
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

interface PoolParts {
  readonly pools: PoolMints
  readonly decimals: QuoteDecimals
  readonly counters: FeedCounters
}

/** Events of the AMM program to the engine's. */
export class PoolEvents {
  readonly #parts: PoolParts
  /** By pool, what its last event said. */
  readonly #virtualQuoteRaw = new LRUCache<string, bigint>({ max: POOLS_MAX })

  constructor(parts: PoolParts) {
    this.#parts = parts
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
    const lookup = this.#parts.pools.lookupIn(trade.pool, transaction.balances)
    if (lookup.found !== 'mint') {
      if (lookup.found === 'foreign') this.#parts.counters.foreignPools++
      else this.#parts.counters.unknownPools++
      return []
    }
    this.#noteReserves(trade)
    const decimals = this.#parts.decimals.keyOf(lookup.quoteMint, transaction.balances)
    return [{ ...swapOfAmm(trade, position, lookup, transaction), ...decimals }]
  }

  #boost(trade: AmmTrade | null, { position, transaction }: EventPlace): FeedEvent[] | null {
    if (trade === null) return null
    const lookup = this.#parts.pools.lookupIn(trade.pool, transaction.balances)
    if (lookup.found !== 'mint') return []
    this.#noteReserves(trade)
    return [boostedPool(trade, position, lookup.mint)]
  }

  #noteReserves(trade: AmmTrade): void {
    this.#virtualQuoteRaw.set(trade.pool, trade.virtualQuoteRaw)
    if (isContradictory(trade)) this.#parts.counters.contradictoryEvents++
  }

  #changed(change: PoolChange | null, { position, transaction }: EventPlace): Reserves[] | null {
    if (change === null) return null
    const lookup = this.#parts.pools.lookupIn(change.pool, transaction.balances)
    // Anybody's other pools of the mint have no part in its price.
    if (lookup.found !== 'mint') return []
    if (change.baseRaw < 0n || change.quoteRaw < 0n) this.#parts.counters.contradictoryEvents++
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
    this.#parts.pools.learnCreated(poolAmm, mint, event.text('quote_mint'))
    this.#parts.decimals.learn(event.text('quote_mint'), event.small('quote_mint_decimals'))
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
