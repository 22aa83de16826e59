import { walletLane } from './lanes.ts'
import { B, B_LANES, L, M_LANES, P, P_LANES, T, T_LANES, W_LANES } from './layout.ts'
import { ROW_MASK, ROW_SHIFT, type Rows } from './memory/rows.ts'
import type { State } from './state.ts'

const price = new Float64Array(1)
const priceLanes = new Uint32Array(price.buffer)

/** Result of `stampToken`: two u32. */
export const tokenStamp = new Uint32Array(2)

let high = 0
let low = 0

/**
 * Makes a 64-bit hash, in `tokenStamp`, of all that a row of the token tables is written from: the
 * token's rows, its creator's counts and balance, the price of SOL. Equal stamps, equal rows; one
 * wrong match is expected in 10^19 changes. The largest holders are covered by the token's own row:
 * no balance of a mint changes without a swap that is linked there.
 */
export function stampToken(state: State, token: number): void {
  high = 0x3c6ef372
  low = 0x1f83d9ab
  mixRow(state.tokens, token, T_LANES)
  mixRow(state.births, token, B_LANES)
  mixRow(state.windows, token, W_LANES)
  mixRow(state.metadata, token, M_LANES)
  const births = state.births.u32[token >>> ROW_SHIFT]
  const creatorPlus1 = births[(token & ROW_MASK) * B_LANES + B.creatorPlus1]
  if (creatorPlus1 !== 0) {
    mix(walletLane(state, creatorPlus1 - 1, L.creations))
    mix(walletLane(state, creatorPlus1 - 1, L.migrations))
  }
  const tokens = state.tokens.u32[token >>> ROW_SHIFT]
  const position = tokens[(token & ROW_MASK) * T_LANES + T.creatorPositionPlus1] - 1
  if (position >= 0) {
    const lanes = state.positions.u32[position >>> ROW_SHIFT]
    const at = (position & ROW_MASK) * P_LANES + P.balanceLo
    mix(lanes[at])
    mix(lanes[at + 1])
  }
  price[0] = state.solPriceUsd
  mix(priceLanes[0])
  mix(priceLanes[1])
  tokenStamp[0] = high ^ (low >>> 13)
  tokenStamp[1] = low ^ (high >>> 16)
}

function mixRow(rows: Rows, row: number, lanes: number): void {
  const page = rows.u32[row >>> ROW_SHIFT]
  const start = (row & ROW_MASK) * lanes
  for (let at = start; at < start + lanes; at++) mix(page[at])
}

function mix(lane: number): void {
  high = Math.imul((high << 13) | (high >>> 19), 5) + Math.imul(lane, 0xcc9e2d51)
  low = Math.imul((low << 15) | (low >>> 17), 9) + Math.imul(lane ^ (lane >>> 15), 0x1b873593)
  high ^= low >>> 7
}
