import { expect, test } from 'vitest'
import { BUY_EVENT } from '../../../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import { EVENT_LAYOUTS } from '../../../../src/feeds/chain/layouts/decode-event.ts'
import type { ProgramName } from '../../../../src/feeds/chain/layouts/programs.ts'
import { TRADE_EVENT } from '../../../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import { eventBytes } from '../../peers/event-bytes.ts'
import { DecodingFeed, TIMESTAMP } from '../../peers/told-transaction.ts'

const NEW = Buffer.from('0102030405060708', 'hex')

function emitted(program: ProgramName, bytes: Buffer) {
  return { program, bytes }
}

function layoutOf(name: string) {
  const layout = EVENT_LAYOUTS.find((one) => one.name === name)
  if (layout === undefined) throw new Error(`${name} is not known`)
  return layout
}

test('an event that no layout knows is told once, with program, discriminator and length', () => {
  const told = new DecodingFeed()
  const bytes = Buffer.concat([NEW, Buffer.alloc(12)])
  for (let n = 0; n < 3; n++) expect(told.events([emitted('pump', bytes)])).toEqual([])
  told.events([emitted('pump_amm', bytes.subarray(0, 9)), emitted('pump', Buffer.alloc(3))])
  expect(told.said).toEqual([
    expect.stringContaining('program pump emits an event'),
    expect.stringContaining('program pump_amm emits'),
    expect.stringContaining('3 bytes'),
  ])
  expect(told.said[0]).toContain('discriminator 0102030405060708, 20 bytes')
  expect(told.counters.unknownEvents).toBe(5)
})

test('an event that has grown is told once for each length of its tail', () => {
  const told = new DecodingFeed()
  const plain = eventBytes(TRADE_EVENT, { timestamp: TIMESTAMP })
  const longer = (bytes: number) => emitted('pump', Buffer.concat([plain, Buffer.alloc(bytes, 1)]))
  told.events([longer(4), longer(4), longer(5)])
  expect(told.said).toHaveLength(2)
  expect(told.said[0]).toContain('TradeEvent')
  expect(told.said[0]).toContain(`bddb7fd34ee661ee, ${plain.length + 4} bytes`)
  expect(told.said[0]).toContain('has 4 bytes')
  expect(told.counters.unknownTails).toBe(3)
})

test('of thousands of new forms the first 256 are told', () => {
  const told = new DecodingFeed()
  for (let n = 0; n < 2_000; n++) {
    const bytes = Buffer.alloc(8)
    bytes.writeUInt32LE(n)
    told.events([emitted('pump', bytes)])
  }
  expect(told.said).toHaveLength(256)
  expect(told.counters.unknownEvents).toBe(2_000)
})

test('sweeps and administration are known, whatever their length, and no event', () => {
  const told = new DecodingFeed()
  for (const name of [
    'SweepBondingCurveFeeEvent',
    'SweepPoolFeeEvent',
    'SetQuoteControlMintReservesEvent',
    'SetQuoteControlReservesAdminEvent',
  ])
    for (const bytes of [0, 1, 145, 177]) {
      const { program, discriminator } = layoutOf(name)
      const event = Buffer.concat([Buffer.from(discriminator, 'hex'), Buffer.alloc(bytes, 9)])
      expect(told.events([emitted(program, event)])).toEqual([])
    }
  expect(told.said).toEqual([])
  expect(told.counters).toMatchObject({ unknownEvents: 0, unknownTails: 0, unusableEvents: 0 })
})

test('creator_fee_unclaimed and depth are known by name', () => {
  const names = (name: string) => layoutOf(name).names.at(-1)
  expect(['TradeEvent', 'BuyEvent', 'SellEvent', 'CreateEvent'].map(names)).toEqual([
    ...Array(3).fill('creator_fee_unclaimed'),
    'depth',
  ])
  expect(eventBytes(layoutOf('PostCompleteBuyEvent'), {})).toHaveLength(232)
  expect(BUY_EVENT.indexes.get('creator_fee_unclaimed')).toBe(BUY_EVENT.names.length - 1)
})
