/** Wallets by day, creators and holders over time, on histories that have the rare things. */

import { FOUND_SEEDS, runWallets } from '../../model/wallet-histories.ts'
import type { Case } from '../check.ts'

export const cases: readonly Case[] = [...FOUND_SEEDS, 1, 2, 3, 4, 5].map((seed) => ({
  name: `wallets of history ${seed}`,
  run: () => runWallets(seed).found,
}))
