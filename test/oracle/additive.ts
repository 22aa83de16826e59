/** What a token shows of its quote where additive fields are asked for (contract section 1). */
import { quoteUsd } from './coins.ts'
import { dateText } from './exact.ts'
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

/** What a token says of its history (contract section 9). */
export function additiveHistory(world: World, token: Token): object {
  const last = lastUnseen(world)
  const isComplete = isHistoryComplete(world, token)
  const from = isComplete ? token.created?.event.timestamp : last?.seconds
  return {
    history_complete: isComplete,
    history_from: from === undefined ? null : dateText(from),
  }
}

export function isHistoryComplete(world: World, { created }: Token): boolean {
  const last = lastUnseen(world)
  return created !== null && (last === undefined || created.key.slot > last.slot)
}

function lastUnseen({ unseen }: World): World['unseen'][number] | undefined {
  return unseen.toSorted((a, b) => a.slot - b.slot).at(-1)
}

export function additiveQuote(world: World, { quote }: Token): object {
  const coin = world.tokens.get(quote.coin)?.state
  return {
    quote_mint: mintOfQuote(quote),
    quote_symbol:
      quote.kind === 'coin' ? cleanText(coin?.symbol ?? '', NAME_LENGTH) : SYMBOLS[quote.kind],
    priced: quoteUsd(world.coins, quote, world.solPriceUsd) > 0,
  }
}
