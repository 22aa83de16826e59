import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { unmapped } from './ip-address.ts'

const LOOPBACK_NET = 127
const V4_BYTES = 4
/** Headers of a proxy: behind one on this machine may be anybody. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const

/** Does a request come from a program on this machine, and not through a proxy on it? */
export function isLocalPeer(res: HttpResponse, req: HttpRequest): boolean {
  const peer = unmapped(new Uint8Array(res.getRemoteAddress()))
  const isLoopback =
    peer.length === V4_BYTES
      ? peer[0] === LOOPBACK_NET
      : peer.at(-1) === 1 && peer.subarray(0, -1).every((byte) => byte === 0)
  return isLoopback && PROXY_HEADERS.every((name) => req.getHeader(name) === '')
}
