import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { responseText } from '../../src/feeds/response-text.ts'
import { listening } from '../process/free-port.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const NEVER = new AbortController().signal

/** A server that sends some bytes, and ends or stays silent. */
async function served(bytes: Buffer, ends: boolean): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200)
    response.write(bytes)
    if (ends) response.end()
  })
  const port = await listening(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}`
}

test('a text comes whole, and one that is too long is refused', async () => {
  const url = await served(Buffer.from('é'.repeat(50_000)), true)
  expect(await responseText(await fetch(url), 100_000, NEVER)).toBe('é'.repeat(50_000))
  await expect(responseText(await fetch(url), 99_999, NEVER)).rejects.toThrow('99999 bytes')
})

test('a body that goes silent ends with its signal, whatever was collected meanwhile', async () => {
  const url = await served(Buffer.from('half'), false)
  const ask = async () => {
    const ending = AbortSignal.any([AbortSignal.timeout(300), new AbortController().signal])
    return responseText(await fetch(url, { signal: ending, redirect: 'error' }), 1_000, ending)
  }
  const asked = ask()
  const collecting = setInterval(collect, 50)
  onTestFinished(() => clearInterval(collecting))
  await expect(asked).rejects.toThrow('timeout')
})
