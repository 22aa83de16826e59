import { L, L_LANES } from './layout.ts'
import { ROW_MASK, ROW_SHIFT } from './memory/rows.ts'
import type { State } from './state.ts'

export function walletLane(state: State, wallet: number, lane: number): number {
  return state.wallets.u32[wallet >>> ROW_SHIFT][(wallet & ROW_MASK) * L_LANES + lane]
}

export function walletFlagsOf(state: State, wallet: number): number {
  return walletLane(state, wallet, L.flags)
}
