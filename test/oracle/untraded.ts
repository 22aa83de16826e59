/** Events that are no trades: what `reserves` and `balance` lines a chain would tell. */
import type { Balance, Reserves, TokenState } from '../../src/events/event.ts'
import { RESERVES_REASONS } from '../../src/events/event.ts'
import { INITIAL_REAL_BASE, MAYHEM_AGENT, type Place, type SimToken } from './market.ts'
import type { Random } from './random.ts'
import { LINKS, NAMES, SYMBOLS } from './samples.ts'

const NEVER_HOLDERS = [
  MAYHEM_AGENT,
  '1nc1nerator11111111111111111111111111111111',
  '11111111111111111111111111111111',
] as const
const [FIRST_REASON, ...OTHER_REASONS] = RESERVES_REASONS

/** The reserves as they stand; the reason says what moved them. */
export function reservesEvent(token: SimToken, reason: Reserves['reason'], place: Place): Reserves {
  const isAmm = token.stage === 'amm'
  return {
    type: 'reserves',
    ...place,
    mint: token.mint,
    source: isAmm ? 'pump_amm' : 'pump',
    virtualBaseRaw: token.baseRaw,
    virtualQuoteRaw: token.quoteRaw,
    realBaseRaw: isAmm ? 0n : token.realBaseRaw,
    realQuoteRaw: token.quoteRaw,
    reason,
  }
}

/** Moves the reserves as the reason does. */
export function moveReserves(random: Random, token: SimToken, reason: Reserves['reason']): void {
  const percent = BigInt(random.integer(50, 200))
  const grows = BigInt(random.integer(101, 150))
  if (reason === 'mayhem') token.quoteRaw = (token.quoteRaw * percent) / 100n + 1n
  else if (reason === 'boost') {
    const base = (token.baseRaw * 100n) / grows
    token.quoteRaw = (token.quoteRaw * token.baseRaw) / base
    token.baseRaw = base
  } else if (reason === 'deposit') {
    token.baseRaw = (token.baseRaw * grows) / 100n
    token.quoteRaw = (token.quoteRaw * grows) / 100n
  } else if (reason === 'withdraw') {
    token.baseRaw = (token.baseRaw * 100n) / grows
    token.quoteRaw = (token.quoteRaw * 100n) / grows + 1n
  }
}

/** What no chain would tell: any reason and source, zeros, an empty or a full curve, other supplies. */
export function oddReserves(random: Random, token: SimToken, place: Place): Reserves {
  const reason = random.pick([FIRST_REASON, ...OTHER_REASONS])
  const base = reservesEvent(token, reason, place)
  return {
    ...base,
    source: random.pick(['pump', 'pump_amm']),
    realBaseRaw: random.pick([base.realBaseRaw, 0n, INITIAL_REAL_BASE, 400_000_000_000_000n]),
    ...random.pick<Partial<Reserves>>([
      {},
      { virtualBaseRaw: 0n },
      { virtualQuoteRaw: 0n },
      { virtualBaseRaw: 2n ** 64n - 1n },
    ]),
    ...(random.chance(0.3) && { supplyRaw: BigInt(random.integer(1, 2 * 10 ** 15)) }),
  }
}

export function balanceEvent(
  mint: string,
  wallet: string,
  balanceRaw: bigint,
  place: Place,
): Balance {
  return { type: 'balance', ...place, mint, wallet, balanceRaw }
}

/** What the chain says of a mint; now and then of another creator, and without texts. */
export function stateEvent(
  random: Random,
  token: SimToken,
  other: string,
  place: Place,
): TokenState {
  return {
    type: 'token_state',
    ...place,
    mint: token.mint,
    tokenProgram: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    decimals: token.creation === 'never' ? random.pick([6, 6, 9]) : 6,
    supplyRaw: random.chance(0.8) ? token.supplyRaw : BigInt(random.integer(1, 2 * 10 ** 15)),
    ...(random.chance(0.8) && {
      name: random.pick(NAMES),
      symbol: random.pick(SYMBOLS),
      uri: random.pick(LINKS),
    }),
    ...(random.chance(0.8) && { creator: random.chance(0.7) ? token.creator : other }),
    ...(random.chance(0.8) && { bondingCurve: token.curve }),
  }
}

/** Addresses that hold nothing whatever is told of them. Curve and pool count once a swap named them. */
export function neverHolder(random: Random, token: SimToken): string {
  const named = [token.curve, token.pool].filter((pool) => token.pools.has(pool))
  const [first, ...others] = NEVER_HOLDERS
  return random.pick([first, ...others, ...named])
}

/** Nothing, next to nothing, a part of what was known, or something else. */
export function otherBalance(random: Random, known: bigint): bigint {
  return random.pick([0n, 1n, known / 2n, known, BigInt(random.integer(2, 10 ** 14))])
}
