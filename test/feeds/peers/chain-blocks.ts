import type { EmittedBytes } from '../../../src/feeds/chain/transactions/program-logs.ts'
import type { TokenBalanceChange } from '../../../src/feeds/chain/transactions/transaction.ts'

/** A transaction as a test's chain holds it, before any peer writes it down. */
export interface BlockTransaction {
  readonly signature: string
  /** In the block, where others stand between. */
  readonly index: number
  readonly hasFailed: boolean
  readonly feeRaw: number
  readonly emitted: readonly EmittedBytes[]
  readonly balances: readonly TokenBalanceChange[]
  /** Keys that sign it, the fee payer first; else a router does. */
  readonly signers?: readonly string[]
  /** The recorded frame, to be sent as it is. */
  readonly frame?: string
}

export interface Block {
  readonly slot: number
  readonly parentSlot: number
  readonly timestamp: number
  readonly transactions: readonly BlockTransaction[]
}

export interface TestChain {
  readonly blocks: readonly Block[]
  /** Data of the accounts that can be asked for. */
  readonly accounts: ReadonlyMap<string, Buffer>
}

export function lastSlot({ blocks }: TestChain): number {
  return blocks[blocks.length - 1].slot
}

/** One of a bot: what most of a busy chain is. */
export const FAILED: BlockTransaction = {
  signature: 'failed',
  index: 0,
  hasFailed: true,
  feeRaw: 5_000,
  emitted: [],
  balances: [],
}

/** With a block of nothing before it: a feed that begins at now cannot know whether its first slot came whole. */
export function withStart(chain: TestChain): TestChain {
  const [first] = chain.blocks
  const { parentSlot: slot, timestamp } = first
  const start = { ...first, slot, parentSlot: slot - 1, timestamp, transactions: [] }
  return { ...chain, blocks: [start, ...chain.blocks] }
}
