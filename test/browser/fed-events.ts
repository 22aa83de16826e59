/** Events that a test of the page hands to a program with `FEED=stdin`. */
import {
  eventLineText,
  type FeedEvent,
  type Swap,
  type TokenCreated,
} from '../../src/events/event.ts'
import type { Program } from '../process/program.ts'

const RESERVES = { virtualBaseRaw: 1_000_000_000_000_000n, virtualQuoteRaw: 32_190_000_000n }

/** What a test says of an event by itself: no two of a market are alike in it. */
type Own<T extends FeedEvent, K extends keyof T> = Pick<T, K> & Partial<T>

/** A creation now, in slot 100. */
export function launch(
  own: Own<TokenCreated, 'mint' | 'signature' | 'name' | 'symbol' | 'creator' | 'bondingCurve'>,
): TokenCreated {
  return {
    type: 'token_created',
    slot: 100,
    txIndex: 0,
    ordinal: 0,
    timestamp: Math.floor(Date.now() / 1000),
    uri: '',
    tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    isMayhemMode: false,
    ...RESERVES,
    realBaseRaw: 793_100_000_000_000n,
    ...own,
  }
}

/** A purchase on the curve now, at 150 USD a SOL. */
export function purchase(own: Own<Swap, 'mint' | 'signature' | 'slot' | 'pool' | 'signer'>): Swap {
  return {
    type: 'swap',
    txIndex: 1,
    ordinal: 0,
    timestamp: Math.floor(Date.now() / 1000),
    source: 'pump',
    direction: 'buy',
    baseRaw: 1_000_000_000n,
    quoteRaw: 32_190n,
    ...RESERVES,
    realBaseRaw: 720_000_000_000_000n,
    realQuoteRaw: 2_190_000_000n,
    platformFeeRaw: 0n,
    creatorFeeRaw: 0n,
    solPriceUsd: 150,
    ...own,
  }
}

/** Hands the program its events, a line each. */
export function feed(program: Program, events: readonly FeedEvent[]): void {
  program.child.stdin?.write(events.map((event) => `${eventLineText(event)}\n`).join(''))
}
