import type { ChainPosition, Swap, TokenCreated } from '../../engine/event.ts'
import type { DecodedEvent } from './decode-event.ts'
import { isSolMint } from './programs.ts'
import type { CREATE_EVENT, TRADE_EVENT } from './pump-coin-layouts.ts'
import { balanceOf, type ChainTransaction } from './transaction.ts'

const PUMP_DECIMALS = 6
/** The token program of every creation before their events told it. */
const FIRST_TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

type CreateEvent = DecodedEvent<(typeof CREATE_EVENT)['fields']>
type TradeEvent = DecodedEvent<(typeof TRADE_EVENT)['fields']>

/** null: the event ends before its reserves. */
export function createdToken(event: CreateEvent, position: ChainPosition): TokenCreated | null {
  const quoteMint = event.text('quote_mint')
  const isSol = isSolMint(quoteMint)
  if (!event.has(isSol ? 'real_token_reserves' : 'virtual_quote_reserves')) return null
  return {
    type: 'token_created',
    ...position,
    mint: event.text('mint'),
    name: event.text('name'),
    symbol: event.text('symbol'),
    uri: event.text('uri'),
    creator: event.text('creator'),
    bondingCurve: event.text('bonding_curve'),
    tokenProgram: event.has('token_program') ? event.text('token_program') : FIRST_TOKEN_PROGRAM,
    isMayhemMode: event.flag('is_mayhem_mode'),
    ...(event.has('token_total_supply') && { supplyRaw: event.integer('token_total_supply') }),
    decimals: PUMP_DECIMALS,
    virtualBaseRaw: event.integer('virtual_token_reserves'),
    virtualQuoteRaw: event.integer(isSol ? 'virtual_sol_reserves' : 'virtual_quote_reserves'),
    realBaseRaw: event.integer('real_token_reserves'),
    ...(!isSol && { quoteMint }),
  }
}

/**
 * A trade on the curve; its reserves are those after the trade, its amounts are without fees.
 * Where the quote is not SOL the sol fields do not hold its amounts, the quote fields do.
 * null: the event ends before its reserves.
 */
export function swapOfCurve(
  event: TradeEvent,
  position: ChainPosition,
  curve: string,
  transaction: ChainTransaction,
): Swap | null {
  const quoteMint = event.text('quote_mint')
  const isSol = isSolMint(quoteMint)
  if (!event.has(isSol ? 'real_token_reserves' : 'real_quote_reserves')) return null
  const mint = event.text('mint')
  const signer = event.text('user')
  const balance = balanceOf(transaction, signer, mint)
  return {
    type: 'swap',
    ...position,
    source: 'pump',
    mint,
    pool: curve,
    signer,
    direction: event.flag('is_buy') ? 'buy' : 'sell',
    baseRaw: event.integer('token_amount'),
    quoteRaw: event.integer(isSol ? 'sol_amount' : 'quote_amount'),
    virtualBaseRaw: event.integer('virtual_token_reserves'),
    virtualQuoteRaw: event.integer(isSol ? 'virtual_sol_reserves' : 'virtual_quote_reserves'),
    realBaseRaw: event.integer('real_token_reserves'),
    realQuoteRaw: event.integer(isSol ? 'real_sol_reserves' : 'real_quote_reserves'),
    platformFeeRaw: event.integer('fee'),
    creatorFeeRaw: event.integer('creator_fee'),
    ...(transaction.feeRaw !== null && { chainFeeRaw: transaction.feeRaw }),
    ...(balance !== null && {
      baseBalanceBeforeRaw: balance.beforeRaw,
      baseBalanceAfterRaw: balance.afterRaw,
    }),
    ...(!isSol && { quoteMint }),
  }
}
