import type { Problem } from '../problem.ts'
import type { Acknowledgement, Channel, ChannelFrame, Resync } from './frames.ts'

/** What a follow may ask of its connection. */
export interface Line {
  /** Id of the connection. */
  readonly id: string
  /** Subscribe, or subscribe anew: the answer comes by `acknowledged` or `refused`. */
  ask(follow: Follow): void
  /** Call `ask` after this time, unless the connection is lost or the follow left before. */
  askLater(follow: Follow, afterMs: number, ask: () => void): void
  /** Unsubscribe for a while. */
  pause(follow: Follow): void
  /** The service breaks its promises: all begins anew on another connection, after a wait. */
  fail(why: Problem): void
  /** It is refused: nothing of it is asked for again. */
  drop(follow: Follow): void
}

/** Words of a subscription. */
export interface Words {
  /** Mint or wallet, so that several go in one message; null for the others. */
  readonly name: 'mint' | 'wallet' | null
  /** Where to go on. */
  readonly from: { readonly seq: number; readonly epoch: string } | null
  readonly snapshot: boolean
  /** Further words of the channel. */
  readonly more: Readonly<Record<string, unknown>>
}

/** One stream that somebody follows, on one connection at a time. */
export interface Follow {
  readonly channel: Channel
  /** Mint, wallet … : two of the same name go on two connections. */
  readonly key: string
  connected(line: Line): void
  disconnected(): void
  /** The words to subscribe with, now. */
  words(): Words
  /** The words to unsubscribe with, beside mint or wallet; a table is left by its name. */
  readonly leaveWords: Readonly<Record<string, unknown>>
  acknowledged(frame: Acknowledgement): void
  refused(problem: Problem): void
  resync(frame: Resync): void
  take(frame: ChannelFrame): void
  /** The reader has room again. */
  resume(): void
}
