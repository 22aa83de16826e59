import type { Engine } from '../../src/engine/engine.ts'
import { TAPE_BLOCK_RECORDS } from '../../src/engine/state/tape.ts'
import type { FeedEvent, Swap } from '../../src/events/event.ts'
import {
  balance,
  created,
  migrated,
  price,
  reserves,
  START_SECOND,
  swap,
} from '../oracle/fixtures.ts'
import type { Random } from '../oracle/random.ts'

/** Pro traders after few swaps, and chunks of the tapes that are full soon. */
export const DORMANT_OPTIONS = {
  clock: 'event',
  identities: 1 << 13,
  rules: { proTrades: 8, proMints: 2 },
  tapeChunkRecords: TAPE_BLOCK_RECORDS,
} as const

/** Puts about so many of all tokens to rest, those that may. */
export function restSome(engine: Engine, random: Random, share: number): void {
  const tokens = Array.from({ length: engine.state.tokens.count }, (_, token) => token)
  engine.coldStore.evict(tokens.filter(() => random.chance(share)))
}

const MINTS = 9
const WALLETS = 40
/** Swaps of a mint before another is the busy one. */
const BUSY_SWAPS = 60

/**
 * Mints that are busy one after the other and come back: more traders each than the top ten has
 * places, creations told late or never, migrations, late swaps, several swaps in one transaction, a
 * feed that now and then says who is a pro, balances of wallets that trade or only hold, reserves that
 * move without a trade.
 */
export function dormantMarket(random: Random, count: number): FeedEvent[] {
  const events: { event: FeedEvent; at: number }[] = [{ event: price(150), at: -1 }]
  const told = new Set<string>()
  let slot = 1_000
  let txIndex = 0
  for (let i = 0; i < count; i += 1) {
    const isJoined = i > 0 && random.chance(0.15)
    if (!isJoined) {
      slot += random.chance(0.4) ? 0 : random.chance(0.95) ? random.integer(1, 3) : 40
      txIndex += 1
    }
    const busy = Math.floor(i / BUSY_SWAPS) % MINTS
    const mint = `mint ${random.chance(0.9) ? busy : random.integer(0, MINTS - 1)}`
    const timestamp = START_SECOND + Math.floor(slot / 2.5)
    const place = { slot, txIndex, ordinal: i, timestamp, mint }
    if (random.chance(0.02) && !told.has(mint)) {
      told.add(mint)
      const creator = wallet(random)
      const signature = `create ${mint}`
      const birth = { ...place, signature, creator, tokenProgram: 'program' }
      const event = created({ ...birth, bondingCurve: wallet(random) })
      events.push({ event, at: i })
    } else if (random.chance(0.005))
      events.push({
        event: migrated({ ...place, signature: `migrate ${i}`, poolAmm: wallet(random) }),
        at: i,
      })
    // Of any mint: also of one that rests.
    const any = { ...place, mint: `mint ${random.integer(0, MINTS - 1)}` }
    if (random.chance(0.04)) events.push({ event: balanceOf(random, any), at: i })
    if (random.chance(0.03)) events.push({ event: reservesOf(random, any), at: i })
    const event = swap({
      ...place,
      signature: `swap ${slot} ${txIndex}`,
      signer: wallet(random),
      direction: random.chance(0.55) ? 'buy' : 'sell',
      baseRaw: BigInt(random.integer(1, 10 ** 12)),
      quoteRaw: BigInt(random.integer(1, 10 ** 9)),
      virtualQuoteRaw: BigInt(random.integer(10 ** 9, 10 ** 11)),
      solPriceUsd: random.integer(10_000, 30_000) / 97,
      ...(random.chance(0.05) && { pro: random.chance(0.5) }),
      ...(random.chance(0.1) && { baseBalanceAfterRaw: BigInt(random.integer(0, 10 ** 12)) }),
    })
    events.push({ event, at: random.chance(0.15) ? i + random.integer(1, 8) + 0.5 : i })
  }
  return events.sort((a, b) => a.at - b.at).map(({ event }) => event)
}

type Place = Pick<Swap, 'slot' | 'txIndex' | 'ordinal' | 'timestamp' | 'mint'>

/** Half of the wallets never trade. */
function balanceOf(random: Random, place: Place): FeedEvent {
  return balance({
    ...place,
    signature: `balance ${place.ordinal}`,
    wallet: random.chance(0.5) ? wallet(random) : `holder ${random.integer(1, WALLETS)}`,
    balanceRaw: random.pick([0n, 1n, BigInt(random.integer(1, 10 ** 12))]),
  })
}

function reservesOf(random: Random, place: Place): FeedEvent {
  return reserves({
    ...place,
    signature: `reserves ${place.ordinal}`,
    source: random.pick(['pump', 'pump_amm']),
    virtualQuoteRaw: random.pick([0n, BigInt(random.integer(10 ** 9, 10 ** 11))]),
    reason: random.pick(['mayhem', 'boost', 'burn']),
    ...(random.chance(0.3) && { supplyRaw: BigInt(random.integer(10 ** 12, 10 ** 15)) }),
  })
}

const wallet = (random: Random): string => `wallet ${random.integer(1, WALLETS)}`
