import type { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/engine/event.ts'
import { TAPE_BLOCK_RECORDS } from '../../src/engine/tape.ts'
import { created, migrated, price, START_SECOND, swap } from '../oracle/fixtures.ts'
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
  engine.dormancy.rest(tokens.filter(() => random.chance(share)))
}

const MINTS = 9
const WALLETS = 40
/** Swaps of a mint before another is the busy one. */
const BUSY_SWAPS = 60

/**
 * Mints that are busy one after the other and come back: more traders each than the top ten has
 * places, creations told late or never, migrations, late swaps, several swaps in one transaction, and
 * a feed that now and then says who is a pro.
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

const wallet = (random: Random): string => `wallet ${random.integer(1, WALLETS)}`
