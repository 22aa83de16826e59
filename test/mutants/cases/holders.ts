/** The ten largest of many holders, while they buy, sell and arrive late. */
import type { FeedEvent } from '../../../src/engine/event.ts'
import { created, price, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import type { Case } from '../check.ts'
import { story } from '../story.ts'

const WALLETS = 45
const TRADES = 130

function trades(seed: number): FeedEvent[] {
  const random = new Random(seed)
  const events: FeedEvent[] = [price(150), created()]
  for (let index = 0; index < WALLETS + TRADES; index += 1) {
    const isFirst = index < WALLETS
    const signer = `wallet ${isFirst ? index : random.integer(0, WALLETS - 1)}`
    const isBuy = isFirst || random.chance(0.3)
    const late = random.chance(0.15) ? random.integer(1, 20) : 0
    events.push(
      swap({
        signer,
        slot: 200 + index - late,
        direction: isBuy ? 'buy' : 'sell',
        baseRaw: BigInt(random.integer(1, isBuy ? 10 ** 13 : 2 * 10 ** 13)),
      }),
    )
  }
  return events
}

export const cases: readonly Case[] = [1, 2].map((seed) => story(`holders ${seed}`, trades(seed)))
