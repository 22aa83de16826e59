/** Prices, other quotes, and the one rounding of a swap's USD. */

import { created, price, RESERVES, swap } from '../../oracle/fixtures.ts'
import { USDC } from '../../oracle/market.ts'
import type { Case } from '../check.ts'
import { story } from '../story.ts'

/** Lamports whose USD at 1 and 3 per SOL end in, below and above a half micro-USD. */
const NEAR_HALVES = [499n, 500n, 501n, 700n, 1499n, 1500n, 2_500n, 10n ** 15n + 500n] as const

const halves = story('halves are rounded up', [
  created(),
  price(1),
  ...NEAR_HALVES.map((quoteRaw, index) => swap({ slot: 110 + index, quoteRaw })),
  price(3),
  ...NEAR_HALVES.map((quoteRaw, index) => swap({ slot: 120 + index, quoteRaw })),
])

const ownPrice = story('own prices before and after that of the feed', [
  created(),
  swap({ solPriceUsd: 90 }),
  swap({ slot: 111 }),
  swap({ slot: 112, solPriceUsd: 95 }),
  price(150),
  swap({ slot: 113 }),
  swap({ slot: 114, solPriceUsd: 99 }),
  swap({ slot: 115 }),
])

const quotes = story('quoted in USDC', [
  created({ quoteMint: USDC }),
  swap({ quoteRaw: 2_500_000n }),
  price(150),
  swap({ slot: 111, quoteRaw: 1_234_567n, platformFeeRaw: 7_777n, chainFeeRaw: 5_000n }),
  swap({ slot: 112, direction: 'sell', baseRaw: 50_000_000n, quoteRaw: 3_000_001n }),
])

const reserves = story('reserves of zero leave the price', [
  price(150),
  created(),
  swap(),
  swap({ slot: 111, virtualBaseRaw: 0n }),
  swap({ slot: 112, virtualQuoteRaw: 0n }),
  swap({ slot: 113, baseRaw: 0n, virtualQuoteRaw: RESERVES.virtualQuoteRaw * 2n }),
])

export const cases: readonly Case[] = [halves, ownPrice, quotes, reserves]
