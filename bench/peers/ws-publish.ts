/** The `ws` package that sends one text to every reader. Argument: bytes of a message. */
import { WebSocketServer } from 'ws'
import { tellParent } from '../child.ts'
import { publishOnDemand } from '../processes/publish-loop.ts'

const message = 'x'.repeat(Number(process.argv[2]))
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })

server.on('listening', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) tellParent({ port: address.port })
})
publishOnDemand((count) => {
  for (let i = 0; i < count; i++)
    for (const client of server.clients) client.send(message, { binary: false })
})
