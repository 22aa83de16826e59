import { Random } from '../../../src/base/random.ts'
import type { Block, BlockTransaction, TestChain } from './chain-blocks.ts'
import { SyntheticMarket } from './synthetic-market.ts'

const FIRST_SLOT = 430_000_000
const FIRST_SECOND = 1_790_000_000

/**
 * A chain from a seed: skipped slots, blocks of up to five of our transactions, failed ones among them.
 * @param slotsApart slots from one block to the next where none is skipped
 */
export function syntheticChain(seed: number, blockCount: number, slotsApart = 1): TestChain {
  const random = new Random(seed, 77)
  const market = new SyntheticMarket(random)
  const blocks: Block[] = []
  let slot = FIRST_SLOT
  for (let n = 0; n < blockCount; n++) {
    const parentSlot = slot
    slot += (random.chance(0.1) ? random.between(2, 4) : 1) * slotsApart
    const timestamp = FIRST_SECOND + Math.floor((slot - FIRST_SLOT) * 0.4)
    blocks.push({
      slot,
      parentSlot,
      timestamp,
      transactions: transactions(random, market, timestamp),
    })
  }
  return { blocks, accounts: market.accounts }
}

function transactions(
  random: Random,
  market: SyntheticMarket,
  timestamp: number,
): BlockTransaction[] {
  let index = random.between(0, 20)
  return Array.from({ length: random.between(1, 5) }, () => {
    const hasFailed = random.chance(0.3)
    const told = hasFailed ? { emitted: [], balances: [] } : market.next(timestamp)
    const transaction = {
      ...told,
      signature: market.signature(),
      index,
      hasFailed,
      feeRaw: 5_000 + random.below(9_000),
    }
    index += random.between(1, 9)
    return transaction
  })
}
