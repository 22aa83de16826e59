import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/setting-values.ts'

function solPrice(text: string, feed = 'sim') {
  return readConfig(['--feed', feed], { SOL_PRICE: text }).solPrice
}

test('SOL_PRICE is off for feeds that bring prices and the venues for live ones', () => {
  expect(solPrice('')).toEqual({ kind: 'off' })
  expect(solPrice('', 'replay:x')).toEqual({ kind: 'off' })
  const names = ['coinbase', 'binance', 'kraken']
  expect(solPrice('', 'pumpportal')).toEqual({ kind: 'venues', names })
  expect(solPrice('off', 'pumpportal')).toEqual({ kind: 'off' })
})

test('SOL_PRICE takes venues, a price or a file', () => {
  expect(solPrice('kraken, coinbase,kraken')).toEqual({
    kind: 'venues',
    names: ['kraken', 'coinbase'],
  })
  expect(solPrice('fixed:150.5')).toEqual({ kind: 'fixed', usd: 150.5 })
  for (const usd of ['0', '0.0000009', '1000000.1'])
    expect(() => solPrice(`fixed:${usd}`)).toThrow('fixed:<usd> (0.000001 to 1000000), file:')
  expect(solPrice('file:prices.txt')).toEqual({ kind: 'file', file: 'prices.txt' })
})

test('another SOL_PRICE stops the start with a sentence', () => {
  for (const text of ['fixed:0', 'fixed:-1', 'fixed:x', 'fixed:1e9', 'file:', 'pyth', 'kraken,'])
    expect(() => solPrice(text), text).toThrow(ConfigError)
  expect(() => solPrice('pyth')).toThrow('it must be one or more of coinbase, binance, kraken')
})

test('METADATA is off unless asked for, and gateways are https origins', () => {
  expect(readConfig([], {}).metadata).toBeNull()
  expect(readConfig(['--metadata', 'on'], {}).metadata?.gateways).toHaveLength(4)
  expect(
    readConfig([], { METADATA: 'on', IPFS_GATEWAYS: 'https://a.b/, https://c.d' }).metadata,
  ).toEqual({ gateways: ['https://a.b', 'https://c.d'] })
  for (const gateways of ['http://a.b', 'https://a.b/ipfs', 'a.b', 'https://a.b,', 'https://u@a.b'])
    expect(() => readConfig([], { IPFS_GATEWAYS: gateways }), gateways).toThrow('https origin')
  expect(() => readConfig([], { METADATA: 'yes' })).toThrow('must be one of on, off')
})

test('PUMPPORTAL_MINTS are addresses, and new for those that are created', () => {
  const mint = 'BzqYzBGydDrwjnYVtWfupr8GFoSxpCQdTkjRppBKpump'
  const pumpPortal = (settings: Record<string, string>) => readConfig([], settings).pumpPortal
  expect(pumpPortal({})).toEqual({
    url: 'wss://pumpportal.fun/api/data',
    key: null,
    mints: [],
    followsNew: false,
  })
  expect(pumpPortal({ PUMPPORTAL_MINTS: `new, ${mint}`, PUMPPORTAL_KEY: 'k' })).toMatchObject({
    key: 'k',
    mints: [mint],
    followsNew: true,
  })
  expect(() => pumpPortal({ PUMPPORTAL_MINTS: 'toad' })).toThrow('PUMPPORTAL_MINTS has "toad"')
  expect(() => pumpPortal({ PUMPPORTAL_URL: 'https://x' })).toThrow('wss:// address')
})
