/** What a token shows of its quote where additive fields are asked for (contract section 1). */
import { quoteUsd } from './coins.ts'
import { mintOfQuote } from './quote.ts'
import { additiveFees, wasPriced } from './swaps.ts'
import { cleanText, NAME_LENGTH } from './text.ts'
import type { FoldedSwap, Token, World } from './world.ts'

const SYMBOLS = { sol: 'SOL', usdc: 'USDC' } as const

/** What a swap shows where additive fields are asked for. */
export function additiveSwap(world: World, token: Token, folded: FoldedSwap): object {
  const { coins } = world
  return {
    ...additiveFees(coins, token, folded),
    ...additiveQuote(world, token),
    priced: wasPriced(token, folded),
  }
}

export function additiveQuote(world: World, { quote }: Token): object {
  const coin = world.tokens.get(quote.coin)?.created?.event
  return {
    quote_mint: mintOfQuote(quote),
    quote_symbol:
      quote.kind === 'coin' ? cleanText(coin?.symbol ?? '', NAME_LENGTH) : SYMBOLS[quote.kind],
    priced: quoteUsd(world.coins, quote, world.solPriceUsd) > 0,
  }
}
