import { LRUCache } from 'lru-cache'
import type { ChainPosition, FeedEvent, Swap } from '../../engine/event.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { BUY_EVENT, CREATE_POOL_EVENT, SELL_EVENT } from './amm-pool-layouts.ts'
import { type AmmTrade, swapOfAmm, tradeOfBuy, tradeOfSell } from './amm-swap.ts'
import { createdToken, swapOfCurve } from './curve-events.ts'
import { type DecodedEvent, isEvent } from './decode-event.ts'
import { PoolMints } from './pool-mints.ts'
import { bondingCurveAddress } from './program-address.ts'
import {
  COMPLETE_EVENT,
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  CREATE_EVENT,
  TRADE_EVENT,
} from './pump-coin-layouts.ts'
import { type ChainTransaction, decodeTransaction } from './transaction.ts'

const UNIX_SECONDS_MAX = 0xffffffffn
/** Curves remembered from creations; others are derived, which costs a fraction of a ms. */
const CURVES_MAX = 50_000

/** Program events of one feed to the engine's events. */
export class ChainNormaliser {
  /** To be told of pools from before the feed started (a snapshot). */
  readonly pools = new PoolMints()
  readonly #counters: FeedCounters
  readonly #curves = new LRUCache<string, string>({ max: CURVES_MAX })

  constructor(counters: FeedCounters) {
    this.#counters = counters
  }

  /** Events of the transaction in order; what cannot become one is counted. Never throws. */
  events(transaction: ChainTransaction): readonly FeedEvent[] {
    return this.eventsOf(this.decode(transaction), transaction)
  }

  /** The first half of `events`. */
  decode(transaction: ChainTransaction): readonly DecodedEvent[] {
    return decodeTransaction(transaction, this.#counters)
  }

  /**
   * Pools of swaps among the events whose mint nobody has told, nor the events before them: to be looked
   * up before `eventsOf`.
   */
  unknownPools(decoded: readonly DecodedEvent[], transaction: ChainTransaction): readonly string[] {
    const pools = new Set<string>()
    const made = new Set<string>()
    for (const event of decoded) {
      if (isEvent(event, COMPLETE_PUMP_AMM_MIGRATION_EVENT)) made.add(event.text('pool'))
      if (isEvent(event, CREATE_POOL_EVENT)) made.add(event.text('pool'))
      if (!isEvent(event, BUY_EVENT) && !isEvent(event, SELL_EVENT)) continue
      if (!event.has('user')) continue
      const pool = event.text('pool')
      if (made.has(pool)) continue
      if (this.pools.lookupIn(pool, transaction.balances).found === 'nothing') pools.add(pool)
    }
    return [...pools]
  }

  /** The second half of `events`. */
  eventsOf(
    decodedEvents: readonly DecodedEvent[],
    transaction: ChainTransaction,
  ): readonly FeedEvent[] {
    const events: FeedEvent[] = []
    for (const [ordinal, decoded] of decodedEvents.entries()) {
      const event = this.#normalise(decoded, ordinal, transaction)
      if (event === 'unusable') this.#counters.unusableEvents++
      else if (event !== null) events.push(event)
    }
    return events
  }

  /** null: nothing the engine folds, or counted already. */
  #normalise(
    event: DecodedEvent,
    ordinal: number,
    transaction: ChainTransaction,
  ): FeedEvent | 'unusable' | null {
    if (isEvent(event, TRADE_EVENT)) {
      const position = positionOf(event.integer('timestamp'), ordinal, transaction)
      const curve = this.#curveOf(event.text('mint'))
      if (position === null || curve === null) return 'unusable'
      return swapOfCurve(event, position, curve, transaction) ?? 'unusable'
    }
    if (isEvent(event, BUY_EVENT)) {
      const position = positionOf(event.integer('timestamp'), ordinal, transaction)
      return this.#ammSwap(tradeOfBuy(event), position, transaction)
    }
    if (isEvent(event, SELL_EVENT)) {
      const position = positionOf(event.integer('timestamp'), ordinal, transaction)
      return this.#ammSwap(tradeOfSell(event), position, transaction)
    }
    return this.#lifecycle(event, ordinal, transaction)
  }

  #lifecycle(
    event: DecodedEvent,
    ordinal: number,
    transaction: ChainTransaction,
  ): FeedEvent | 'unusable' | null {
    if (isEvent(event, CREATE_EVENT)) {
      const position = positionOf(event.integer('timestamp'), ordinal, transaction)
      const created = position === null ? null : createdToken(event, position)
      if (created !== null) this.#curves.set(created.mint, created.bondingCurve)
      return created ?? 'unusable'
    }
    if (isEvent(event, COMPLETE_EVENT)) {
      const position = positionOf(event.integer('timestamp'), ordinal, transaction)
      if (position === null || !event.has('timestamp')) return 'unusable'
      const bondingCurve = event.text('bonding_curve')
      return { type: 'completed', ...position, mint: event.text('mint'), bondingCurve }
    }
    if (isEvent(event, COMPLETE_PUMP_AMM_MIGRATION_EVENT)) {
      const position = positionOf(event.integer('timestamp'), ordinal, transaction)
      if (position === null || !event.has('pool')) return 'unusable'
      const mint = event.text('mint')
      const poolAmm = event.text('pool')
      const quoteMint = event.has('quote_mint') ? event.text('quote_mint') : null
      this.pools.learn(poolAmm, { mint, quoteMint })
      const bondingCurve = event.text('bonding_curve')
      return { type: 'migrated', ...position, mint, bondingCurve, poolAmm }
    }
    if (isEvent(event, CREATE_POOL_EVENT) && event.has('pool')) {
      const pool = event.text('pool')
      this.pools.learnCreated(pool, event.text('base_mint'), event.text('quote_mint'))
    }
    return null
  }

  #ammSwap(
    trade: AmmTrade | null,
    position: ChainPosition | null,
    transaction: ChainTransaction,
  ): Swap | 'unusable' | null {
    if (trade === null || position === null) return 'unusable'
    const lookup = this.pools.lookupIn(trade.pool, transaction.balances)
    if (lookup.found === 'mint') {
      return swapOfAmm(trade, position, lookup, transaction)
    }
    if (lookup.found === 'foreign') this.#counters.foreignPools++
    else this.#counters.unknownPools++
    return null
  }

  #curveOf(mint: string): string | null {
    return this.#curves.get(mint) ?? bondingCurveAddress(mint)
  }
}

/** null: the event's time is none that unix seconds in 32 bits hold. */
function positionOf(
  timestamp: bigint,
  ordinal: number,
  transaction: ChainTransaction,
): ChainPosition | null {
  if (timestamp < 0n || timestamp > UNIX_SECONDS_MAX) return null
  const { slot, txIndex, signature } = transaction
  return { slot, txIndex, ordinal, signature, timestamp: Number(timestamp) }
}
