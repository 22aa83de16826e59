import { withoutSecrets } from './secrets.ts'

/**
 * Where a live feed puts every frame as it came, before anything of it is decoded or dropped:
 * `mintfeed record` keeps them, the running service has nobody listening.
 */
export interface RawFrames {
  /**
   * One frame of `feed` (its name in FEED): JSON as text, anything else as bytes. Must not throw
   * and must not keep the bytes, which the connection uses again.
   */
  frame(feed: string, raw: string | Uint8Array): void
}

/** A frame as one line of a recording, without its line end; `replay:` reads it again. */
export function frameLine(
  feed: string,
  raw: string | Uint8Array,
  timeMs: number,
): {
  /** Unix seconds with milliseconds: when the frame came. */
  readonly t_wall: number
  readonly feed: string
} & ({ readonly raw: string } | { readonly bytes_base64: string }) {
  const head = { t_wall: timeMs / 1000, feed }
  if (typeof raw === 'string') return { ...head, raw }
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  return { ...head, bytes_base64: bytes.toString('base64') }
}

/** Nobody records. */
export const NO_RECORDER: RawFrames = { frame: () => {} }

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
