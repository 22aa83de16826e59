import { Market } from '../../src/feeds/simulator/market.ts'
import { History } from '../../src/feeds/simulator/simulator.ts'
import { Auditor } from './auditor.ts'

export const START = 1_790_000_000
export const RATE = 50
export const DAY = 86_400

/** History and live trading of a market, audited as it is made. */
export function audited(tokens: number, liveSwaps: number, seed = 7): Auditor {
  let now = START
  const auditor = new Auditor(() => now)
  const options = { seed, tokens, startSeconds: START, addressBook: auditor.names }
  const market = new Market(options, auditor)
  const history = new History(market, { tokens, rate: RATE, endSeconds: START })
  while (!history.step());
  for (let made = 0; made < liveSwaps; made += RATE) market.run(RATE, ++now)
  market.flush()
  auditor.close()
  return auditor
}
