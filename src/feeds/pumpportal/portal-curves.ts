import { LRUCache } from 'lru-cache'
import { MAYHEM_AGENT } from '../../events/platform.ts'
import { bondingCurveAddress } from '../chain/layouts/program-address.ts'
import type { CreateFrame, CurveTradeFrame } from './portal-frame.ts'

/** Mints that are remembered, with the transaction that told of each first. */
const MINTS_MAX = 50_000

/**
 * The curve of a mint follows from its address, and a frame with another one is about another coin: most often its
 * mint is what that coin is quoted in. Where the curve should stand, frames of mayhem coins have the agent; that is
 * believed of a mint that its frame calls mayhem and of which nothing was told before, so that no quote is.
 */
export class PortalCurves {
  /** By mint the signature that told of it first. */
  readonly #first = new LRUCache<string, string>({ max: MINTS_MAX })
  readonly #mayhem = new LRUCache<string, true>({ max: MINTS_MAX })

  /** null: the frame is about another coin. */
  ofCreation({
    mint,
    signature,
    bondingCurveKey,
    is_mayhem_mode: isMayhem = false,
  }: CreateFrame): string | null {
    const curve = bondingCurveAddress(mint)
    const first = this.#first.get(mint)
    const isNew = first === undefined || first === signature
    if (bondingCurveKey !== curve && !(bondingCurveKey === MAYHEM_AGENT && isMayhem && isNew))
      return null
    if (isMayhem) this.#mayhem.set(mint, true)
    this.told(mint, signature)
    return curve
  }

  /** null: the frame is about another coin. */
  ofTrade({ mint, bondingCurveKey, is_mayhem_mode: isMayhem }: CurveTradeFrame): string | null {
    const curve = bondingCurveAddress(mint)
    if (bondingCurveKey === curve) return curve
    const hasAgent = bondingCurveKey === MAYHEM_AGENT && (isMayhem || this.#mayhem.has(mint))
    return hasAgent ? curve : null
  }

  /** Something was told of a mint: it is not new to other transactions any more. */
  told(mint: string, signature: string): void {
    if (!this.#first.has(mint)) this.#first.set(mint, signature)
  }
}
