import { createHash } from 'node:crypto'
import type { Position } from './http.ts'
import type { Migration, Swap } from './json.ts'

/** What the clients of a program saw, and must find again after any crash. */
export class Witness {
  /** Trades as they were shown (JSON), by mint. */
  readonly trades = new Map<string, Set<string>>()
  readonly migrations = new Map<string, Migration>()
  readonly mints = new Set<string>()
  position: Position = { seq: 0, epoch: '' }
  tradeCount = 0

  sawTrade(swap: Swap): void {
    const { mint } = swap
    let ofMint = this.trades.get(mint)
    if (ofMint === undefined) {
      ofMint = new Set()
      this.trades.set(mint, ofMint)
    }
    const before = ofMint.size
    ofMint.add(JSON.stringify(swap))
    this.tradeCount += ofMint.size - before
  }

  sawMigration(migration: Migration): void {
    this.migrations.set(migration.mint, migration)
  }

  sawPosition(position: Position | null): void {
    if (position === null) return
    if (position.epoch !== this.position.epoch || position.seq > this.position.seq)
      this.position = position
  }
}

/** What was seen over all rounds: digests of the trades, so that many rounds fit in memory. */
export class LongMemory {
  readonly trades = new Map<string, Set<string>>()
  readonly migrations = new Map<string, Migration>()

  take(witness: Witness): void {
    for (const [mint, texts] of witness.trades) {
      const digests = this.trades.get(mint) ?? new Set<string>()
      for (const text of texts) digests.add(digestOf(text))
      this.trades.set(mint, digests)
    }
    for (const [mint, migration] of witness.migrations) this.migrations.set(mint, migration)
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
