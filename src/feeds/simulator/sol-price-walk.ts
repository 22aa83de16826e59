import type { Random } from '../../base/random.ts'

const START_USD = 150
const DAY_SECONDS = 86_400
/** Standard move in a second: about 4 % a day. */
const MOVE_PER_ROOT_SECOND = 0.04 / Math.sqrt(DAY_SECONDS)
/** Share of the distance to the start price that is made up in a day. */
const PULL_PER_SECOND = 0.2 / DAY_SECONDS
/** A clock may be set ahead by years: one step as long as that could end below nothing. */
const STEP_SECONDS_MAX = DAY_SECONDS

/** Dollars per SOL: a random walk held near its start, in whole cents. */
export class SolPriceWalk {
  #usd: number
  readonly #random: Random

  /** Goes on from `usd`; 0 for none. */
  constructor(random: Random, usd = 0) {
    this.#random = random
    this.#usd = usd > 0 ? usd : START_USD
  }

  /** The price `seconds` after the last one; after more than a day that of a day. */
  next(seconds: number): number {
    const step = Math.min(seconds, STEP_SECONDS_MAX)
    // Three uniform draws are near enough to a normal one; their sum has a variance of 1/4.
    const draw = (this.#random.unit() + this.#random.unit() + this.#random.unit() - 1.5) * 2
    const pull = PULL_PER_SECOND * step * (START_USD - this.#usd)
    this.#usd = this.#usd * (1 + draw * MOVE_PER_ROOT_SECOND * Math.sqrt(step)) + pull
    return Math.round(this.#usd * 100) / 100
  }
}
