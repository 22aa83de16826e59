import { WebSocket } from 'ws'

/** How long a handshake may take. */
const HANDSHAKE_MS = 10_000

/** A WebSocket to a peer, until the signal at most; a longer frame ends it. */
export function peerSocket(url: string, frameBytesMax: number, signal: AbortSignal): WebSocket {
  const socket = new WebSocket(url, {
    maxPayload: frameBytesMax,
    handshakeTimeout: HANDSHAKE_MS,
    perMessageDeflate: false,
  })
  const stop = () => socket.terminate()
  signal.addEventListener('abort', stop)
  socket.on('close', () => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  return socket
}

/** Whether a WebSocket ended because of a message above its limit, as the library calls it. */
export function isTooLong(error: Error & { readonly code?: string }): boolean {
  return error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
}
