import { isZeroAt, numberAt } from '../../base/u64.ts'
import { linkOf } from '../../engine/history/swap-chains.ts'
import { ROW_MASK, ROW_SHIFT } from '../../engine/memory/rows.ts'
import { isHolderAt, tokenLane } from '../../engine/state/lanes.ts'
import { B, B_LANES, P, P_LANES, T, T_LANES, TokenFlag } from '../../engine/state/layout.ts'
import type { State } from '../../engine/state/state.ts'
import { DECIMALS_DEFAULT } from '../../events/platform.ts'
import { Flag, U } from '../../events/swap-record.ts'
import { isMadeUpUri } from './world/random-text.ts'

/** Swaps of a curve that are added up at most; the simulator's are complete or dead long before. */
const ADDED_SWAPS_MAX = 20_000
/** Newest swaps of a token that are looked at for what its fees are. */
const FEE_SWAPS = 16
/** Newest positions of a token that are looked at for who can sell. */
const LOOKED_AT_POSITIONS = 256

/** One of the simulator's own tokens as the folder has it. Amounts are raw; wallets and tokens are rows. */
export interface HeldToken {
  readonly token: number
  readonly mint: string
  readonly bondingCurve: string
  readonly creator: string
  readonly creatorWallet: number
  /** Number of what it is quoted in (`Quotes`). */
  readonly quote: number
  readonly isMayhem: boolean
  readonly isComplete: boolean
  readonly isMigrated: boolean
  readonly poolAmm: string
  readonly virtualBase: number
  readonly virtualQuote: number
  readonly realBase: number
  readonly supply: number
  readonly swaps: number
}

/** A wallet and what it holds of a token, raw. */
export interface HeldPosition {
  readonly wallet: number
  readonly balance: number
}

/** Reads what an earlier run of the simulator left in a folder. Nothing here waits for the disk. */
export class HeldTokens {
  readonly state: State

  constructor(state: State) {
    this.state = state
  }

  /** null: another feed told the token, or nobody told its creation. */
  read(token: number): HeldToken | null {
    const { state } = this
    const { book, texts } = state
    const t = state.tokens.u32[token >>> ROW_SHIFT]
    const at = (token & ROW_MASK) * T_LANES
    const b = state.births.u32[token >>> ROW_SHIFT]
    const bAt = (token & ROW_MASK) * B_LANES
    const flags = t[at + T.flags]
    const creatorPlus1 = b[bAt + B.creatorPlus1]
    const curvePlus1 = b[bAt + B.bondingCurvePlus1]
    if ((flags & TokenFlag.creationKnown) === 0 || creatorPlus1 === 0 || curvePlus1 === 0)
      return null
    if (b[bAt + B.decimals] !== DECIMALS_DEFAULT || !isMadeUpUri(texts.get(b[bAt + B.uri])))
      return null
    const poolPlus1 = t[at + T.poolAmmPlus1]
    return {
      token,
      mint: book.mintOf(token),
      bondingCurve: book.text(curvePlus1 - 1),
      creator: book.walletText(creatorPlus1 - 1),
      creatorWallet: creatorPlus1 - 1,
      quote: b[bAt + B.quote],
      isMayhem: (flags & TokenFlag.mayhem) !== 0,
      isComplete: (flags & TokenFlag.complete) !== 0,
      isMigrated: (flags & TokenFlag.graduated) !== 0,
      poolAmm: poolPlus1 === 0 ? '' : book.text(poolPlus1 - 1),
      virtualBase: numberAt(t, at + T.virtualBaseLo),
      virtualQuote: numberAt(t, at + T.virtualQuoteLo),
      realBase: numberAt(t, at + T.realBaseLo),
      supply: numberAt(t, at + T.supplyLo),
      swaps: t[at + T.swaps],
    }
  }

  /** What its traders have paid into the curve, less what they got out, raw; -1 when that cannot be seen. */
  paidIn(token: number): number {
    const { tape } = this.state
    let paid = 0
    const isSeen = this.#walk(token, ADDED_SWAPS_MAX, (index) => {
      const u32 = tape.u32Of(index)
      const at = tape.at(index)
      const quote = numberAt(u32, at + U.quoteLo)
      paid += u32[at + U.flags] & Flag.sell ? -quote : quote
    })
    return isSeen ? paid : -1
  }

  /** Do its newest swaps pay the creator's fee back to the traders? */
  paysBack(token: number): boolean {
    const { tape } = this.state
    let paysBack = false
    this.#walk(token, FEE_SWAPS, (index) => {
      paysBack ||= !isZeroAt(tape.u32Of(index), tape.at(index) + U.cashbackLo)
    })
    return paysBack
  }

  balanceOf(token: number, wallet: number): number {
    const row = this.state.findPosition(token, wallet)
    if (row < 0) return 0
    const p = this.state.positions.u32[row >>> ROW_SHIFT]
    return numberAt(p, (row & ROW_MASK) * P_LANES + P.balanceLo)
  }

  /** Holders among those who came last, the newest first; none while the token is dormant. */
  holdersOf(token: number, most: number): HeldPosition[] {
    const { positions } = this.state
    const found: HeldPosition[] = []
    let rowPlus1 = tokenLane(this.state, token, T.positionsPlus1)
    for (let i = 0; i < LOOKED_AT_POSITIONS && rowPlus1 !== 0 && found.length < most; i++) {
      const p = positions.u32[(rowPlus1 - 1) >>> ROW_SHIFT]
      const at = ((rowPlus1 - 1) & ROW_MASK) * P_LANES
      rowPlus1 = p[at + P.nextInMintPlus1]
      if (isHolderAt(p, at))
        found.push({ wallet: p[at + P.wallet], balance: numberAt(p, at + P.balanceLo) })
    }
    return found
  }

  /** Shows up to `most` swaps of a token, the newest first; false: there are more, or they have left memory. */
  #walk(token: number, most: number, look: (index: number) => void): boolean {
    const { tape } = this.state
    let nextPlus1 = tokenLane(this.state, token, T.lastSwapPlus1)
    for (let i = 0; i < most && nextPlus1 > tape.firstInMemory; i++) {
      look(nextPlus1 - 1)
      nextPlus1 = linkOf(this.state, nextPlus1 - 1, U.previousInMint)
    }
    return nextPlus1 === 0
  }
}
