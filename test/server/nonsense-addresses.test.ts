import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { EngineServer } from './engine-server.ts'
import { LiveClient } from './live-client.ts'

/** Well-formed; nobody has heard of it. */
const STRANGER = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5'
/** What a feed of lines may call a mint or a wallet. */
const [TOLD_MINT, TOLD_WALLET] = ['mint 0', 'alice']
/** Copied with the placeholder, cut off, mistyped, of another chain, of a text around it. */
const NONSENSE = [
  '<mint>',
  'notamint',
  STRANGER.slice(0, 20),
  `${STRANGER}${STRANGER}`,
  STRANGER.replace('L', '0'),
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  `https://pump.fun/coin/${STRANGER}`,
  `"${STRANGER}"`,
  '__proto__',
  'Пампъ',
]
const EXPECTED = 'an address is expected: 32 to 44 characters of base58'

let service: EngineServer
beforeAll(async () => {
  service = await EngineServer.start()
  service.feed([
    created({ mint: TOLD_MINT, slot: 1 }),
    swap({ mint: TOLD_MINT, signer: TOLD_WALLET }),
  ])
})
afterAll(() => service.server.stop())

const span = `from=${START_SECOND}&to=${START_SECOND + 60}&resolution=1S`

/** Each place of the API where an address stands: the parameter's name, the path, what a stranger is answered. */
const PLACES: readonly (readonly [
  name: string,
  path: (address: string) => string,
  status: number,
])[] = [
  ['mint', (a) => `/api/v2/search/tokens/${a}/market-data`, 200],
  ['mints', (a) => `/api/v2/search/tokens/x/market-data?mints=${STRANGER},${a}`, 200],
  ['mint', (a) => `/api/v2/search/tokens/${a}/swaps`, 200],
  ['wallet', (a) => `/api/v2/search/tokens/${STRANGER}/swaps?wallet=${a}`, 200],
  ['mint', (a) => `/api/v2/search/tokens/${a}/swaps?cursor=start`, 200],
  ['wallet', (a) => `/api/v2/search/tokens/${STRANGER}/swaps?wallet=${a}&cursor=start`, 200],
  ['mint', (a) => `/api/v2/search/traders/tokens/${a}`, 200],
  ['wallet', (a) => `/api/v2/search/traders/${a}/tokens`, 200],
  ['mint', (a) => `/api/v2/meme/chart/ohlcv?mint=${a}&${span}`, 200],
  ['mint', (a) => `/api/v2/tokens/${a}`, 404],
  ['mint', (a) => `/api/v2/tokens/${a}/holders`, 200],
  ['mint', (a) => `/api/v2/tokens/${a}/first-buyers`, 200],
]

describe.each(PLACES)('as %s of %s', (name, path, status) => {
  test.each(NONSENSE)('%s is refused with a sentence', async (text) => {
    const response = await fetch(service.server.url + path(encodeURIComponent(text)))
    expect(response.status).toBe(400)
    const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
    const message = `${name} came as ${shown}, ${EXPECTED}.`
    expect(await response.json()).toMatchObject({
      code: 'invalid_parameter',
      message,
      details: [{ path: name, message }],
    })
  })

  test('an address that nobody has heard of is none of it', async () => {
    const response = await fetch(service.server.url + path(STRANGER))
    expect(response.status).toBe(status)
  })

  test('what a feed told is none of it, however it is written', async () => {
    const told = encodeURIComponent(name === 'wallet' ? TOLD_WALLET : TOLD_MINT)
    expect((await fetch(service.server.url + path(told))).status).toBe(200)
  })
})

test('UDF tells the sentence in its own shape, and knows no symbol of it', async () => {
  const refused = await service.json(`/udf/history?symbol=notamint&${span}`)
  expect(refused).toEqual({ s: 'error', errmsg: `symbol came as "notamint", ${EXPECTED}.` })
  expect(await service.json(`/udf/history?symbol=mintfeed:${STRANGER}&${span}`)).toMatchObject({
    s: 'no_data',
  })
  const unknown = { s: 'error', errmsg: 'unknown_symbol' }
  expect(await service.json('/udf/symbols?symbol=notamint')).toEqual(unknown)
  expect(await service.json('/udf/quotes?symbols=notamint')).toMatchObject({
    d: [{ s: 'error', n: 'notamint' }],
  })
})

describe('a live connection', () => {
  const message = (event: string, data: object) => ({ event, data: { id: 'me', ...data } })
  const FOLLOWS = [
    ['mint', 'update_mint_info', (a: string) => ({ mint: a })],
    ['mint', 'update_mint_info', (a: string) => ({ mints: [STRANGER, a] })],
    ['mint', 'update_mint_info', (a: string) => ({ mint: a, seq: true })],
    ['wallet', 'wallet_trades', (a: string) => ({ wallet: a })],
    ['wallet', 'wallet_trades', (a: string) => ({ wallets: [STRANGER, a] })],
    ['mint', 'candles', (a: string) => ({ mint: a, resolution: '1' })],
  ] as const

  test.each(FOLLOWS)(
    'that names nonsense as a %s of %s is told so, and stays',
    async (name, event, data) => {
      const client = await LiveClient.open(`${service.server.wsUrl}?id=me`)
      for (const action of ['subscribe', 'unsubscribe'])
        for (const text of NONSENSE) {
          const answer = await client.ask(message(event, { action, ...data(text) }))
          expect(answer).toMatchObject({ type: 'error', code: `invalid_${name}` })
          expect(answer).toHaveProperty('message', expect.stringContaining(EXPECTED))
        }
      // Nothing of such a message counts. The test before may not have left yet.
      const metrics = () => service.text('/metrics')
      await expect.poll(metrics).toContain('live_followed_mints 0')
      client.close()
      for (const text of [STRANGER, name === 'wallet' ? TOLD_WALLET : TOLD_MINT]) {
        const other = await LiveClient.open(`${service.server.wsUrl}?id=me`)
        const answer = await other.ask(message(event, { action: 'subscribe', ...data(text) }))
        expect(answer).toMatchObject({ type: 'subscribed', event })
        other.close()
      }
    },
  )

  test('of server-sent events that names nonsense is none', async () => {
    for (const [name, query] of [
      ['mint', 'channel=update_mint_info&mint='],
      ['wallet', 'channel=wallet_trades&wallet='],
      ['mint', 'channel=candles&resolution=1&mint='],
    ])
      for (const method of ['GET', 'HEAD'])
        for (const text of NONSENSE) {
          const url = `${service.server.url}/api/v2/stream?${query}${encodeURIComponent(text)}`
          const response = await fetch(url, { method })
          expect(response.status).toBe(400)
          if (method === 'GET')
            expect(await response.json()).toMatchObject({
              code: 'invalid_parameter',
              message: expect.stringContaining(EXPECTED),
              details: [{ path: name }],
            })
        }
    const following = new AbortController()
    const url = `${service.server.url}/api/v2/stream?channel=update_mint_info&mint=${STRANGER}`
    const response = await fetch(url, { signal: following.signal })
    expect(response.status).toBe(200)
    following.abort()
  })
})
