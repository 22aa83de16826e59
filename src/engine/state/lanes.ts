import { isZeroAt } from '../../base/u64.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { recordOf } from './dormant.ts'
import {
  BAR_LANES,
  METADATA_LANES,
  MetadataLane,
  POSITION_LANES,
  PositionFlag,
  PositionLane,
  TOKEN_LANES,
  WALLET_LANES,
} from './layout.ts'
import type { State } from './state.ts'

/** One u32 lane (`TokenLane`) of a token row. */
export function tokenLane(state: State, token: number, lane: number): number {
  return state.tokens.u32[token >>> ROW_SHIFT][(token & ROW_MASK) * TOKEN_LANES + lane]
}

/** Positions of a token, as rows or at rest. */
export function positionsOf({ metadata }: State, token: number): number {
  return metadata.u32[token >>> ROW_SHIFT][
    (token & ROW_MASK) * METADATA_LANES + MetadataLane.positions
  ]
}

/** One u32 lane (`PositionLane`) of a position: a row, or below 0 a record of the dormant tape. */
export function positionLane(state: State, position: number, lane: number): number {
  if (position < 0) return state.dormant.lane(recordOf(position), lane)
  return state.positions.u32[position >>> ROW_SHIFT][(position & ROW_MASK) * POSITION_LANES + lane]
}

/** Flags of the position at `pAt`: who traded an amount has held it, whatever was told of balances. */
export function positionFlagsAt(p: Uint32Array, pAt: number): number {
  const hasTraded =
    !isZeroAt(p, pAt + PositionLane.boughtLo) || !isZeroAt(p, pAt + PositionLane.soldLo)
  return hasTraded ? p[pAt + PositionLane.flags] | PositionFlag.held : p[pAt + PositionLane.flags]
}

/**
 * Does the position whose lanes begin at `pAt` stand in lists? One of a coin that only passed through on a
 * route does not, nor one that was taken back.
 */
export function isListedAt(p: Uint32Array, pAt: number): boolean {
  return isListed(
    p[pAt + PositionLane.buys] + p[pAt + PositionLane.sells],
    p[pAt + PositionLane.flags],
  )
}

/** As `isListedAt`, of a position of so many trades with these flags. */
export function isListed(trades: number, flags: number): boolean {
  return trades > 0 || (flags & PositionFlag.held) !== 0
}

/** Has the position whose lanes begin at `pAt` a balance that counts? */
export function isHolderAt(p: Uint32Array, pAt: number): boolean {
  const isHeld = (p[pAt + PositionLane.balanceLo] | p[pAt + PositionLane.balanceLo + 1]) !== 0
  return isHeld && (p[pAt + PositionLane.flags] & PositionFlag.excluded) === 0
}

/** One u32 lane (`WalletLane`) of a wallet row. */
export function walletLane(state: State, wallet: number, lane: number): number {
  return state.wallets.u32[wallet >>> ROW_SHIFT][(wallet & ROW_MASK) * WALLET_LANES + lane]
}

/** One u32 lane (`Bar`) of a stored bar. */
export function barLane(state: State, bar: number, lane: number): number {
  return state.bars.u32[bar >>> ROW_SHIFT][(bar & ROW_MASK) * BAR_LANES + lane]
}
