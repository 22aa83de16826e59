import type { FeedEvent } from '../../src/events/event.ts'
import {
  balance,
  created,
  migrated,
  price,
  reserves,
  START_SECOND,
  swap,
} from '../oracle/fixtures.ts'
import { USDC } from '../oracle/market.ts'
import type { Random } from '../oracle/random.ts'

const SOL = 'So11111111111111111111111111111111111111112'
const WALLETS = 20
/** How far times lie off, where they do: seconds, hours, days, and a little ahead. */
const TIME_DRIFTS = [-1, -60, -3_600, -86_400, -86_401, -400_000, 5, 100] as const

/** How a history is: drawn once, so that some are calm in one way and wild in another. */
interface Character {
  readonly mints: number
  /** Shares of swaps that tell a quote, and of those whose time lies off. */
  readonly tells: number
  readonly drifts: number
  /** Of events in the slot of the one before. */
  readonly still: number
  /** Events before the first creation is told. */
  readonly unborn: number
}

/**
 * One mint, and one or two more beside it, with more swaps than bars are derived from on read: late
 * ones and ones without a slot, times that step back, quotes told by swaps that contradict each other,
 * creations told anywhere, reserves and balances between them.
 */
export function busyMarket(random: Random, count: number): FeedEvent[] {
  const character: Character = {
    mints: random.integer(1, 3),
    tells: random.pick([0, 0.002, 0.01]),
    drifts: random.pick([0, 0.02, 0.2]),
    still: random.pick([0, 0.5, 0.95]),
    unborn: random.integer(0, count),
  }
  const events: FeedEvent[] = [price(150)]
  const born = new Set<string>()
  let slot = 1_000
  for (let i = 0; i < count; i += 1) {
    if (!random.chance(character.still)) slot += random.integer(0, 3)
    if (random.chance(0.001)) slot += random.pick([100, 3_600, 86_400])
    const mint = `mint ${random.chance(0.9) ? 0 : random.integer(0, character.mints - 1)}`
    if (i >= character.unborn && random.chance(0.005) && !born.has(mint)) {
      born.add(mint)
      events.push(creation(random, { slot, txIndex: i, mint }))
    } else events.push(other(random, { slot, txIndex: i, mint }, character))
  }
  return events
}

interface At {
  readonly slot: number
  readonly txIndex: number
  readonly mint: string
}

function creation(random: Random, { slot, txIndex, mint }: At): FeedEvent {
  return created({
    slot: Math.max(0, slot - random.pick([0, 5, 30, 600])),
    txIndex,
    mint,
    signature: `create ${mint}`,
    timestamp: START_SECOND + slot,
    creator: wallet(random),
    ...(random.chance(0.5) && { quoteMint: random.pick([USDC, SOL, 'another quote']) }),
    ...(random.chance(0.5) && { decimals: random.pick([0, 6, 9]) }),
  })
}

function other(random: Random, { slot, txIndex, mint }: At, character: Character): FeedEvent {
  const drift = random.chance(character.drifts) ? random.pick(TIME_DRIFTS) : 0
  const place = {
    slot: random.chance(0.08) ? slot - random.integer(1, 36) : slot,
    txIndex,
    ordinal: random.integer(0, 2),
    timestamp: START_SECOND + slot + drift,
    mint,
  }
  if (random.chance(0.0005)) return migrated({ ...place, signature: `migrate ${txIndex}` })
  if (random.chance(0.002)) return price(random.integer(9_000, 30_000) / 97)
  if (random.chance(0.005))
    return reserves({
      ...place,
      signature: `reserves ${txIndex}`,
      source: random.pick(['pump', 'pump_amm']),
      virtualQuoteRaw: random.chance(0.2) ? 0n : BigInt(random.integer(10 ** 9, 10 ** 11)),
    })
  if (random.chance(0.005))
    return balance({
      ...place,
      signature: `balance ${txIndex}`,
      wallet: wallet(random),
      balanceRaw: BigInt(random.integer(0, 10 ** 12)),
    })
  return swap({
    ...place,
    ...(random.chance(0.01) && { slot: null }),
    // One in ten is of the transaction before it.
    signature: `swap ${random.chance(0.1) ? txIndex - 1 : txIndex}`,
    signer: wallet(random),
    direction: random.chance(0.6) ? 'buy' : 'sell',
    baseRaw: BigInt(random.integer(1, 10 ** 12)),
    quoteRaw: BigInt(random.integer(1, 10 ** 9)),
    virtualQuoteRaw: random.chance(0.02) ? 0n : BigInt(random.integer(10 ** 9, 10 ** 11)),
    ...(random.chance(0.1) && { solPriceUsd: random.integer(9_000, 30_000) / 97 }),
    ...(random.chance(character.tells) && {
      quoteMint: random.pick([USDC, SOL, 'another quote']),
    }),
    ...(random.chance(0.02) && { supplyRaw: BigInt(random.integer(0, 10 ** 15)) }),
    ...(random.chance(0.1) && { baseBalanceAfterRaw: BigInt(random.integer(0, 10 ** 12)) }),
  })
}

export const wallet = (random: Random): string => `wallet ${random.integer(0, WALLETS)}`
