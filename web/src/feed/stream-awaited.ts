/** A stream is waited for so long, as where no WebSocket gets through, before trades are read without it, in ms. */
export const STREAM_AWAITED_MS = 3_000
