import './untold-parts.ts'

/**
 * Bytes of a request's line, url and headers at most; uWebSockets.js answers 431 past it. Its own
 * default of 4 KiB is less than a market-data query of 100 mints needs.
 */
const MAX_HEADER_BYTES = 16 * 1024

// uWebSockets.js reads its limit of a request's head from the environment when it is loaded: not
// imported with the other modules, for in a bundle those come first.
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEADER_BYTES)

export const { _cfg, App, SSLApp, us_listen_socket_close, us_socket_local_port } = await import(
  'uWebSockets.js'
)
