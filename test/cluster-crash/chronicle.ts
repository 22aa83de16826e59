import { createHash } from 'node:crypto'
import type { Migration, Swap } from '../crash/json.ts'
import { LongMemory, Witness } from '../crash/witness.ts'

/**
 * What all clients together saw: at one seq of a stream each of them has to see the same. A trade is what its
 * frame says of it, byte for byte, whichever replica sent it, live or after the client had come from another one.
 */
export class Chronicle {
  /** Everything that was seen, to be looked for at the end. */
  readonly memory = new LongMemory()
  readonly faults: string[]
  readonly wallets = new Set<string>()
  frames = 0
  newestSeconds = 0
  /** What was seen at each seq, by stream. */
  readonly #streams = new Map<string, Map<number, string>>()
  #witness = new Witness()
  #tradesTaken = 0

  constructor(faults: string[]) {
    this.faults = faults
  }

  get trades(): number {
    return this.#tradesTaken + this.#witness.tradeCount
  }

  sawTrade(stream: string, seq: number, swap: Swap): void {
    this.#witness.sawTrade(swap)
    this.#saw(stream, seq, digest(JSON.stringify(swap)))
  }

  sawMigration(stream: string, seq: number, migration: Migration): void {
    this.#witness.sawMigration(migration)
    this.#saw(stream, seq, digest(JSON.stringify(migration)))
  }

  /** Figures of a launched token are those of the moment in which it is told. */
  sawLaunch(stream: string, seq: number, mint: string): void {
    this.#saw(stream, seq, mint)
  }

  /** Keeps digests of what was seen in place of the texts. */
  condense(): void {
    this.memory.take(this.#witness)
    this.#tradesTaken += this.#witness.tradeCount
    this.#witness = new Witness()
  }

  #saw(stream: string, seq: number, what: string): void {
    this.frames += 1
    const seen = this.#streams.get(stream) ?? new Map<number, string>()
    this.#streams.set(stream, seen)
    const before = seen.get(seq)
    if (before === undefined) seen.set(seq, what)
    else if (before !== what)
      this.faults.push(`two clients saw different things as ${seq} of ${stream}`)
  }
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64url')
}
