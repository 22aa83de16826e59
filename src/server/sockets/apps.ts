/**
 * `server/sockets` is below HTTP: the apps of one port, TLS files, the address of a client. In: settings and sockets.
 * Out: an app that handlers are registered at, and the key that a client is counted under. Invariants: there are
 * never more sockets than SOCKETS; a new certificate drops no socket.
 */

import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  WebSocketBehavior,
} from 'uWebSockets.js'
import { createServer } from 'node:net'
import { RateLimiter } from '../load/rate-limiter.ts'
import { type ClientAddresses, isLoopback } from './client-address.ts'
import { secureApp, type TlsFiles, tlsFingerprint } from './tls-files.ts'
import { _cfg, App, us_listen_socket_close, us_socket_local_port } from './uws.ts'

/**
 * While less than this share of all sockets is free, answers close their connection: sockets are for
 * clients that ask, and not for those that have asked.
 */
const SCARCE_SHARE = 1 / 8
/**
 * Certificates that one run reads at most, each of which keeps some memory until the end; past it
 * the present one stays, and the reload says that a restart is needed.
 */
const MAX_CERTIFICATES = 64
/** About as long as uWebSockets.js keeps a socket open that brings nothing, or no whole request. */
const NEW_SOCKETS_WINDOW_MS = 10_000
/** Share of all sockets that one address may begin in that time at most, where there are few. */
const NEW_SOCKETS_SHARE = 1 / 8

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it a second server would share the port unnoticed. */
const EXCLUSIVE_PORT = 1

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'the port needs more rights'],
  ['EADDRNOTAVAIL', 'the address is not one of this machine'],
  ['ENOTFOUND', 'the host name is not known'],
])

// Answers do not name what serves them.
_cfg('silent')

interface CountedApp {
  readonly app: TemplatedApp
  /** Open sockets, live ones among them. */
  sockets: number
}

/**
 * The sockets of one port. Plain: one app. TLS: an app that only accepts and hands every socket to
 * the app with the present certificate; a new certificate is a new app, and the ones before go on
 * serving their sockets. So nothing is dropped, not even a handshake. No app is ever closed before
 * the end: uWebSockets.js hands sockets over a turn after it accepted them, so one that has none
 * may still get one, and closing it would not give its memory back.
 */
export class Apps {
  readonly #maxSockets: number
  readonly #newSockets: NewSockets
  readonly #acceptor: TemplatedApp | null
  readonly #installs: ((counted: CountedApp) => void)[] = []
  /** In order of age, at most MAX_CERTIFICATES. */
  readonly #apps: CountedApp[]
  /** The last one, which gets the new sockets. */
  #newest: CountedApp
  /** Of the newest app's files; reading the same again makes no further app. */
  #fingerprint: string
  #listening: us_listen_socket | null = null
  #sockets = 0
  #refused = 0
  #refusedByAddress = 0

  constructor(tls: TlsFiles | null, maxSockets: number, newSockets: NewSockets) {
    this.#maxSockets = maxSockets
    this.#newSockets = newSockets
    this.#fingerprint = tls === null ? '' : tlsFingerprint(tls)
    // Not App(): uWebSockets.js gives a socket handed over the size of its acceptor's sockets, and a
    // TLS socket is larger than a plain one. It would write past the end of its memory.
    this.#acceptor = tls === null ? null : secureApp(tls)
    this.#newest = this.#counted(tls === null ? App() : secureApp(tls))
    this.#apps = [this.#newest]
    this.#acceptor?.addChildAppDescriptor(this.#newest.app.getDescriptor())
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      sockets: this.#sockets,
      sockets_refused_total: this.#refused,
      sockets_refused_by_address_total: this.#refusedByAddress,
    }
  }

  /** Is so little room left that answered clients are to make room? */
  get areScarce(): boolean {
    return this.#maxSockets - this.#sockets < this.#maxSockets * SCARCE_SHARE
  }

  get(path: string, handler: (res: HttpResponse, req: HttpRequest) => void): void {
    this.#install(({ app }) => app.get(path, handler))
  }

  any(path: string, handler: (res: HttpResponse, req: HttpRequest) => void): void {
    this.#install(({ app }) => app.any(path, handler))
  }

  ws<T>(path: string, behavior: WebSocketBehavior<T>): void {
    this.#install((counted) => {
      const { close } = behavior
      counted.app.ws<T>(path, {
        ...behavior,
        close: (socket, code, reason) => {
          // The filter is not called for sockets that were upgraded.
          this.#left(counted)
          close?.(socket, code, reason)
        },
      })
    })
  }

  publish(topic: string, message: string): void {
    for (const { app, sockets } of this.#apps) if (sockets > 0) app.publish(topic, message)
  }

  /** The port taken, also when 0 was asked for; rejects with an Error of one sentence. */
  async listen(host: string, port: number): Promise<number> {
    this.#listening = await listen(this.#acceptor ?? this.#newest.app, host, port)
    return us_socket_local_port(this.#listening)
  }

  stopListening(): void {
    if (this.#listening !== null) us_listen_socket_close(this.#listening)
    this.#listening = null
  }

  /**
   * New sockets get this certificate from now on. Throws an Error of one sentence when there was
   * none before, when it cannot be served, or after MAX_CERTIFICATES of them.
   */
  changeTls(tls: TlsFiles): void {
    if (this.#acceptor === null) throw new Error('The service does not speak TLS.')
    const fingerprint = tlsFingerprint(tls)
    if (fingerprint === this.#fingerprint) return
    if (this.#apps.length === MAX_CERTIFICATES) {
      const message = `The service has read ${MAX_CERTIFICATES} certificates, which is the most it keeps: restart it to use the new one.`
      throw new Error(message)
    }
    const before = this.#newest
    const next = this.#counted(secureApp(tls))
    for (const install of this.#installs) install(next)
    this.#apps.push(next)
    this.#newest = next
    this.#fingerprint = fingerprint
    // In this order, and within one turn: there is always exactly one that gets the next socket.
    this.#acceptor.addChildAppDescriptor(next.app.getDescriptor())
    this.#acceptor.removeChildAppDescriptor(before.app.getDescriptor())
  }

  /** Cuts every socket. */
  close(): void {
    this.stopListening()
    for (const { app } of this.#apps) app.close()
    this.#acceptor?.close()
  }

  #install(install: (counted: CountedApp) => void): void {
    this.#installs.push(install)
    for (const counted of this.#apps) install(counted)
  }

  #counted(app: TemplatedApp): CountedApp {
    const counted: CountedApp = { app, sockets: 0 }
    app.filter((res, change) => this.#changed(counted, res, change))
    return counted
  }

  /** Called for every socket that is accepted (1) or closes without having been upgraded (-1). */
  #changed(counted: CountedApp, res: HttpResponse, change: number): void {
    if (change < 0) {
      this.#left(counted)
      return
    }
    counted.sockets++
    this.#sockets++
    const isCrowding = this.#newSockets.isOneTooMany(res.getRemoteAddress())
    if (this.#sockets > this.#maxSockets) this.#refused++
    else if (isCrowding) this.#refusedByAddress++
    else return
    res.close()
  }

  #left(counted: CountedApp): void {
    counted.sockets--
    this.#sockets--
  }
}

/** Listens, or rejects with an Error whose message is one sentence that says why not. */
async function listen(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket> {
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    // The types lack this form of listen: host, port and options.
    Reflect.apply(app.listen, app, [host, port, EXCLUSIVE_PORT, resolve])
  })
  if (socket !== false) return socket
  throw new Error(`Cannot listen on ${host}:${port}: ${await reasonFor(host, port)}.`)
}

/** uWebSockets.js does not say why, so the same is tried with node:net, which does. */
function reasonFor(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve(whyNotListening(error, 'PORT')))
    probe.listen({ host, port, exclusive: true }, () => {
      probe.close(() => resolve('the port or the address is not available'))
    })
  })
}

/** Why a server does not listen, for a sentence to end with; `setting` is what gives the port. */
export function whyNotListening({ code, message }: NodeJS.ErrnoException, setting: string): string {
  if (code === 'EADDRINUSE')
    return `the port is in use: stop what uses it, or give another ${setting}`
  return REASONS.get(code ?? '') ?? message
}

/**
 * Keeps one address from taking every socket. uWebSockets.js does not say whose socket has closed, so
 * none can be counted for as long as it is open; but one that brings nothing is closed after some ten
 * seconds, and only so many of one address may begin in that time. Programs of this machine and proxies that
 * are trusted stand for others and are not counted.
 */
export class NewSockets {
  readonly #limiter: RateLimiter
  readonly #addresses: ClientAddresses
  readonly #nowMs: () => number

  /** `nowMs`: a monotonic clock. */
  constructor(
    limits: { readonly sockets: number; readonly newSocketsPerAddress: number },
    addresses: ClientAddresses,
    nowMs: () => number = () => performance.now(),
  ) {
    const share = Math.ceil(limits.sockets * NEW_SOCKETS_SHARE)
    const limit = Math.min(limits.newSocketsPerAddress, share)
    this.#limiter = new RateLimiter({ limit, windowMs: NEW_SOCKETS_WINDOW_MS })
    this.#addresses = addresses
    this.#nowMs = nowMs
  }

  /** Counts a new socket; true: it is one more than its address may begin. */
  isOneTooMany(remote: ArrayBuffer): boolean {
    // Reset by now: it has no address any more.
    if (remote.byteLength === 0 || this.#addresses.isTrusted(remote)) return false
    const client = this.#addresses.keyOf(remote, '')
    return !isLoopback(client) && !this.#limiter.take(client, this.#nowMs()).allowed
  }
}
