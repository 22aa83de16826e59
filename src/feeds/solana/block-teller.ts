import type { ChainNormaliser } from '../chain/normalise.ts'
import type { ChainTransaction } from '../chain/transaction.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { type SlotReceiver, SlotsUnavailable } from '../supervisor/source.ts'
import type { PoolResolver } from './pool-resolver.ts'
import { BlockGone, type RpcQuestions } from './rpc-questions.ts'

/** Tells slots from their blocks: with index, fee and balances, and with what logs have lost. */
export class BlockTeller {
  readonly #questions: RpcQuestions
  readonly #normaliser: ChainNormaliser
  readonly #pools: PoolResolver
  readonly #counters: FeedCounters
  /** Blocks told. */
  blocks = 0

  constructor(
    questions: RpcQuestions,
    normaliser: ChainNormaliser,
    pools: PoolResolver,
    counters: FeedCounters,
  ) {
    this.#questions = questions
    this.#normaliser = normaliser
    this.#pools = pools
    this.#counters = counters
  }

  /**
   * Tells the slots `from` to `to` that have a block.
   * @throws SlotsUnavailable when the server has one of them no more
   */
  async tellRange(
    from: number,
    to: number,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    for (const slot of await this.#questions.slotsWithBlock(from, to, signal))
      await this.tell(slot, receiver, signal)
  }

  /**
   * Tells one slot; nothing when it was skipped.
   * @throws SlotsUnavailable when the server has the block no more
   */
  async tell(slot: number, receiver: SlotReceiver, signal: AbortSignal): Promise<void> {
    const block = await this.#questions.block(slot, signal).catch((error: unknown) => {
      throw error instanceof BlockGone ? new SlotsUnavailable(error.message) : error
    })
    if (block === null || signal.aborted) return
    for (const transaction of block.transactions)
      await this.#transaction(slot, transaction, receiver, signal)
    if (signal.aborted) return
    this.blocks++
    receiver.slotComplete(slot, block.parentSlot)
  }

  async #transaction(
    slot: number,
    transaction: ChainTransaction,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    const decoded = this.#normaliser.decode(transaction)
    const unknown = this.#normaliser.unknownPools(decoded, transaction)
    if (unknown.length > 0) await this.#pools.resolve(unknown, signal)
    const events = this.#normaliser.eventsOf(decoded, transaction)
    this.#counters.events += events.length
    if (events.length === 0 || signal.aborted) return
    const { txIndex, signature } = transaction
    receiver.transaction({ slot, txIndex, isExact: true, signature, events })
  }
}
