/** Cost, clamp and fees over the swaps of one transaction. */
import { created, price, swap } from '../../oracle/fixtures.ts'
import type { Case } from '../check.ts'
import { story } from '../story.ts'

const inOne = (signature: string, slot: number, ordinal: number) => ({
  signature,
  slot,
  ordinal,
  txIndex: 3,
})

const clamped = story('a clamp holds only after its transaction', [
  price(100),
  created(),
  swap({ slot: 110 }),
  swap({ ...inOne('two', 120, 0), baseBalanceAfterRaw: 10_000_000n }),
  swap({
    ...inOne('two', 120, 1),
    direction: 'sell',
    baseRaw: 150_000_000n,
    baseBalanceAfterRaw: 10_000_000n,
  }),
  swap({ slot: 121, baseBalanceAfterRaw: 5_000_000n }),
  swap({ slot: 122, direction: 'sell', baseRaw: 30_000_000n }),
])

const fees = story('the chain fee counts once', [
  price(100),
  created(),
  ...[0, 1, 2].map((ordinal) =>
    swap({ ...inOne('three', 110, ordinal), chainFeeRaw: 9_000n, platformFeeRaw: 100n }),
  ),
  swap({ slot: 120, chainFeeRaw: 5_000n }),
])

export const cases: readonly Case[] = [clamped, fees]
