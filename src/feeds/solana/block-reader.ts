import { messageOf } from '../../base/errors.ts'
import type { ChainNormaliser } from '../chain/normalise.ts'
import type { ChainTransaction } from '../chain/transactions/transaction.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { LastingRefusals } from '../supervisor/lasting-refusals.ts'
import { type SlotReceiver, SlotsUnavailable, SlotUnreadable } from '../supervisor/source.ts'
import type { Timers } from '../timers.ts'
import type { FrameCheck } from './frame-check.ts'
import type { PoolResolver } from './pool-resolver.ts'
import {
  BlockGone,
  BlockWithoutEvents,
  isLastingRefusal,
  isUnknownMethod,
  type RpcBlock,
  type RpcQuestions,
} from './rpc-questions.ts'

export interface BlockReading {
  readonly questions: RpcQuestions
  readonly normaliser: ChainNormaliser
  readonly pools: PoolResolver
  readonly counters: FeedCounters
  readonly check: FrameCheck
  readonly timers: Timers
}

/** Delivers slots from their blocks: with index, fee and balances, and with what logs have lost. */
export class BlockReader {
  readonly #reading: BlockReading
  readonly #refusals: LastingRefusals
  /** The last of these was of a block of which the server keeps nothing but the signatures. */
  #lacksEvents = false
  /** Blocks delivered. */
  blocks = 0

  constructor(reading: BlockReading) {
    this.#reading = reading
    this.#refusals = new LastingRefusals(reading.timers)
  }

  /**
   * Delivers the slots `from` to `to` that have a block.
   * @throws SlotsUnavailable when the server has one of them no more or gives none, SlotUnreadable when it
   *   has one behind the one that it does not give, any other error when it does not know all of them yet
   */
  async deliverRange(
    from: number,
    to: number,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.#deliverRange(from, to, receiver, signal)
    } catch (error) {
      if (!isLastingRefusal(error)) throw error
      this.#lacksEvents = error instanceof BlockWithoutEvents
      // One machine of several behind an address may lack what the others have.
      if (this.#refusals.refused(isUnknownMethod(error)))
        throw new SlotsUnavailable(`the RPC server gives no blocks: ${messageOf(error)}`, to)
      throw error
    }
  }

  async #deliverRange(
    from: number,
    to: number,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    const { questions } = this.#reading
    // With the one before them, which the first of them has to stand behind.
    const listed = await questions.slotsWithBlock(Math.max(from - 1, 0), to, signal)
    const slots = listed.filter((slot) => slot >= from)
    if (slots[0] !== from) {
      const first = await questions.firstAvailableSlot(signal)
      if (first > from)
        throw new SlotsUnavailable(`the RPC server has blocks from slot ${first} on`, first - 1)
    }
    // A node that lags behind the one that showed the gap lists only what it has.
    if (!slots.includes(to) && (await questions.newestSlot(signal)) < to)
      throw new Error(`the RPC server has not reached slot ${to} yet`)
    const unwanted = new AbortController()
    const wanted = AbortSignal.any([signal, unwanted.signal])
    const reads: Promise<RpcBlock | null>[] = []
    // One fewer than the client asks: an answer takes as long as the chain for a block or longer, so one after the
    // other would never come up with it.
    const readsMax = this.#reading.questions.client.questionsAtOnce - 1
    let next = 0
    let before = listed.includes(from - 1) ? from - 1 : -1
    try {
      for (const slot of slots) {
        for (const ahead of slots.slice(next, next + readsMax - reads.length)) {
          next++
          const read = this.#read(ahead, wanted)
          // Behind one that failed nobody hears of it.
          read.catch(() => {})
          reads.push(read)
        }
        const block = await reads.shift()?.catch(async (error: unknown) => {
          if (error instanceof SlotsUnavailable) throw error
          // One that fails for ever would hold up everything behind it.
          const later = reads[0] ?? this.#read(to + 1, wanted)
          const hasLater = await later.then(() => true).catch(() => false)
          throw hasLater ? new SlotUnreadable(messageOf(error), slot) : error
        })
        if (block && (block.parentSlot >= slot || block.parentSlot < before)) throw another(slot)
        before = slot
        await this.#deliverBlock(slot, block ?? null, receiver, signal)
      }
    } finally {
      unwanted.abort()
    }
  }

  /**
   * Delivers one slot; nothing when it was skipped.
   * @param parentSlot the slot before it on the chain; null: not known
   * @throws SlotsUnavailable when the server has the block no more, SlotUnreadable when it gives another one
   */
  async deliver(
    slot: number,
    parentSlot: number | null,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    const block = await this.#read(slot, signal)
    const isParent = (parent: number) => parent < slot && parent === (parentSlot ?? parent)
    if (block !== null && !isParent(block.parentSlot)) throw another(slot)
    await this.#deliverBlock(slot, block, receiver, signal)
  }

  /** null: the slot was skipped. */
  #read(slot: number, signal: AbortSignal): Promise<RpcBlock | null> {
    return this.#reading.questions.block(slot, signal).catch((error: unknown) => {
      throw error instanceof BlockGone ? new SlotsUnavailable(error.message, slot) : error
    })
  }

  async #deliverBlock(
    slot: number,
    block: RpcBlock | null,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    if (block === null || signal.aborted) return
    // An empty block does not show that the server stores more than signatures.
    if (block.transactions.length > 0 || !this.#lacksEvents) this.#refusals.succeeded()
    const signatures: string[] = []
    this.#reading.counters.badLines += block.unreadable
    for (const transaction of block.transactions)
      if (await this.#transaction(slot, transaction, receiver, signal))
        signatures.push(transaction.signature)
    if (signal.aborted) return
    this.#reading.check.check(slot, signatures)
    this.blocks++
    receiver.slotComplete(slot, block.parentSlot)
  }

  /** False: it holds nothing that is folded. */
  async #transaction(
    slot: number,
    transaction: ChainTransaction,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { normaliser, pools, counters } = this.#reading
    const decoded = normaliser.decode(transaction)
    const unknown = normaliser.unknownPools(decoded, transaction)
    if (unknown.length > 0) await pools.resolve(unknown, signal)
    const events = normaliser.eventsOf(decoded, transaction)
    counters.events += events.length
    if (events.length === 0 || signal.aborted) return false
    const { txIndex, signature } = transaction
    receiver.transaction({ slot, txIndex, isExact: true, signature, events })
    return true
  }
}

function another(slot: number): SlotUnreadable {
  return new SlotUnreadable(`the RPC server gives another block for slot ${slot}`, slot)
}
