import type { Random } from '../../base/random.ts'

const START_USD = 150
/** Standard move in a second: about 4 % a day. */
const MOVE_PER_ROOT_SECOND = 0.04 / Math.sqrt(86_400)
/** Share of the distance to the start price that is made up in a day. */
const PULL_PER_SECOND = 0.2 / 86_400

/** Dollars per SOL: a random walk held near its start, in whole cents. */
export class SolPriceWalk {
  #usd = START_USD
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** The price `seconds` after the last one. */
  next(seconds: number): number {
    // Three uniform draws are near enough to a normal one; their sum has a variance of 1/4.
    const draw = (this.#random.unit() + this.#random.unit() + this.#random.unit() - 1.5) * 2
    const pull = Math.min(1, PULL_PER_SECOND * seconds) * (START_USD - this.#usd)
    this.#usd = this.#usd * (1 + draw * MOVE_PER_ROOT_SECOND * Math.sqrt(seconds)) + pull
    return Math.round(this.#usd * 100) / 100
  }
}
