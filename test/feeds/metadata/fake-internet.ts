import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { isPublicAddress } from '../../../src/base/public-address.ts'

/** A certificate for *.hosts.test that only these tests know. */
const certificate = readFileSync(new URL('../tls/cert.pem', import.meta.url))
const key = readFileSync(new URL('../tls/key.pem', import.meta.url))

/** An address of the public internet; here it leads to the test's own server. */
export const PUBLIC = '93.184.215.14'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * The internet as the fetcher sees it: names by `answers`, every public address is one real TLS
 * server on this machine. The rules of the fetcher stay as they are; only the wires are ours.
 */
export class FakeInternet {
  /** What a name resolves to, one answer after the other, the last one for ever. */
  readonly answers = new Map<string, string[][]>()
  /** Addresses that were dialled. */
  readonly dialled: string[] = []
  readonly asked: string[] = []
  /** Bodies of hosts, by `host/path`. */
  readonly pages = new Map<string, Handler>()
  readonly sockets = new Set<TLSSocket>()
  requests = 0
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<FakeInternet> {
    const server = createServer({ key, cert: certificate })
    const internet = new FakeInternet(server)
    server.on('request', (request, response) => {
      internet.requests += 1
      response.on('error', () => {})
      const page = internet.pages.get(`${request.headers.host}${request.url}`)
      if (page === undefined) response.writeHead(404).end()
      else page(request, response)
    })
    server.on('secureConnection', (socket) => {
      internet.sockets.add(socket)
      socket.on('close', () => internet.sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return internet
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Addresses dialled that are not public; there must never be any. */
  get privateDials(): string[] {
    return this.dialled.filter((address) => !isPublicAddress(address))
  }

  readonly resolve = async (host: string): Promise<readonly string[]> => {
    this.asked.push(host)
    const answers = this.answers.get(host)
    if (answers === undefined) return host.endsWith('.hosts.test') ? [PUBLIC] : []
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? []
  }

  readonly dial = (address: string, host: string): TLSSocket => {
    this.dialled.push(address)
    return connect({ host: '127.0.0.1', port: this.port, servername: host, ca: certificate })
  }

  page(place: string, handler: Handler): void {
    this.pages.set(place, handler)
  }

  json(place: string, value: unknown): void {
    this.page(place, (_, response) => response.end(JSON.stringify(value)))
  }

  redirect(place: string, location: string): void {
    this.page(place, (_, response) => response.writeHead(302, { location }).end())
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
