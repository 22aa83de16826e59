import type { Fault } from '../fault.ts'

const AMM = ['amm', 'test/feeds/amm-swaps.test.ts'] as const

/** Faults of the chain decoder. */
export const FEED_FAULTS: readonly Fault[] = [
  {
    name: 'AMM: the pool quote without its virtual reserves',
    file: 'src/feeds/chain/amm-swap.ts',
    find: 'asU64(trade.poolQuoteRaw + trade.virtualQuoteRaw)',
    replace: 'asU64(trade.poolQuoteRaw)',
    tests: AMM,
  },
  {
    name: 'AMM: the reserves of a buy before the trade',
    file: 'src/feeds/chain/amm-swap.ts',
    find: "event.integer('pool_base_token_reserves') - baseRaw",
    replace: "event.integer('pool_base_token_reserves')",
    tests: AMM,
  },
  {
    name: 'AMM: a sell takes the LP fee out of the pool',
    file: 'src/feeds/chain/amm-swap.ts',
    find: "event.integer('quote_amount_out_without_lp_fee')",
    replace: "event.integer('quote_amount_out')",
    tests: AMM,
  },
  {
    name: 'AMM: the balance after a sell is that before',
    file: 'src/feeds/chain/amm-swap.ts',
    find: ': balanceBeforeRaw - baseRaw',
    replace: ': balanceBeforeRaw',
    tests: AMM,
  },
]
