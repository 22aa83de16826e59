/**
 * Seeded random numbers: xoshiro128** (Blackman and Vigna, 2018), seeded through murmur3's finaliser.
 * The same seed and stream give the same numbers on every machine.
 */
export class Random {
  readonly #state = new Int32Array(4)

  /** `seed` and `stream` are any finite numbers; their integer parts count, up to 53 bits. */
  constructor(seed: number, stream = 0) {
    let hash = 0x9e3779b9
    for (const part of [seed, Math.floor(seed / 2 ** 32), stream, Math.floor(stream / 2 ** 32)]) {
      hash = mix(hash ^ part)
    }
    for (let i = 0; i < 4; i++) {
      hash = (hash + 0x9e3779b9) | 0
      this.#state[i] = mix(hash)
    }
    // The all-zero state is the one the generator never leaves.
    if ((this.#state[0] | this.#state[1] | this.#state[2] | this.#state[3]) === 0)
      this.#state[0] = 1
  }

  /** 32 random bits, unsigned. */
  next(): number {
    const s = this.#state
    const s1 = s[1]
    const a = Math.imul(s1, 5)
    const s2 = s[2] ^ s[0]
    const s3 = s[3] ^ s1
    s[1] = s1 ^ s2
    s[0] = s[0] ^ s3
    s[2] = s2 ^ (s1 << 9)
    s[3] = (s3 << 11) | (s3 >>> 21)
    return Math.imul((a << 7) | (a >>> 25), 9) >>> 0
  }

  /** In [0, 1), 32 bits of it. */
  unit(): number {
    return this.next() * 2 ** -32
  }

  /** An integer in [0, count), count at most 2^32; the bias is below count / 2^32. */
  below(count: number): number {
    return Math.floor(this.next() * 2 ** -32 * count)
  }

  /** An integer in [low, high]. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability * 2 ** 32
  }

  /** One of the list, which must not be empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]
  }

  /**
   * Writes `count` numbers, a multiple of four, that stem from 128 fresh bits: cheaper than as many
   * calls of `next` and just as distinct, for bytes that only have to look random (signatures).
   */
  scatter(lanes: Uint32Array, at: number, count: number): void {
    let a = this.next() | 0
    let b = this.next() | 0
    let c = this.next() | 0
    let d = this.next() | 0
    for (let i = at; i < at + count; i += 4) {
      lanes[i] = scramble(a)
      lanes[i + 1] = scramble(b)
      lanes[i + 2] = scramble(c)
      lanes[i + 3] = scramble(d)
      a = (a + 0x9e3779b9) | 0
      b = (b + 0x85ebca77) | 0
      c = (c + 0xc2b2ae3d) | 0
      d = (d + 0x27d4eb2f) | 0
    }
  }
}

/** A bijection of 32 bits with one multiplication. */
function scramble(value: number): number {
  const h = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return h ^ (h >>> 13)
}

function mix(value: number): number {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
