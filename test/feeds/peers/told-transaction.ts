import { encodeBase58 } from '../../../src/base/base58.ts'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { ChainNormaliser } from '../../../src/feeds/chain/normalise.ts'
import { NewForms } from '../../../src/feeds/chain/transactions/new-forms.ts'
import type { EmittedBytes } from '../../../src/feeds/chain/transactions/program-logs.ts'
import type { ChainTransaction } from '../../../src/feeds/chain/transactions/transaction.ts'
import { type FeedCounters, newFeedCounters } from '../../../src/feeds/feed-counters.ts'

export const TIMESTAMP = 1_791_500_000n

/** The address number `n`. */
export function address(n: number): string {
  return encodeBase58(Buffer.alloc(32, n))
}

/** A transaction that emitted these events, of which logs alone are known unless more is said. */
export function transactionWith(
  emitted: readonly EmittedBytes[],
  more: Partial<ChainTransaction> = {},
): ChainTransaction {
  return {
    ...{ slot: 1, txIndex: 2, signature: 'signature', failed: false, blockTime: null, signers: [] },
    ...{ selfCpi: emitted, logs: null, feeRaw: null, balances: [] },
    ...more,
  }
}

/** A feed of one test: what its transactions come to, what was counted, and what was said. */
export class DecodingFeed {
  readonly counters: FeedCounters = newFeedCounters()
  readonly said: string[] = []
  readonly normaliser = new ChainNormaliser(
    this.counters,
    new NewForms((sentence) => this.said.push(sentence)),
  )

  events(
    emitted: readonly EmittedBytes[],
    more: Partial<ChainTransaction> = {},
  ): readonly FeedEvent[] {
    return this.normaliser.events(transactionWith(emitted, more))
  }

  swaps(emitted: readonly EmittedBytes[], more: Partial<ChainTransaction> = {}): readonly Swap[] {
    return this.events(emitted, more).filter((event): event is Swap => event.type === 'swap')
  }
}

/** What an owner has of a mint before and after a transaction. */
export function change(owner: string, mint: string, beforeRaw: bigint, afterRaw: bigint) {
  return { owner, mint, beforeRaw, afterRaw }
}
