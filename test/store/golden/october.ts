import {
  type Balance,
  type ChainPosition,
  type FeedEvent,
  RESERVES_REASONS,
  type Reserves,
  ROUTE_HOPS_MAX,
  type Swap,
  type TokenCreated,
} from '../../../src/events/event.ts'
import { Random } from '../../oracle/random.ts'

const FIRST_SLOT = 400_000_000
const START_SECOND = 1_791_000_000
const SLOTS = 140
/** How much later than its place an event may come here; the engine takes 32 slots. */
const LATE_MAX = 20
const WALLETS = ['ann', 'ben', 'cat', 'dan', 'eve'] as const
const MINTS = ['coin', 'in coin', 'in dollars', 'mayhem'] as const

/** What mints are quoted in where it is not SOL. */
const QUOTES: Readonly<Record<string, { quoteMint: string; quoteDecimals?: number }>> = {
  'in coin': { quoteMint: 'coin', quoteDecimals: 6 },
  'in dollars': { quoteMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkwyTDt1v' },
}

/**
 * A history in which every kind and key of October 2026 stands, many of them late and some twice; the
 * same for a seed for ever, and kept beside its files all the same.
 */
export function octoberHistory(seed: number): FeedEvent[] {
  const random = new Random(seed)
  const events: { event: FeedEvent; at: number }[] = []
  const add = (event: FeedEvent, slot: number) => {
    const late = random.chance(0.15) ? random.integer(1, LATE_MAX) : 0
    events.push({ event, at: slot + late })
    if (random.chance(0.05)) events.push({ event, at: slot + late + 1 })
  }
  for (const [place, mint] of MINTS.entries())
    add(creation(mint, position(place, 0, random)), place)
  for (let slot = MINTS.length; slot < SLOTS; slot++) {
    if (slot % 20 === 10)
      add({ type: 'sol_price', timestamp: START_SECOND + slot, usd: 100 + slot / 8 }, slot)
    const place = position(slot, slot % 7, random)
    const mint = random.pick(MINTS)
    for (let ordinal = 0; ordinal < random.integer(1, 3); ordinal++)
      add(swap(mint, { ...place, ordinal }, ordinal + 1, random), slot)
    if (random.chance(0.4)) add(reserves(mint, { ...place, ordinal: 3 }, slot, random), slot)
    if (random.chance(0.4)) add(balance(mint, { ...place, ordinal: 4 }, random), slot)
  }
  return events.toSorted((a, b) => a.at - b.at).map(({ event }) => event)
}

function position(slot: number, txIndex: number, random: Random): ChainPosition {
  return {
    slot: FIRST_SLOT + slot,
    txIndex,
    ordinal: 0,
    signature: random.base58(88),
    timestamp: START_SECOND + Math.floor(slot / 4),
  }
}

function creation(mint: string, place: ChainPosition): TokenCreated {
  return {
    type: 'token_created',
    ...place,
    ...{ mint, name: `Name of ${mint}`, symbol: 'OCT', uri: '', creator: 'ann' },
    ...{ bondingCurve: `${mint} curve`, tokenProgram: 'token', isMayhemMode: false },
    ...{ virtualBaseRaw: 1_073_000_000_000_000n, virtualQuoteRaw: 30_000_000_000n },
    realBaseRaw: 793_100_000_000_000n,
    ...QUOTES[mint],
  }
}

function raw(random: Random, digits: number): bigint {
  return BigInt(random.integer(1, 9)) * 10n ** BigInt(digits) + BigInt(random.integer(0, 99_999))
}

function swap(mint: string, place: ChainPosition, hop: number, random: Random): Swap {
  const isAmm = random.chance(0.4)
  return {
    type: 'swap',
    ...place,
    ...{ source: isAmm ? 'pump_amm' : 'pump', mint, pool: `${mint} ${isAmm ? 'pool' : 'curve'}` },
    ...{ signer: random.pick(WALLETS), direction: random.pick(['buy', 'sell']) },
    ...{ baseRaw: raw(random, 12), quoteRaw: raw(random, 8) },
    ...{ virtualBaseRaw: raw(random, 15), virtualQuoteRaw: raw(random, 10) },
    ...{ realBaseRaw: raw(random, 14), realQuoteRaw: raw(random, 9) },
    ...{ platformFeeRaw: raw(random, 6), creatorFeeRaw: raw(random, 5) },
    ...(random.chance(0.5) && { lpFeeRaw: raw(random, 5) }),
    ...(random.chance(0.3) && { cashbackRaw: raw(random, 5) }),
    ...(random.chance(0.3) && { chainFeeRaw: 5_000n }),
    ...(random.chance(0.3) && { baseBalanceBeforeRaw: raw(random, 12) }),
    ...(random.chance(0.3) && { baseBalanceAfterRaw: random.chance(0.5) ? 0n : raw(random, 12) }),
    ...(random.chance(0.2) && { supplyRaw: raw(random, 15) }),
    ...(random.chance(0.2) && { solPriceUsd: random.integer(90, 110) / 0.7 }),
    ...(random.chance(0.3) && { route: random.chance(0.2) ? ROUTE_HOPS_MAX : hop }),
    ...QUOTES[mint],
  }
}

function reserves(mint: string, place: ChainPosition, slot: number, random: Random): Reserves {
  return {
    type: 'reserves',
    ...place,
    mint: random.chance(0.1) ? 'unknown' : mint,
    source: random.pick(['pump', 'pump_amm']),
    ...{ virtualBaseRaw: raw(random, 15), virtualQuoteRaw: raw(random, 10) },
    ...{ realBaseRaw: raw(random, 14), realQuoteRaw: raw(random, 9) },
    ...(random.chance(0.4) && { supplyRaw: raw(random, 14) }),
    reason: RESERVES_REASONS[slot % RESERVES_REASONS.length],
  }
}

function balance(mint: string, place: ChainPosition, random: Random): Balance {
  return {
    type: 'balance',
    ...place,
    mint: random.chance(0.1) ? 'unknown' : mint,
    wallet: random.chance(0.1) ? `${mint} pool` : random.pick([...WALLETS, 'handed']),
    balanceRaw: random.chance(0.3) ? 0n : raw(random, 12),
  }
}
