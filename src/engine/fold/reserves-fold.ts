import { copyU64, isLess, subtractU64, writeU64 } from '../../base/u64.ts'
import type { Reserves } from '../../events/event.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { TokenFlag, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import type { Burns } from './burns.ts'

/** Scratch u64 amounts. */
const amount = new Uint32Array(2)
const burned = new Uint32Array(2)

/**
 * What moves price, liquidity or supply without a trade (contract sections 2 and 7): nothing is counted
 * as volume, transaction, trader or holder.
 */
export class ReservesFold {
  readonly #state: State
  readonly #burns: Burns

  constructor(state: State, burns: Burns) {
    this.#state = state
    this.#burns = burns
  }

  /** Of a mint that is not known: nothing. */
  fold(token: number, event: Reserves): void {
    const t = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    if ((t[tAt + TokenLane.flags] & TokenFlag.exists) === 0) return
    this.#state.undo.save(this.#state.tokensUndo, token)
    if (event.reason === 'mayhem') t[tAt + TokenLane.flags] |= TokenFlag.mayhem
    if (event.supplyRaw !== undefined) this.#foldSupply(token, event, event.supplyRaw)
    const isCurve = event.source === 'pump'
    // A curve that has graduated makes the price no more.
    if (isCurve && t[tAt + TokenLane.flags] & TokenFlag.graduated) return
    t[tAt + TokenLane.flags] |= TokenFlag.reservesGiven
    if (event.virtualBaseRaw > 0n && event.virtualQuoteRaw > 0n) {
      writeU64(t, tAt + TokenLane.virtualBaseLo, event.virtualBaseRaw)
      writeU64(t, tAt + TokenLane.virtualQuoteLo, event.virtualQuoteRaw)
    }
    if (!isCurve) return
    writeU64(t, tAt + TokenLane.realBaseLo, event.realBaseRaw)
    if (event.realBaseRaw === 0n) t[tAt + TokenLane.flags] |= TokenFlag.complete
  }

  #foldSupply(token: number, { reason, signature }: Reserves, supplyRaw: bigint): void {
    const t = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    writeU64(amount, 0, supplyRaw)
    if (reason === 'burn' && isLess(amount, 0, t, tAt + TokenLane.supplyLo)) {
      copyU64(burned, 0, t, tAt + TokenLane.supplyLo)
      subtractU64(burned, 0, amount, 0)
      const signatureHash = this.#state.book.hashSignature(signature)
      this.#burns.note(burned, token, signatureHash[0], signatureHash[1])
    }
    copyU64(t, tAt + TokenLane.supplyLo, amount, 0)
    t[tAt + TokenLane.flags] |= TokenFlag.supplySeen
  }
}
