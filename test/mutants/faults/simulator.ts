import type { Fault } from '../fault.ts'

const MARKET = ['test/simulator/platform.test.ts']

/** Faults of the simulated market, which its auditor must catch. */
export const SIMULATOR_FAULTS: readonly Fault[] = [
  {
    name: 'simulator: the rest of a completing buy leaves its tokens in the pool to come',
    file: 'src/feeds/simulator/trader.ts',
    find: 'lanes[lane + T.virtualBase] = poolBase - base',
    replace: 'lanes[lane + T.virtualBase] = poolBase',
    tests: MARKET,
  },
  {
    name: 'simulator: what a buy paid in a coin is told by nobody',
    file: 'src/feeds/simulator/coin-trades.ts',
    find: 'this.#parts.holdings.giveAway(quoteRow, quotePlace, paidRaw)',
    replace: '',
    tests: MARKET,
  },
  {
    name: 'simulator: both hops of a route have the first number',
    file: 'src/feeds/simulator/coin-trades.ts',
    find: 'const SECOND_HOP = givenBits(2)',
    replace: 'const SECOND_HOP = givenBits(1)',
    tests: MARKET,
  },
  {
    name: 'simulator: a far hop pays the platform too',
    file: 'src/feeds/simulator/coin-trades.ts',
    find: 'return this.#parts.trader.buy(row, wallet, flags | SECOND_HOP, FeePart.far)',
    replace: 'return this.#parts.trader.buy(row, wallet, flags | SECOND_HOP)',
    tests: MARKET,
  },
  {
    name: 'simulator: a boost burns nothing',
    file: 'src/feeds/simulator/reserve-moves.ts',
    find: 'this.#parts.holdings.lowerSupply(row, base)',
    replace: '',
    tests: MARKET,
  },
  {
    name: 'simulator: a re-priced mayhem curve is worth what it was',
    file: 'src/feeds/simulator/reserve-moves.ts',
    find: 'lanes[lane + T.virtualQuote] = realQuote + offset',
    replace: '',
    tests: MARKET,
  },
  {
    name: 'simulator: slots of 400 ms',
    file: 'src/feeds/simulator/world/chain-clock.ts',
    find: 'const SLOT_SECONDS_NUMERATOR = 67',
    replace: 'const SLOT_SECONDS_NUMERATOR = 100',
    tests: MARKET,
  },
  {
    name: 'simulator: the tier of 28 points has the 27.5 of the published picture, cut',
    file: 'src/feeds/simulator/world/fee-schedule.ts',
    find: '[54030, 7_590_000, 20, 5, 28]',
    replace: '[54030, 7_590_000, 20, 5, 27]',
    tests: ['test/simulator/fees.test.ts'],
  },
  {
    name: 'simulator: a symbol is cut in the middle of a character',
    file: 'src/feeds/simulator/world/token-text.ts',
    find: "Array.from(name).slice(0, SYMBOL_CHARACTERS).join('')",
    replace: 'name.slice(0, SYMBOL_CHARACTERS)',
    tests: ['test/simulator/text.test.ts'],
  },
]
