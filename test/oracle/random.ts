/** A small seeded generator (mulberry32): the same seed gives the same history for ever. */

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** In [0, 1). */
  unit(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer of `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.unit() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.integer(0, items.length - 1)] ?? items[0]
  }

  /** True, false, or nothing, mostly nothing. */
  flag(probability: number): boolean | undefined {
    return this.chance(probability) ? this.chance(0.5) : undefined
  }

  /** Text that looks like an address (44) or a signature (88), within their range of values. */
  base58(length: 44 | 88): string {
    let text = this.pick(['2', '3', '4'])
    while (text.length < length) text += BASE58[this.integer(0, 57)] ?? ''
    return text
  }
}
