import type { FeedEvent } from '../../src/events/event.ts'
import { START_SECOND } from '../oracle/fixtures.ts'
import { crowdOfLines } from './folders.ts'

/** A crowd with repeats, texts and an end of the curve among its trades. */
export function crowdFrom(seed: number): FeedEvent[] {
  const events = crowdOfLines(seed, 200)
  const position = { slot: 260, txIndex: 0, ordinal: 0, timestamp: START_SECOND + 104 }
  const told: FeedEvent[] = [
    { type: 'metadata', timestamp: START_SECOND, mint: 'mint', twitter: 'https://x.com/some' },
    { type: 'completed', ...position, signature: 'done', mint: 'mint', bondingCurve: 'curve' },
    {
      type: 'migrated',
      ...position,
      txIndex: null,
      signature: 'moved',
      mint: 'mint',
      bondingCurve: 'curve',
      poolAmm: 'a pool seen nowhere else',
    },
  ]
  return [...events.slice(0, 90), ...told, ...events.slice(60)]
}
