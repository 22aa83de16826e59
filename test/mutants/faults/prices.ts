import type { Fault } from '../fault.ts'

const CHAINS = ['test/engine/history/swap-chains.test.ts'] as const
const ROUTES = ['test/server/routes/prices.test.ts'] as const

/** Faults of prices of now and at a moment. */
export const PRICE_FAULTS: readonly Fault[] = [
  {
    name: 'prices: a trade of the very second is left out',
    file: 'src/engine/history/swap-chains.ts',
    find: 'if (time <= seconds)',
    replace: 'if (time < seconds)',
    tests: CHAINS,
  },
  {
    name: 'prices: a remembered stretch is skipped by the time of its newest swap',
    file: 'src/engine/history/swap-chains.ts',
    find: 'least = Math.min(least, time)',
    replace: 'least = least === EVER ? time : least',
    tests: CHAINS,
  },
  {
    name: 'prices: a stretch that late swaps may still move is remembered',
    file: 'src/engine/history/swap-chains.ts',
    find: 'if (number % REMEMBERED_EVERY === 0 && next <= settled) {',
    replace: 'if (number % REMEMBERED_EVERY === 0) {',
    tests: CHAINS,
  },
  {
    name: 'prices: the walk asks for no budget',
    file: 'src/engine/history/swap-chains.ts',
    find: 'if (walkedFrom >= 0) budget.throwIfSpent()',
    replace: '',
    tests: CHAINS,
  },
  {
    name: 'prices: a price at a moment is that of now',
    file: 'src/query/json/token-json.ts',
    find: 'pricesJson(token.mint, usd, sol, usd * swap.supply)',
    replace: 'pricesJson(token.mint, token.priceUsd, sol, usd * swap.supply)',
    tests: ROUTES,
  },
  {
    name: 'prices: an empty list of mints is taken',
    file: 'src/protocol/requests/tokens.ts',
    find: 'const mints = parseMints(list.value, isKnownAddress)\n  if (!mints.ok || mints.value.length > 0) return mints',
    replace:
      'const mints = parseMints(list.value, isKnownAddress)\n  if (mints.ok || !mints.ok) return mints',
    tests: ROUTES,
  },
]
