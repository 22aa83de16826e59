import type { Random } from '../../base/random.ts'
import { MICRO_USDC_PER_LAMPORT } from './size-draw.ts'
import { Trait } from './world/token-table.ts'

/** What is expected of a token, and how it is traded therefore. */

const RUNNER_SHARE = 0.012
/** Runners trade in larger sizes. */
const RUNNER_SIZE = 6
/** Virtual quote that a runner is bought up to, in launch quotes: far more than completes a curve. */
export const RUNNER_TARGET = 10
/** Ordinary tokens never see this virtual quote, in launch quotes; 3.83 completes a curve. */
export const MAX_ORDINARY_TARGET = 2.8

/** Is the token meant to be bought out? */
export function drawIsRunner(random: Random): boolean {
  return random.chance(RUNNER_SHARE)
}

/** Its trade size relative to the common distribution (`T.sizeFactor`). */
export function sizeFactorOf(traits: number): number {
  const unitSize = (traits & Trait.usdc) !== 0 ? MICRO_USDC_PER_LAMPORT : 1
  return (traits & Trait.runner) !== 0 ? unitSize * RUNNER_SIZE : unitSize
}
