import { MAX_HEADER_BYTES } from '../load/limits.ts'
import './untold-parts.ts'

// uWebSockets.js reads its limit of a request's head from the environment when it is loaded: not
// imported with the other modules, for in a bundle those come first.
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEADER_BYTES)

export const { _cfg, App, SSLApp, us_listen_socket_close, us_socket_local_port } = await import(
  'uWebSockets.js'
)
