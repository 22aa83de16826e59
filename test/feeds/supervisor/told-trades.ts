import type { Swap } from '../../../src/events/event.ts'

/** A swap as the chain tells it; PumpPortal knows no place, and makes its ordinal of the content. */
export function swap(signature: string, baseRaw: bigint, given: Partial<Swap> = {}): Swap {
  return {
    ...{ type: 'swap', slot: 11, txIndex: 0, ordinal: 1, signature, timestamp: 1_790_000_000 },
    ...{ source: 'pump', mint: 'mint', pool: 'curve', signer: 'wallet', direction: 'buy' },
    ...{ baseRaw, quoteRaw: 1n, virtualBaseRaw: 1n, virtualQuoteRaw: 1n },
    ...{ realBaseRaw: 1n, realQuoteRaw: 1n, platformFeeRaw: 1n, creatorFeeRaw: 1n },
    ...given,
  }
}

/** The same by PumpPortal. */
export function withoutPlace(signature: string, baseRaw: bigint, ordinal = 4_000_000_000): Swap {
  return swap(signature, baseRaw, { slot: null, txIndex: null, ordinal, platformFeeRaw: 0n })
}
