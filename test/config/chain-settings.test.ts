import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'

const read = (environment: Record<string, string>) => readConfig([], environment)

test('feeds of the chain have their addresses', () => {
  const config = read({
    FEED: 'yellowstone,solana',
    YELLOWSTONE_URL: 'https://geyser.example:10000',
    YELLOWSTONE_TOKEN: 'secret',
    SOLANA_RPC_URL: 'https://rpc.example/?api-key=1',
  })
  expect(config.feeds).toEqual([{ kind: 'yellowstone' }, { kind: 'solana' }])
  expect(config.yellowstone).toEqual({ url: 'https://geyser.example:10000', token: 'secret' })
  expect(config.solana).toEqual({
    rpcUrl: 'https://rpc.example/?api-key=1',
    wsUrl: 'wss://rpc.example/?api-key=1',
    blocks: 'gaps',
  })
  expect(config.clock).toBe('wall')
})

test('the WebSocket of a node is on the port after that of its HTTP', () => {
  const { solana } = read({ FEED: 'solana', SOLANA_RPC_URL: 'http://127.0.0.1:8899' })
  expect(solana?.wsUrl).toBe('ws://127.0.0.1:8900/')
})

test('what a feed does not need is not asked for', () => {
  expect(read({ FEED: 'none', YELLOWSTONE_URL: 'nonsense' })).toMatchObject({
    yellowstone: null,
    solana: null,
    backfillSlotsMax: 9_000,
    backfillMs: null,
    gapWaitMs: 3_000,
  })
})

test('the chain is asked for old tokens where an RPC server is given beside a feed of the chain', () => {
  const SOLANA_RPC_URL = 'https://rpc.example/?api-key=1'
  const hydrated = (environment: Record<string, string>) =>
    read({ SOLANA_RPC_URL, ...environment }).hydration
  for (const FEED of ['solana', 'pumpportal', 'sim,pumpportal'])
    expect(hydrated({ FEED })).toEqual({ rpcUrl: SOLANA_RPC_URL, perSecond: 5 })
  expect(hydrated({ FEED: 'solana', HYDRATE_RPS: '100' })?.perSecond).toBe(100)
  for (const HYDRATE_RPS of ['off', '0'])
    expect(hydrated({ FEED: 'solana', HYDRATE_RPS })).toBeNull()
  for (const FEED of ['sim', 'stdin', 'none']) expect(hydrated({ FEED })).toBeNull()
  expect(read({ FEED: 'pumpportal' }).hydration).toBeNull()
})

test('a bad address stops the start with a sentence', () => {
  const wrong: readonly [Record<string, string>, string][] = [
    [{ FEED: 'yellowstone' }, 'YELLOWSTONE_URL is empty'],
    [{ FEED: 'yellowstone', YELLOWSTONE_URL: 'geyser:443' }, 'it must be https://host:port'],
    [
      { FEED: 'yellowstone', YELLOWSTONE_URL: 'https://a', YELLOWSTONE_TOKEN: 'a\nb' },
      'YELLOWSTONE_TOKEN has characters',
    ],
    [{ FEED: 'solana' }, 'SOLANA_RPC_URL is empty'],
    [{ FEED: 'solana', SOLANA_RPC_URL: 'wss://a' }, 'it must be an https:// or http:// address'],
    [
      { FEED: 'solana', SOLANA_RPC_URL: 'https://a', SOLANA_WS_URL: 'https://a' },
      'it must be a wss:// or ws:// address',
    ],
    [
      { FEED: 'solana', SOLANA_RPC_URL: 'https://a', SOLANA_BLOCKS: 'some' },
      'SOLANA_BLOCKS is "some"; it must be one of gaps, all',
    ],
    [
      { FEED: 'pumpportal', SOLANA_RPC_URL: 'rpc.example' },
      'SOLANA_RPC_URL cannot be used; it must be an https:// or http:// address',
    ],
    [{ HYDRATE_RPS: '101' }, 'HYDRATE_RPS is "101"; it must be an integer from 0 to 100'],
    [{ HYDRATE_RPS: 'on' }, 'HYDRATE_RPS is "on"'],
    [{ BACKFILL_SLOTS: '-1' }, 'BACKFILL_SLOTS is "-1"; it must be an integer from 0 to 432000'],
    [{ BACKFILL: '1d' }, 'BACKFILL has the duration "1d"; it must be like 500ms, 60s, 5m or 1h'],
    [{ BACKFILL: '0s' }, 'BACKFILL has the duration "0s"'],
    [{ BACKFILL: '25h' }, 'BACKFILL is "25h"; it must be at most 24h.'],
  ]
  for (const [environment, sentence] of wrong) expect(() => read(environment)).toThrow(sentence)
})

test.each([
  [{ FEED: 'yellowstone', YELLOWSTONE_URL: 'geyser.example:443/KEY' }],
  [{ FEED: 'solana', SOLANA_RPC_URL: 'rpc.example/?api-key=KEY' }],
  [{ FEED: 'solana', SOLANA_RPC_URL: 'https://me:KEY@rpc.example' }],
  [{ FEED: 'pumpportal', SOLANA_RPC_URL: 'https://me:KEY@rpc.example' }],
  [{ FEED: 'solana', SOLANA_RPC_URL: 'https://a', SOLANA_WS_URL: 'https://a/?api-key=KEY' }],
  [{ PUMPPORTAL_URL: 'pumpportal.fun/api/data?api-key=KEY' }],
  [{ IPFS_GATEWAYS: 'https://ipfs.io,https://mine.example/?gatewayToken=KEY' }],
])('what is wrong with the address in %j is told without the key in it', (environment) => {
  expect(() => read(environment)).toThrow(/^(?!.*KEY).*cannot be used.*must be.*\.$/)
})
