import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { askOf } from '../../src/mcp/stdio.ts'

/** What `askOf` says of a server that answers so. */
async function saidOf(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return askOf(`http://127.0.0.1:${port}`)({ method: 'GET', path: '/a', query: 'b=1', body: '' })
}

test('servers that are none of mintfeed, redirect, or answer without end are said to', async () => {
  expect(await saidOf((_, response) => response.end('<html>'))).toMatchObject({
    sentence: expect.stringMatching(/answered 200 without JSON of mintfeed/),
  })
  expect(
    await saidOf((_, response) => response.writeHead(302, { location: 'http://1.1.1.1/' }).end()),
  ).toMatchObject({ sentence: expect.stringMatching(/^No service answers at .*redirect/) })
  expect(
    await saidOf((_, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more)
      }
      more()
    }),
  ).toMatchObject({ sentence: expect.stringMatching(/more than 4194304 bytes/) })
  const asked: (string | undefined)[] = []
  const json = await saidOf(({ url }, response) => {
    asked.push(url)
    response.end('{"a":1}')
  })
  expect([json, asked]).toEqual([{ ok: true, json: '{"a":1}' }, ['/a?b=1']])
})
