import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js'
import { createServer } from 'node:net'
import { us_socket_local_port } from './uws.ts'
import { whyNotListening } from './why-not-listening.ts'

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it a second server would share the port unnoticed. */
const EXCLUSIVE_PORT = 1

export interface Listening {
  readonly socket: us_listen_socket
  /** The port taken, also when 0 was asked for. */
  readonly port: number
}

/** Listens, or rejects with an Error whose message is one sentence that says why not. */
export async function listen(app: TemplatedApp, host: string, port: number): Promise<Listening> {
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    // The types lack this form of listen: host, port and options.
    Reflect.apply(app.listen, app, [host, port, EXCLUSIVE_PORT, resolve])
  })
  if (socket !== false) return { socket, port: us_socket_local_port(socket) }
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
