import type { RawFrames } from '../raw-frames.ts'
import { withoutSecrets } from '../secrets.ts'

/** What PumpPortal's events and the notifications of an RPC server have, and no answer of theirs. */
const OF_EVENTS = /"(?:txType|method)"\s*:/

/**
 * Hands frames on without `secrets`: a server may repeat the key that it was asked with, in its answers. Frames of
 * events stay as they came, for a short secret may stand in them by chance.
 */
export function framesWithoutKeys(frames: RawFrames, secrets: readonly string[]): RawFrames {
  return {
    frame: (feed, raw) => {
      const isAnswer = typeof raw === 'string' && !OF_EVENTS.test(raw)
      frames.frame(feed, isAnswer ? withoutSecrets(raw, secrets) : raw)
    },
  }
}
