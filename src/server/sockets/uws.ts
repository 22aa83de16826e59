import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { messageOf } from '../../base/errors.ts'

/**
 * Bytes of a request's line, url and headers at most; uWebSockets.js answers 431 past it. Its own
 * default of 4 KiB is less than a market-data query of 100 mints needs.
 */
const MAX_HEADER_BYTES = 16 * 1024

// uWebSockets.js reads its limit of a request's head from the environment when it is loaded: not
// imported with the other modules, for in a bundle those come first.
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEADER_BYTES)

export const { _cfg, App, SSLApp, us_listen_socket_close, us_socket_local_port } = await library(
  process.env.UWS_PATH ?? '',
)

/**
 * That of the packages, or the one in the folder of UWS_PATH: official builds are on GitHub alone, and newer
 * (docs/install.md). Without it nothing can be served, so that a wrong one ends the start with a sentence.
 */
async function library(path: string): Promise<typeof import('uWebSockets.js')> {
  if (path === '') return import('uWebSockets.js')
  try {
    const loaded: typeof import('uWebSockets.js') = createRequire(import.meta.url)(resolve(path))
    if (typeof loaded.App === 'function') return loaded
    throw new Error('it has no App')
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n')
    process.stderr.write(
      `mintfeed: UWS_PATH must be the folder of a uWebSockets.js that runs on Node ${process.version} (${reason}).\n`,
    )
    process.exit(2)
  }
}

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
