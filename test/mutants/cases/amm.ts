/** The arithmetic of AMM trades, from events encoded by hand to swaps. */

import {
  type AmmTrade,
  swapOfAmm,
  tradeOfBuy,
  tradeOfSell,
} from '../../../src/feeds/chain/amm-swap.ts'
import { BUY_EVENT, SELL_EVENT } from '../../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import { decodeEvent, isEvent } from '../../../src/feeds/chain/layouts/decode-event.ts'
import type { Case } from '../check.ts'
import { expected } from '../story.ts'

/** Bytes of every fixed type the two events have; a string has its length before it. */
const BYTES: Readonly<Record<string, number>> = {
  u64: 8,
  i64: 8,
  i128: 16,
  bool: 1,
  pubkey: 32,
  string: 4,
}
const NOBODY = '1'.repeat(32)
const POSITION = { slot: 9, txIndex: 1, ordinal: 0, signature: 'sig', timestamp: 1_700_000_000 }
const RESERVES = {
  user_base_token_reserves: 5_000n,
  pool_base_token_reserves: 1_000_000n,
  pool_quote_token_reserves: 400_000n,
  virtual_quote_reserves: 70_000n,
  protocol_fee: 7n,
  coin_creator_fee: 11n,
}

type Values = Readonly<Record<string, bigint>>
type Layout = typeof BUY_EVENT | typeof SELL_EVENT

/** Discriminator and fields; what is not given is zero. */
function encoded({ discriminator, names, types }: Layout, values: Values): Uint8Array {
  const fields = types.map((type, index) => {
    let value = BigInt.asUintN(128, values[names[index]] ?? 0n)
    const bytes = new Uint8Array(BYTES[type])
    for (let at = 0; at < bytes.length; at += 1, value >>= 8n) bytes[at] = Number(value & 0xffn)
    return bytes
  })
  return Buffer.concat([Buffer.from(discriminator, 'hex'), ...fields])
}

function tradeOf(layout: Layout, values: Values): AmmTrade {
  const event = decodeEvent('pump_amm', encoded(layout, { ...RESERVES, ...values }))
  if (event === null) throw new Error(`${layout.name} is not known`)
  const buy = isEvent(event, BUY_EVENT) ? tradeOfBuy(event) : null
  const trade = buy ?? (isEvent(event, SELL_EVENT) ? tradeOfSell(event) : null)
  if (trade === null) throw new Error(`${layout.name} ends too early`)
  return trade
}

/** The swap of the event with its integers as texts. */
function read(layout: Layout, values: Values): unknown {
  const pool = { mint: 'mint', quoteMint: null }
  const swap = swapOfAmm(tradeOf(layout, values), POSITION, pool, { feeRaw: 5n })
  return JSON.parse(
    JSON.stringify(swap, (_key, value) => (typeof value === 'bigint' ? `${value}` : value)),
  )
}

const common = { type: 'swap', ...POSITION, source: 'pump_amm', mint: 'mint', pool: NOBODY }

const buy = expected(
  'buy',
  () =>
    read(BUY_EVENT, {
      base_amount_out: 1_000n,
      quote_amount_in: 500n,
      quote_amount_in_with_lp_fee: 520n,
      lp_fee: 20n,
      base_supply: 77n,
    }),
  {
    ...common,
    signer: NOBODY,
    direction: 'buy',
    baseRaw: '1000',
    quoteRaw: '500',
    virtualBaseRaw: '999000',
    virtualQuoteRaw: '470520',
    realBaseRaw: '999000',
    realQuoteRaw: '400520',
    platformFeeRaw: '7',
    creatorFeeRaw: '11',
    lpFeeRaw: '20',
    chainFeeRaw: '5',
    baseBalanceBeforeRaw: '5000',
    baseBalanceAfterRaw: '6000',
    supplyRaw: '77',
  },
)

const sell = expected(
  'sell of more than the account had, with negative virtual reserves',
  () =>
    read(SELL_EVENT, {
      base_amount_in: 6_000n,
      quote_amount_out: 500n,
      quote_amount_out_without_lp_fee: 480n,
      virtual_quote_reserves: -20n,
    }),
  {
    ...common,
    signer: NOBODY,
    direction: 'sell',
    baseRaw: '6000',
    quoteRaw: '500',
    virtualBaseRaw: '1006000',
    virtualQuoteRaw: '399500',
    realBaseRaw: '1006000',
    realQuoteRaw: '399520',
    platformFeeRaw: '7',
    creatorFeeRaw: '11',
    chainFeeRaw: '5',
    baseBalanceBeforeRaw: '5000',
    baseBalanceAfterRaw: '0',
  },
)

export const cases: readonly Case[] = [buy, sell]
