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

/** What uWebSockets.js has and its types lack. */
declare module 'uWebSockets.js' {
  /** With 'silent' answers do not carry the name and version of the library. */
  export function _cfg(key: string): void

  interface TemplatedApp {
    /** Names this app for another one. */
    getDescriptor(): AppDescriptor
    /** From now on accepted sockets go to this app. */
    addChildAppDescriptor(descriptor: AppDescriptor): TemplatedApp
    /** Accepted sockets go there no more. */
    removeChildAppDescriptor(descriptor: AppDescriptor): TemplatedApp
  }

  /** Only ever handed from one app to the other. */
  interface AppDescriptor {
    readonly kind: 'app descriptor'
  }
}
