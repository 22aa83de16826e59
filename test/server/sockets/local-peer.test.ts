import { networkInterfaces } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { EngineServer } from '../engine-server.ts'
import { LiveClient } from '../live-client.ts'
import { born } from '../told-events.ts'

let service: EngineServer
afterEach(() => service.server.stop())

const addresses = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
/** An address of this machine that is not loopback: who calls it comes from it. */
const OWN = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
const HAS_V6 = addresses.some(({ address }) => address === '::1')

const ASK = { event: 'all_trades', data: { action: 'subscribe', id: 'me' } }

/** What comes of asking for all trades at an address of the service, over both transports. */
async function asked(authority: string, headers: Record<string, string> = {}) {
  const client = await LiveClient.open(`ws://${authority}/ws?id=me`, { headers })
  const answer = await client.ask(ASK)
  client.close()
  const stream = await fetch(`http://${authority}/api/v2/stream?channel=all_trades`, { headers })
  const reader = stream.body?.getReader()
  const first = new TextDecoder().decode((await reader?.read())?.value)
  await reader?.cancel()
  return [Object(answer).type, Object(answer).code, /"type":"(\w+)"/.exec(first)?.[1]]
}
const GIVEN = ['subscribed', undefined, 'subscribed']
const REFUSED = ['error', 'not_local', 'error']

const start = async (host: string) => {
  service = await EngineServer.start('e1', undefined, { host })
  service.feed([born('A')])
  return service.server.port
}

test('all trades are given to programs of this machine, and through no proxy on it', async () => {
  const port = await start('127.0.0.1')
  expect(await asked(`127.0.0.1:${port}`)).toEqual(GIVEN)
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP'])
    expect([name, ...(await asked(`127.0.0.1:${port}`, { [name]: '127.0.0.1' }))]).toEqual([
      name,
      ...REFUSED,
    ])
})

test.skipIf(OWN === undefined)('all trades are refused to clients from elsewhere', async () => {
  const port = await start('0.0.0.0')
  expect(await asked(`${OWN}:${port}`)).toEqual(REFUSED)
  expect(await asked(`127.0.0.2:${port}`)).toEqual(GIVEN)
})

test.skipIf(!HAS_V6)(
  'programs of this machine may come by IPv6, and by IPv4 to its socket',
  async () => {
    const port = await start('::')
    for (const host of ['[::1]', '127.0.0.1']) expect(await asked(`${host}:${port}`)).toEqual(GIVEN)
    if (OWN !== undefined) expect(await asked(`${OWN}:${port}`)).toEqual(REFUSED)
  },
)
