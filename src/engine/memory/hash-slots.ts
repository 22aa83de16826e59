import { StateError, type StatePart, sizesOf } from './state-part.ts'
import { bytesOf, isRingLength } from './views.ts'

/**
 * Open addressing from a 32-bit hash to a row, in shards that grow one at a time: a table of
 * millions never stops the loop to rehash itself, only one 256th of it.
 * A slot is [hash, row + 1]; equal hashes are told apart by the caller's `probe` loop.
 */
const SHARD_BITS = 8
const SHARDS = 1 << SHARD_BITS
const FIRST_SLOTS = 16
/** Lanes of one shard at most, two a slot: far past what 2^32 rows spread over all shards need. */
const SHARD_LANES_MAX = 1 << 28

export class HashSlots {
  readonly #shards: Uint32Array<ArrayBuffer>[] = []
  readonly #counts = new Uint32Array(SHARDS)
  #shard: Uint32Array<ArrayBuffer>
  #at = 0
  #mask = 0
  #hash = 0

  constructor() {
    for (let i = 0; i < SHARDS; i++) this.#shards.push(new Uint32Array(FIRST_SLOTS * 2))
    this.#shard = this.#shards[0]
  }

  get bytes(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.byteLength, 0)
  }

  /** First row with this hash, or -1. */
  first(hash: number): number {
    this.#hash = hash >>> 0
    this.#shard = this.#shards[this.#hash >>> (32 - SHARD_BITS)]
    this.#mask = this.#shard.length - 1
    this.#at = (this.#hash << 1) & this.#mask
    return this.#scan()
  }

  /** Next row with the hash of the last `first`, or -1. */
  next(): number {
    this.#at = (this.#at + 2) & this.#mask
    return this.#scan()
  }

  /** Reads the slot that a search would begin at. */
  near(hash: number): number {
    const shard = this.#shards[hash >>> (32 - SHARD_BITS)]
    return shard[(hash << 1) & (shard.length - 1)]
  }

  /** Adds a row; the caller has looked for it with `first` and `next` and not found it. */
  add(hash: number, row: number): void {
    const shardIndex = hash >>> (32 - SHARD_BITS)
    let shard = this.#shards[shardIndex]
    if (isFull(this.#counts[shardIndex], shard)) shard = this.#grow(shardIndex)
    put(shard, hash >>> 0, row + 1)
    this.#counts[shardIndex] += 1
  }

  /** Takes a row out that is there; later slots of its run move up, so that none becomes unfindable. */
  remove(hash: number, row: number): void {
    const shardIndex = hash >>> (32 - SHARD_BITS)
    const shard = this.#shards[shardIndex]
    const mask = shard.length - 1
    let hole = (hash << 1) & mask
    while (shard[hole + 1] !== row + 1) {
      if (shard[hole + 1] === 0) throw new RangeError(`Row ${row} has no slot.`)
      hole = (hole + 2) & mask
    }
    for (let at = (hole + 2) & mask; shard[at + 1] !== 0; at = (at + 2) & mask) {
      const home = (shard[at] << 1) & mask
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      shard[hole] = shard[at]
      shard[hole + 1] = shard[at + 1]
      hole = at
    }
    shard[hole] = 0
    shard[hole + 1] = 0
    this.#counts[shardIndex] -= 1
  }

  /** The table as a part of the state: its shards as they are. */
  part(name: string): StatePart {
    return {
      name,
      facts: () => this.#shards.map((shard) => shard.length),
      views: () => this.#shards.map(bytesOf),
      open: (facts) => {
        const lengths = sizesOf(name, facts, new Array<number>(SHARDS).fill(SHARD_LANES_MAX))
        if (!lengths.every((length) => isRingLength(length, FIRST_SLOTS * 2, SHARD_LANES_MAX)))
          throw new StateError(`a shard of the state's ${name} has a size that none can have`)
        lengths.forEach((length, i) => {
          this.#shards[i] = new Uint32Array(length)
        })
        this.#shard = this.#shards[0]
        return this.#shards.map(bytesOf)
      },
      settle: () => this.#recount(name),
    }
  }

  #recount(name: string): void {
    this.#shards.forEach((shard, i) => {
      let count = 0
      for (let at = 1; at < shard.length; at += 2) if (shard[at] !== 0) count++
      // A search in a shard without a free slot would never end.
      if (count > 0 && isFull(count - 1, shard))
        throw new StateError(`a shard of the state's ${name} holds more than it may`)
      this.#counts[i] = count
    })
  }

  #scan(): number {
    const shard = this.#shard
    let at = this.#at
    while (shard[at + 1] !== 0) {
      if (shard[at] === this.#hash) {
        this.#at = at
        return shard[at + 1] - 1
      }
      at = (at + 2) & this.#mask
    }
    this.#at = at
    return -1
  }

  #grow(shardIndex: number): Uint32Array<ArrayBuffer> {
    const old = this.#shards[shardIndex]
    const wider = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2)
      if (old[at + 1] !== 0) put(wider, old[at], old[at + 1])
    this.#shards[shardIndex] = wider
    return wider
  }
}

/** Does a shard have to grow before it takes another row? */
function isFull(count: number, shard: Uint32Array): boolean {
  return count * 8 >= shard.length * 3
}

function put(shard: Uint32Array, hash: number, value: number): void {
  const mask = shard.length - 1
  let at = (hash << 1) & mask
  while (shard[at + 1] !== 0) at = (at + 2) & mask
  shard[at] = hash
  shard[at + 1] = value
}
