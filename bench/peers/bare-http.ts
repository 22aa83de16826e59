/** The smallest uWebSockets.js server that answers GET and POST with given bytes. Argument: their file. */

import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'
import { readFileSync } from 'node:fs'
import { onParent, tellParent } from '../child.ts'

const body = readFileSync(process.argv[2])

onParent(() => undefined)

/**
 * Corked by hand: uWebSockets.js corks the first answer of a read by itself, and what is pipelined
 * behind it would cost two system calls an answer.
 */
function answer(res: HttpResponse): void {
  res.cork(() => void res.writeHeader('Content-Type', 'application/json').end(body))
}

App()
  .post('/*', (res) => {
    res.onAborted(() => undefined)
    res.onData((_, isLast) => {
      if (isLast) answer(res)
    })
  })
  .get('/*', (res) => {
    // Without it a client that goes away amid pipelined answers ends the process.
    res.onAborted(() => undefined)
    answer(res)
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket !== false) tellParent({ port: us_socket_local_port(socket) })
  })
