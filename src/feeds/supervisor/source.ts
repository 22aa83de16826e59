import { messageOf } from '../../base/errors.ts'
import { stripControlChars } from '../../base/safe-text.ts'
import type { FeedEvent } from '../../events/event.ts'
import { codePoints } from '../../events/text.ts'
import { withoutSecrets } from '../secrets.ts'

/** The events of one transaction, whole: all of them or none are delivered. */
export interface SlotTransaction {
  readonly slot: number
  /** Index in the block; what is not exact is the order of arrival. */
  readonly txIndex: number | null
  /** Whether `txIndex` is the index in the block. An exact transaction replaces an inexact one. */
  readonly isExact: boolean
  readonly signature: string
  /** In order of their ordinals. */
  readonly events: readonly FeedEvent[]
}

/** What a source delivers of slots, live or as a back-fill. */
export interface SlotReceiver {
  /** May come in any order, again, and from several sources; the first of a signature counts. */
  transaction(transaction: SlotTransaction): void
  /**
   * Everything of this slot has been delivered. A source that began in the middle of a slot never says
   * so of that slot.
   * @param parentSlot the slot before it on the chain; null: the source does not know, so the slots
   *   before it are taken for missing until a back-fill finds out that nothing was there
   */
  slotComplete(slot: number, parentSlot: number | null): void
}

/** What a source delivers during one connection. */
export interface Receiver extends SlotReceiver {
  /**
   * The connection works (subscriptions acknowledged). The next wait is a short one again once something
   * came of it: a peer may let everybody in and throw them out at once.
   */
  connected(): void
  /**
   * What the connection is for goes on: called with everything that carries events or slots. Silence
   * ends the connection.
   */
  alive(): void
  /**
   * Slots `from` to `to`, both included, were delivered whole, and transactions of them may be missing: they
   * are back-filled, late. Also after the connection has ended.
   */
  slotsIncomplete(from: number, to: number): void
  /**
   * Asked of each slot before anything else of it is delivered. False: the chain cannot have come there yet,
   * and what was said of it is left out.
   */
  admits(slot: number): boolean
  /** The chain has reached this slot. No sign of life: events may have stopped all the same. */
  slotSeen(slot: number): void
  /** Events without a slot: handed over at once, in the order delivered. */
  events(events: readonly FeedEvent[]): void
}

/** Why a source can never deliver some slots; trying again is of no use. One sentence. */
export class SlotsUnavailable extends Error {
  /** The last slot of which that holds; null: it holds of all. */
  readonly to: number | null

  constructor(message: string, to: number | null) {
    super(message)
    this.to = to
  }
}

/** Why one slot cannot be delivered now although a later one can; trying again may be of use. One sentence. */
export class SlotUnreadable extends Error {
  readonly slot: number

  constructor(message: string, slot: number) {
    super(message)
    this.slot = slot
  }
}

/**
 * One provider of events. The supervisor makes its connections one after the other, watches over
 * them and puts what several sources deliver into one order.
 */
export interface Source {
  /** As in `FEED`; stands in logs, metrics and `/readyz`. */
  readonly name: string
  /**
   * Whether its events lack slot and index (PumpPortal). They are left out, and counted, while a
   * source that has them is connected; its other events are matched by their content.
   */
  readonly isDegraded: boolean
  /** Keys that its peer may repeat, and that stand in no log; absent: there are none. */
  readonly secrets?: readonly string[]
  /**
   * One connection, from the first byte to the last. Resolves when the peer has ended it, rejects
   * with a sentence when it failed. Ends soon after the signal.
   * @param cursor the last slot that was handed over whole; null: none yet
   */
  connect(receiver: Receiver, cursor: number | null, signal: AbortSignal): Promise<void>
  /**
   * Delivers the slots `from` to `to` again, both included, and resolves when all that it knows are
   * delivered; what it has left out is seen by the parents of the others. Absent: the source cannot.
   * @throws SlotsUnavailable when they can never be had, SlotUnreadable when one of them may not;
   *   any other error is tried again without end
   */
  backfill?(from: number, to: number, receiver: SlotReceiver, signal: AbortSignal): Promise<void>
  /** The oldest slot from which on it delivers all again at once, not slot by slot; null or absent: there is none. */
  oldestReplayed?(): Promise<number | null>
  /** Why something that was asked for does not come though it is connected, in one sentence; null or absent: nothing. */
  readonly complaint?: string | null
  /** Figures of its own, for `/readyz` and metrics; names in snake_case without the source's. */
  figures?(): Readonly<Record<string, number>>
}

/** A peer's own words stand among them: a frame of megabytes may be one refusal. */
const CHARACTERS_MAX = 200

/** Why something failed, for logs and `/readyz`: without these secrets, and long ones are cut. */
export function reasonOf(error: unknown, secrets: readonly string[] = []): string {
  const message = withoutSecrets(messageOf(error), secrets)
  const shown = stripControlChars(codePoints(message, CHARACTERS_MAX), ' ')
  return shown.length < message.length ? `${shown}…` : shown
}
