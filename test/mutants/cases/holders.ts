/** The ten largest of many holders, while they buy, sell and arrive late. */
import type { FeedEvent } from '../../../src/events/event.ts'
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

const wallets = (count: number) => Array.from({ length: count }, (_, index) => `wallet ${index}`)

/** Nearly all of the large sell to less than the small have: those must come into the list. */
const falling = story('the large become the smallest', [
  price(150),
  created(),
  ...wallets(WALLETS).map((signer, index) =>
    swap({ signer, slot: 200 + index, baseRaw: BigInt(1_000 - index) * 10n ** 9n }),
  ),
  ...wallets(30).map((signer, index) =>
    swap({
      signer,
      slot: 300 + index,
      direction: 'sell',
      baseRaw: BigInt(1_000 - index) * 10n ** 9n - BigInt(index + 1) * 10n ** 6n,
    }),
  ),
])

/** Late, another pool turns out to be the first: who was taken for the pool is a holder again. */
const pools = story('another pool was first', [
  price(150),
  created(),
  ...[...wallets(15), 'pool one', 'pool two'].map((signer, index) =>
    swap({ signer, slot: 200 + index, baseRaw: BigInt(10 + index) * 10n ** 11n }),
  ),
  swap({ slot: 230, source: 'pump_amm', pool: 'pool one' }),
  swap({ slot: 225, source: 'pump_amm', pool: 'pool two' }),
  swap({ slot: 231, signer: 'wallet 1', baseRaw: 1_000n }),
])

export const cases: readonly Case[] = [
  ...[1, 2].map((seed) => story(`holders ${seed}`, trades(seed))),
  falling,
  pools,
]
