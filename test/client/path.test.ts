import { createServer, request } from 'node:http'
import { createConnection } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { created } from '../oracle/fixtures.ts'
import { listening } from '../process/free-port.ts'
import { EngineServer } from '../server/engine-server.ts'

const PATH = '/feed'

/** A proxy that has the service under a path, which it takes off; its address. */
async function proxyOf(service: EngineServer): Promise<string> {
  const { port } = service.server
  const inner = (url = '') => (url.startsWith(`${PATH}/`) ? url.slice(PATH.length) : '/elsewhere')
  const proxy = createServer((asked, answer) => {
    const { method, headers } = asked
    const passed = request({ port, path: inner(asked.url), method, headers }, (came) => {
      answer.writeHead(came.statusCode ?? 502, came.headers)
      came.pipe(answer)
    })
    asked.pipe(passed)
  })
  proxy.on('upgrade', (asked, socket) => {
    const lines = Object.entries(asked.headers).map(([name, value]) => `${name}: ${value}`)
    const service = createConnection(port, '127.0.0.1')
    service.write([`GET ${inner(asked.url)} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
    service.pipe(socket).pipe(service)
    service.on('error', () => socket.destroy())
    socket.on('error', () => service.destroy())
  })
  const url = `http://127.0.0.1:${await listening(proxy)}`
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return url
}

test.each([PATH, `${PATH}/`])(
  'a service under the path %s of a proxy is read and followed',
  async (path) => {
    const service = await EngineServer.start()
    onTestFinished(() => service.server.stop())
    service.feed([created({ slot: 1, mint: 'A' })])
    const client = new Mintfeed((await proxyOf(service)) + path)
    onTestFinished(() => client.close())
    expect(await client.read.tables({ type: 'new' })).toMatchObject({
      data: { new: [{ mint: 'A' }] },
    })
    expect((await client.read.udfConfig()).ok).toBe(true)
    const launches = client.live.launches()
    expect((await launches.next()).value).toMatchObject({ kind: 'snapshot', seq: 1 })
  },
)
