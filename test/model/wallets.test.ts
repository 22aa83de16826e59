import { expect, test } from 'vitest'
import { byLength } from '../lengths.ts'
import { FOUND_SEEDS, runWallets } from './wallet-histories.ts'

const SEED = Number(process.env.MODEL_SEED ?? 20_261_129)
const HISTORIES = byLength(60, 400)

test(`wallets, creators and holders over time are the oracle's (seed ${SEED})`, () => {
  let several = 0
  for (const seed of [...FOUND_SEEDS, ...Array.from({ length: HISTORIES }, (_, i) => SEED + i)]) {
    const { found, severalDays } = runWallets(seed)
    expect(found, `seed ${seed}`).toBeNull()
    several += severalDays
  }
  expect(several).toBeGreaterThan(HISTORIES / 2)
})
