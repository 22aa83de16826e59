import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { LIFECYCLE_LANES, LifecycleLane, TOKEN_LANES, TokenLane } from './layout.ts'
import type { State } from './state.ts'

/** Is the wallet the mint's curve or pool, or one that never counts as a holder (contract 2)? */
export function isNeverHolder(state: State, token: number, wallet: number): boolean {
  const address = state.book.addressOfWallet(wallet)
  const b = state.births.u32[token >>> ROW_SHIFT]
  const t = state.tokens.u32[token >>> ROW_SHIFT]
  return (
    b[(token & ROW_MASK) * LIFECYCLE_LANES + LifecycleLane.bondingCurvePlus1] === address + 1 ||
    t[(token & ROW_MASK) * TOKEN_LANES + TokenLane.poolAmmPlus1] === address + 1 ||
    state.neverHolders.includes(address)
  )
}

/** Addresses (+ 1; 0 while not known) of a mint's curve and pool. */
export function poolAddressesOf({ births, tokens }: State, token: number): readonly number[] {
  const b = births.u32[token >>> ROW_SHIFT]
  const t = tokens.u32[token >>> ROW_SHIFT]
  return [
    b[(token & ROW_MASK) * LIFECYCLE_LANES + LifecycleLane.bondingCurvePlus1],
    t[(token & ROW_MASK) * TOKEN_LANES + TokenLane.poolAmmPlus1],
  ]
}
