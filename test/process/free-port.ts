import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Has a server listen on a free port of the loopback interface; which one. */
export async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Ports below those that systems give to who asks for any: Linux begins at 32,768, others above. */
const PORT_MIN = 20_000
const PORTS = 10_000
/** How far from each other processes begin whose numbers are neighbours. */
const STEP = 7_919

let tried = process.pid * STEP

/**
 * A free port of the loopback interface, for who has to know it beforehand. It stays free until then: whatever
 * listens or connects meanwhile, in this process or beside it, is given another one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    tried += 1
    const port = PORT_MIN + (tried % PORTS)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}
