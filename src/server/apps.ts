import './header-limit.ts'
import './untold-parts.ts'
import {
  _cfg,
  App,
  type HttpRequest,
  type HttpResponse,
  SSLApp,
  type TemplatedApp,
  us_listen_socket_close,
  type WebSocketBehavior,
} from 'uWebSockets.js'
import { MAX_RETIRED_APPS } from './limits.ts'
import { type Listening, listen } from './listen.ts'
import type { TlsFiles } from './tls-files.ts'

// Answers do not tell what serves them.
_cfg('silent')

/** What registers handlers, and what publishes: the apps of one port as if they were one. */
export interface LiveApp {
  ws<T>(path: string, behavior: WebSocketBehavior<T>): void
  publish(topic: string, message: string): void
}

interface CountedApp {
  readonly app: TemplatedApp
  /** Open sockets, live ones among them. */
  sockets: number
}

/**
 * The sockets of one port. Plain: one app. TLS: an app that only accepts and hands every socket to
 * the app with the present certificate; a new certificate is a new app, and the one before goes on
 * serving its sockets until the last has closed. So nothing is dropped, not even a handshake.
 */
export class Apps implements LiveApp {
  readonly #maxSockets: number
  readonly #acceptor: TemplatedApp | null
  readonly #installs: ((counted: CountedApp) => void)[] = []
  /** In order of age; the last one gets the new sockets. */
  #apps: CountedApp[]
  #listening: Listening | null = null
  #sockets = 0
  #refused = 0

  constructor(tls: TlsFiles | null, maxSockets: number) {
    this.#maxSockets = maxSockets
    this.#acceptor = tls === null ? null : App()
    this.#apps = [this.#counted(tls === null ? App() : secureApp(tls))]
    this.#acceptor?.addChildAppDescriptor(this.#newest.app.getDescriptor())
  }

  get #newest(): CountedApp {
    return this.#apps[this.#apps.length - 1]
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { sockets: this.#sockets, sockets_refused_total: this.#refused }
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
          // The filter is not told of sockets that were upgraded.
          this.#left(counted)
          close?.(socket, code, reason)
        },
      })
    })
  }

  publish(topic: string, message: string): void {
    for (const { app } of this.#apps) app.publish(topic, message)
  }

  /** The port taken; rejects with an Error of one sentence. */
  async listen(host: string, port: number): Promise<number> {
    this.#listening = await listen(this.#acceptor ?? this.#newest.app, host, port)
    return this.#listening.port
  }

  stopListening(): void {
    if (this.#listening !== null) us_listen_socket_close(this.#listening.socket)
    this.#listening = null
  }

  /** New sockets get this certificate from now on. Throws when there was none before. */
  changeTls(tls: TlsFiles): void {
    if (this.#acceptor === null) throw new Error('The service does not speak TLS.')
    const before = this.#newest
    const next = this.#counted(secureApp(tls))
    for (const install of this.#installs) install(next)
    this.#apps.push(next)
    this.#acceptor.addChildAppDescriptor(next.app.getDescriptor())
    this.#acceptor.removeChildAppDescriptor(before.app.getDescriptor())
    if (before.sockets === 0) this.#retire(before)
    if (this.#apps.length > MAX_RETIRED_APPS + 1) this.#retire(this.#apps[0])
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

  /** Told of every socket that is accepted (1) or closes without having been upgraded (-1). */
  #changed(counted: CountedApp, res: HttpResponse, change: number): void {
    if (change < 0) {
      this.#left(counted)
      return
    }
    counted.sockets++
    this.#sockets++
    if (this.#sockets <= this.#maxSockets) return
    this.#refused++
    res.close()
  }

  #left(counted: CountedApp): void {
    counted.sockets--
    this.#sockets--
    // Not within the callback of a socket that the app still holds.
    if (counted.sockets === 0 && counted !== this.#newest) setImmediate(() => this.#retire(counted))
  }

  #retire(counted: CountedApp): void {
    if (!this.#apps.includes(counted) || counted === this.#newest) return
    this.#apps = this.#apps.filter((kept) => kept !== counted)
    counted.app.close()
  }
}

function secureApp({ certFile, keyFile }: TlsFiles): TemplatedApp {
  return SSLApp({ cert_file_name: certFile, key_file_name: keyFile })
}
