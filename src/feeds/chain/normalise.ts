/**
 * feeds/chain makes the engine's events of transactions. In: a `ChainTransaction` (logs or inner instructions, balances, fee),
 * from RPC, Yellowstone or a recording. Out: `FeedEvent`s in the order of their ordinals. `layouts` decodes the events of both
 * programs, `transactions` reads the forms in which transactions come; `settled-swaps` says who traded and what he holds.
 * Invariants: nothing here throws on bytes from outside; what cannot become an event is counted. Only the pool that a
 * migration makes counts for a mint.
 */

import { LRUCache } from 'lru-cache'
import type { ChainPosition, FeedEvent, Reserves, Swap, TokenCreated } from '../../events/event.ts'
import { INITIAL_REAL_BASE_RAW } from '../../events/platform.ts'
import type { FeedCounters } from '../feed-counters.ts'
import {
  AMM_POOL_LAYOUTS,
  BUY_EVENT,
  CREATE_POOL_EVENT,
  DEPOSIT_EVENT,
  SELL_EVENT,
  WITHDRAW_EVENT,
} from './layouts/amm-pool-layouts.ts'
import { type DecodedEvent, type EventOf, isEvent } from './layouts/decode-event.ts'
import type { AnyEventLayout, FieldValue } from './layouts/event-layout.ts'
import { bondingCurveAddress } from './layouts/program-address.ts'
import { isSolMint } from './layouts/programs.ts'
import {
  COMPLETE_EVENT,
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  CREATE_EVENT,
  POST_COMPLETE_BUY_EVENT,
  TRADE_EVENT,
  UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT,
} from './layouts/pump-coin-layouts.ts'
import { type EventPlace, mayhemCurve, PoolEvents, repricedCurve } from './pool-events.ts'
import { PoolMints, QuoteDecimals } from './pool-mints.ts'
import { balanceEvents, settledSwaps } from './settled-swaps.ts'
import type { NewForms } from './transactions/new-forms.ts'
import { type ChainTransaction, decodeTransaction } from './transactions/transaction.ts'

const UNIX_SECONDS_MAX = 0xffffffffn
/** Curves remembered from creations; others are derived, which costs a fraction of a ms. */
const CURVES_MAX = 50_000

/** Events that become events of the engine; all others are known, and change nothing that it folds. */
const FOLDED: ReadonlySet<AnyEventLayout> = new Set<AnyEventLayout>([
  TRADE_EVENT,
  POST_COMPLETE_BUY_EVENT,
  CREATE_EVENT,
  COMPLETE_EVENT,
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT,
  ...AMM_POOL_LAYOUTS,
])

/** Mints remembered; of one that is forgotten it is emitted once more. */
const MINTS_MAX = 50_000
/** Creation or re-pricing said it: no trade has to. */
const BY_EVENT = ''

/** Program events of one feed to the engine's events. */
export class ChainNormaliser {
  /** Takes pools from before the feed started (a snapshot). */
  readonly pools = new PoolMints()
  readonly #counters: FeedCounters
  readonly #forms: NewForms | undefined
  readonly #curves = new LRUCache<string, string>({ max: CURVES_MAX })
  readonly #decimals: QuoteDecimals
  readonly #poolEvents: PoolEvents
  readonly #mayhem = new MayhemMints()

  /** @param forms reports events that no layout knows */
  constructor(counters: FeedCounters, forms?: NewForms) {
    this.#counters = counters
    this.#forms = forms
    this.#decimals = new QuoteDecimals(counters)
    this.#poolEvents = new PoolEvents(this.pools, this.#decimals, counters)
  }

  /** Events of the transaction in order; what cannot become one is counted. Never throws. */
  events(transaction: ChainTransaction): readonly FeedEvent[] {
    return this.eventsOf(this.decode(transaction), transaction)
  }

  /** The first half of `events`. */
  decode(transaction: ChainTransaction): readonly DecodedEvent[] {
    return decodeTransaction(transaction, this.#counters, this.#forms)
  }

  /**
   * Pools of events that need their mint, which nobody has named, nor the events before them: to be looked
   * up before `eventsOf`.
   */
  unknownPools(decoded: readonly DecodedEvent[], transaction: ChainTransaction): readonly string[] {
    const pools = new Set<string>()
    const made = new Set<string>()
    for (const event of decoded) {
      if (isEvent(event, COMPLETE_PUMP_AMM_MIGRATION_EVENT)) made.add(event.text('pool'))
      if (isEvent(event, CREATE_POOL_EVENT)) made.add(event.text('pool'))
      const pool = poolOf(event)
      if (pool === null || made.has(pool)) continue
      if (this.pools.lookupIn(pool, transaction.balances).found === 'nothing') pools.add(pool)
    }
    return [...pools]
  }

  /**
   * The second half of `events`. Behind the events of the programs, by their ordinals, stand what the
   * transaction says beside them: that a curve is a mayhem one, and what owners hold.
   */
  eventsOf(decoded: readonly DecodedEvent[], transaction: ChainTransaction): readonly FeedEvent[] {
    if (decoded.length === 0) return []
    // What they come to before the balances are looked at.
    const soFar: FeedEvent[] = []
    const mayhemTrades: Swap[] = []
    for (const [ordinal, event] of decoded.entries()) {
      if (!FOLDED.has(event.layout)) continue
      const position = positionOf(secondsOf(event, decoded, transaction), ordinal, transaction)
      const events =
        position === null
          ? null
          : this.#eventsOf(event, { position, transaction, decoded }, mayhemTrades)
      if (events !== null) soFar.push(...events)
      else this.#counters.unusableEvents++
    }
    if (soFar.length === 0) return []
    const pools = this.#poolsOf(decoded)
    const settled = settledSwaps(soFar, pools, transaction, this.#counters)
    const mayhem = this.#mayhem.events(mayhemTrades, decoded.length)
    const ordinal = decoded.length + mayhem.length
    const balances = balanceEvents(settled, pools, transaction, ordinal, this.#counters)
    return [...settled.events, ...mayhem, ...balances]
  }

  /**
   * null: the event lacks what it is read for.
   * @param mayhemTrades takes the trades on curves that say of themselves that they are mayhem ones
   */
  #eventsOf(
    event: DecodedEvent,
    place: EventPlace,
    mayhemTrades: Swap[],
  ): readonly FeedEvent[] | null {
    const { position, transaction } = place
    if (isEvent(event, TRADE_EVENT)) {
      const curve = this.#curveOf(event.text('mint'))
      const swap = curve === null ? null : swapOfCurve(event, position, curve, transaction)
      if (swap === null) return null
      if (event.flag('mayhem_mode')) mayhemTrades.push(swap)
      return [this.#withDecimals(swap, transaction)]
    }
    if (isEvent(event, POST_COMPLETE_BUY_EVENT)) {
      const swap = swapBehindCurve(event, position, transaction)
      return swap === null ? null : [this.#withDecimals(swap, transaction)]
    }
    if (isEvent(event, CREATE_EVENT)) {
      const created = createdToken(event, position)
      if (created === null) return null
      this.#curves.set(created.mint, created.bondingCurve)
      if (event.has('is_mayhem_mode')) this.#mayhem.learn(created.mint)
      return [{ ...created, ...this.#decimals.keyOf(created.quoteMint, transaction.balances) }]
    }
    if (isEvent(event, COMPLETE_EVENT)) {
      if (!event.has('timestamp')) return null
      const bondingCurve = event.text('bonding_curve')
      return [{ type: 'completed', ...position, mint: event.text('mint'), bondingCurve }]
    }
    if (isEvent(event, COMPLETE_PUMP_AMM_MIGRATION_EVENT)) {
      if (!event.has('pool')) return null
      const mint = event.text('mint')
      const poolAmm = event.text('pool')
      const quoteMint = event.has('quote_mint') ? event.text('quote_mint') : null
      this.pools.learn(poolAmm, { mint, quoteMint })
      const bondingCurve = event.text('bonding_curve')
      return [{ type: 'migrated', ...position, mint, bondingCurve, poolAmm }]
    }
    if (isEvent(event, UPDATE_MAYHEM_VIRTUAL_PARAMS_EVENT)) {
      const repriced = repricedCurve(event, position)
      if (repriced !== null) this.#mayhem.learn(repriced.mint)
      return repriced === null ? null : [repriced]
    }
    return this.#poolEvents.eventsOf(event, place)
  }

  /** Addresses that trade with everybody: what they hold is nobody's. */
  #poolsOf(decoded: readonly DecodedEvent[]): ReadonlySet<string> {
    const pools = new Set<string>()
    for (const event of decoded) {
      if (isEvent(event, TRADE_EVENT)) pools.add(this.#curveOf(event.text('mint')) ?? '')
      const curve = textOf(event, 'bonding_curve')
      if (curve !== null) pools.add(curve)
      const pool = textOf(event, 'pool')
      if (pool !== null && this.pools.lookup(pool).found === 'mint') pools.add(pool)
    }
    return pools
  }

  #withDecimals(swap: Swap, { balances }: ChainTransaction): Swap {
    return { ...swap, ...this.#decimals.keyOf(swap.quoteMint, balances) }
  }

  #curveOf(mint: string): string | null {
    return this.#curves.get(mint) ?? bondingCurveAddress(mint)
  }
}

/** The pool that the event is about, where its mint has to be known for it; null: there is none. */
function poolOf(event: DecodedEvent): string | null {
  const isTrade = isEvent(event, BUY_EVENT) || isEvent(event, SELL_EVENT)
  if (isTrade) return event.has('user') ? event.text('pool') : null
  const isChange = isEvent(event, DEPOSIT_EVENT) || isEvent(event, WITHDRAW_EVENT)
  return isChange ? textOf(event, 'pool') : null
}

/** null: the event has no such field, or ends before it. */
function textOf(event: DecodedEvent, name: string): string | null {
  const value = fieldOf(event, name)
  return typeof value === 'string' ? value : null
}

function fieldOf(event: DecodedEvent, name: string): FieldValue | undefined {
  const index = event.layout.indexes.get(name)
  return index === undefined || index >= event.fieldsPresent ? undefined : event.values[index]
}

/** Creations of 2024 have no time: theirs is that of what was traded with them, or of the block. null: unknown. */
function secondsOf(
  event: DecodedEvent,
  decoded: readonly DecodedEvent[],
  { blockTime }: ChainTransaction,
): bigint | null {
  const own = fieldOf(event, 'timestamp')
  if (typeof own === 'bigint') return own
  // Every feed tells the events; few tell the block's time.
  const others = decoded.map((other) => fieldOf(other, 'timestamp'))
  const other = others.find((seconds) => typeof seconds === 'bigint')
  return other ?? (blockTime === null ? null : BigInt(blockTime))
}

/** null: the event's time is none that unix seconds in 32 bits hold. */
function positionOf(
  seconds: bigint | null,
  ordinal: number,
  { slot, txIndex, signature }: ChainTransaction,
): ChainPosition | null {
  if (seconds === null || seconds < 0n || seconds > UNIX_SECONDS_MAX) return null
  return { slot, txIndex, ordinal, signature, timestamp: Number(seconds) }
}

/** Mayhem curves whose creation was not seen: the first trade tells what they are. */
class MayhemMints {
  /** By mint, the signature that said it. */
  readonly #known = new LRUCache<string, string>({ max: MINTS_MAX })

  /** A creation or a re-pricing has said it. */
  learn(mint: string): void {
    this.#known.set(mint, BY_EVENT)
  }

  /**
   * Once for each mint, and whenever its transaction comes again: what was emitted first may not have come through.
   * @param trades of one transaction on mayhem curves, in order
   */
  events(trades: readonly Swap[], ordinal: number): readonly Reserves[] {
    const last = new Map(trades.map((trade) => [trade.mint, trade]))
    const first = [...last.values()].filter(({ mint, signature }) => {
      const first = this.#known.get(mint)
      if (first !== undefined) return first === signature
      this.#known.set(mint, signature)
      return true
    })
    return first.map((trade, k) => mayhemCurve(trade, ordinal + k))
  }
}

const PUMP_DECIMALS = 6
/** The token program of every creation before their events named it. */
const FIRST_TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

/** What every curve began with while creations did not tell it (2024). */
const INITIAL = {
  supplyRaw: 1_000_000_000_000_000n,
  virtualBaseRaw: 1_073_000_000_000_000n,
  virtualQuoteRaw: 30_000_000_000n,
  realBaseRaw: INITIAL_REAL_BASE_RAW,
}

/**
 * Creations of 2024 end at `user`: he is the creator, and the curve has the platform's initial reserves.
 * null: the event ends before that, or later and before its reserves.
 */
function createdToken(
  event: EventOf<typeof CREATE_EVENT>,
  position: ChainPosition,
): TokenCreated | null {
  const isOfUser = event.has('user') && !event.has('creator')
  const quoteMint = event.text('quote_mint')
  const isSol = isSolMint(quoteMint)
  if (!event.has(isSol ? 'real_token_reserves' : 'virtual_quote_reserves') && !isOfUser) return null
  return {
    type: 'token_created',
    ...position,
    mint: event.text('mint'),
    name: event.text('name'),
    symbol: event.text('symbol'),
    uri: event.text('uri'),
    creator: event.text(isOfUser ? 'user' : 'creator'),
    bondingCurve: event.text('bonding_curve'),
    tokenProgram: event.has('token_program') ? event.text('token_program') : FIRST_TOKEN_PROGRAM,
    isMayhemMode: event.flag('is_mayhem_mode'),
    decimals: PUMP_DECIMALS,
    ...(isOfUser ? INITIAL : toldReserves(event, isSol)),
    ...(!isSol && { quoteMint }),
  }
}

function toldReserves(event: EventOf<typeof CREATE_EVENT>, isSol: boolean) {
  return {
    ...(event.has('token_total_supply') && { supplyRaw: event.integer('token_total_supply') }),
    virtualBaseRaw: event.integer('virtual_token_reserves'),
    virtualQuoteRaw: event.integer(isSol ? 'virtual_sol_reserves' : 'virtual_quote_reserves'),
    realBaseRaw: event.integer('real_token_reserves'),
  }
}

/**
 * A trade on the curve; its reserves are those after the trade, its amounts are without fees.
 * Where the quote is not SOL the sol fields do not hold its amounts, the quote fields do.
 * Who traded, and the balances, are found out of the whole transaction (`settled-swaps.ts`).
 * null: the event ends before its reserves.
 */
function swapOfCurve(
  event: EventOf<typeof TRADE_EVENT>,
  position: ChainPosition,
  curve: string,
  { feeRaw }: Pick<ChainTransaction, 'feeRaw'>,
): Swap | null {
  const quoteMint = event.text('quote_mint')
  const isSol = isSolMint(quoteMint)
  if (!event.has(isSol ? 'real_token_reserves' : 'real_quote_reserves')) return null
  const cashbackRaw = event.integer('cashback')
  return {
    type: 'swap',
    ...position,
    source: 'pump',
    mint: event.text('mint'),
    pool: curve,
    signer: event.text('user'),
    direction: event.flag('is_buy') ? 'buy' : 'sell',
    baseRaw: event.integer('token_amount'),
    quoteRaw: event.integer(isSol ? 'sol_amount' : 'quote_amount'),
    virtualBaseRaw: event.integer('virtual_token_reserves'),
    virtualQuoteRaw: event.integer(isSol ? 'virtual_sol_reserves' : 'virtual_quote_reserves'),
    realBaseRaw: event.integer('real_token_reserves'),
    realQuoteRaw: event.integer(isSol ? 'real_sol_reserves' : 'real_quote_reserves'),
    platformFeeRaw: event.integer('fee'),
    creatorFeeRaw: event.integer('creator_fee'),
    ...(cashbackRaw > 0n && { cashbackRaw }),
    ...(feeRaw !== null && { chainFeeRaw: feeRaw }),
    ...(!isSol && { quoteMint }),
  }
}

/**
 * What the buyer that completed a curve bought behind its end, out of the pool to come: on the curve
 * nothing is left, and the reserves that make the price are those that the pool opens with.
 * null: the event ends before its reserves.
 */
function swapBehindCurve(
  event: EventOf<typeof POST_COMPLETE_BUY_EVENT>,
  position: ChainPosition,
  { feeRaw }: Pick<ChainTransaction, 'feeRaw'>,
): Swap | null {
  if (!event.has('pool_quote_reserves_after')) return null
  const quoteMint = event.text('quote_mint')
  return {
    type: 'swap',
    ...position,
    source: 'pump',
    mint: event.text('mint'),
    pool: event.text('bonding_curve'),
    signer: event.text('user'),
    direction: 'buy',
    baseRaw: event.integer('base_out'),
    quoteRaw: event.integer('quote_in'),
    virtualBaseRaw: event.integer('pool_base_reserves_after'),
    virtualQuoteRaw: event.integer('pool_quote_reserves_after'),
    realBaseRaw: 0n,
    realQuoteRaw: 0n,
    platformFeeRaw: event.integer('fee'),
    creatorFeeRaw: event.integer('creator_fee'),
    ...(feeRaw !== null && { chainFeeRaw: feeRaw }),
    ...(!isSolMint(quoteMint) && { quoteMint }),
  }
}
