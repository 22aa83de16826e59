/** The smallest uWebSockets.js server that publishes. Argument: bytes of a message. */
import { App, us_socket_local_port } from 'uWebSockets.js'
import { tellParent } from '../child.ts'
import { publishOnDemand } from '../processes/publish-loop.ts'

const message = Buffer.alloc(Number(process.argv[2]), 'x')
const app = App()

app
  .ws('/ws', { maxBackpressure: 0, open: (ws) => void ws.subscribe('trades') })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket !== false) tellParent({ port: us_socket_local_port(socket) })
  })
publishOnDemand((count) => {
  for (let i = 0; i < count; i++) app.publish('trades', message)
})
