import { Random } from '../../../src/base/random.ts'

/** What a peer does wrong with one block. */
export const FAULTS = [
  'drop',
  'duplicate',
  'reorder',
  'disconnect',
  'stall',
  'truncate',
  'rate limit',
  'wrong slot',
  'huge frame',
  'garbage',
  'late frames',
] as const
export type Fault = (typeof FAULTS)[number]

/** Transactions a block needs for a fault to make a difference. */
const TRANSACTIONS_MIN: Readonly<Partial<Record<Fault, number>>> = {
  duplicate: 1,
  reorder: 2,
  'wrong slot': 1,
  'late frames': 1,
}
/** The transactions of a block in which a fault shows to one who has missed the first frames of it. */
export function shownIn<T>(fault: Fault, transactions: readonly T[], missed: number): readonly T[] {
  if (fault === 'reorder') return transactions.slice(0, Math.max(0, transactions.length - missed))
  return fault === 'duplicate' ? transactions.slice(missed) : transactions
}

/** Blocks at both ends that are told as they should: a feed has to have begun, and ends well. */
const CALM_BLOCKS = 3
/** Blocks that pass while nobody listens, after a loss. */
const UNSEEN_BLOCKS_MAX = 5

/** Which blocks of a chain go wrong and how, from a seed. */
export class FaultPlan {
  readonly random: Random
  readonly injected = new Map<Fault, number>()
  readonly #byBlock = new Map<number, Fault>()
  readonly #calmFrom: number

  constructor(seed: number, blockCount: number, kinds: readonly Fault[], count: number) {
    this.random = new Random(seed, 99)
    this.#calmFrom = blockCount - CALM_BLOCKS
    for (let n = 0; n < count; n++) {
      const block = this.random.between(CALM_BLOCKS, this.#calmFrom - 1)
      this.#byBlock.set(block, this.random.pick(kinds))
    }
  }

  at(block: number): Fault | null {
    return this.#byBlock.get(block) ?? null
  }

  /** Counts a fault that did happen to a block with this many transactions that count. */
  happened(fault: Fault, transactions: number): void {
    if (transactions < (TRANSACTIONS_MIN[fault] ?? 0)) return
    this.injected.set(fault, (this.injected.get(fault) ?? 0) + 1)
  }

  count(fault: Fault): number {
    return this.injected.get(fault) ?? 0
  }

  /** How many of the next blocks nobody sees. */
  unseen(head: number): number {
    const most = Math.max(0, Math.min(UNSEEN_BLOCKS_MAX, this.#calmFrom - head))
    return most === 0 ? 0 : this.random.below(most + 1)
  }
}
