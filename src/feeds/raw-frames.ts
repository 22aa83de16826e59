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
type FrameLine = {
  /** Unix seconds with milliseconds: when the frame came. */
  readonly t_wall: number
  readonly feed: string
} & ({ readonly raw: string } | { readonly bytes_base64: string })

export function frameLine(feed: string, raw: string | Uint8Array, timeMs: number): FrameLine {
  const head = { t_wall: timeMs / 1000, feed }
  if (typeof raw === 'string') return { ...head, raw }
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  return { ...head, bytes_base64: bytes.toString('base64') }
}

/** Nobody records. */
export const NO_RECORDER: RawFrames = { frame: () => {} }
