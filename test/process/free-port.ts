import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Has a server listen on a free port of the loopback interface; which one. */
export async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** A port of the loopback interface that was free a moment ago, for who has to know it beforehand. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  server.close()
  await once(server, 'close')
  return port
}
