import type { ChainPosition, Swap, TokenCreated } from '../../events/event.ts'
import { INITIAL_REAL_BASE_RAW } from '../../events/platform.ts'
import type { EventOf } from './layouts/decode-event.ts'
import { isSolMint } from './layouts/programs.ts'
import type {
  CREATE_EVENT,
  POST_COMPLETE_BUY_EVENT,
  TRADE_EVENT,
} from './layouts/pump-coin-layouts.ts'
import type { ChainTransaction } from './transactions/transaction.ts'

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
export function createdToken(
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
export function swapOfCurve(
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
export function swapBehindCurve(
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
