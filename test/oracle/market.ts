/** The chain that histories are cut from: tokens, wallets and trades in their true order. */
import type { FeedEvent, Swap, TokenCreated } from '../../src/events/event.ts'
import type { Kind } from './kinds.ts'
import type { Random } from './random.ts'
import { DESCRIPTIONS, LINKS, NAMES, SYMBOLS, X_LINKS } from './samples.ts'

export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** A quote that nobody knows the worth of. */
export const OTHER_QUOTE = 'another quote'
const SOL_MINTS = [
  '11111111111111111111111111111111',
  'So11111111111111111111111111111111111111112',
] as const
export const MAYHEM_AGENT = 'BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s'
export const INITIAL_REAL_BASE = 793_100_000_000_000n
const EXTREMES: readonly [bigint, ...bigint[]] = [2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 63n - 1n]

/** How the creation reaches the service. */
export type Creation = 'first' | 'soon' | 'late' | 'slotless' | 'never'

export interface SimToken {
  readonly mint: string
  readonly curve: string
  readonly pool: string
  readonly creator: string
  readonly creation: Creation
  /** The quote that is told; SOL goes by two names, or by none. */
  readonly quoteMint: string | null
  /** It is quoted in a coin of the platform, or in one that may be: of which kind that is. */
  readonly quoteKinds: readonly Kind[]
  supplyRaw: bigint
  /** Pools that its swaps named. */
  readonly pools: Set<string>
  baseRaw: bigint
  quoteRaw: bigint
  realBaseRaw: bigint
  stage: 'curve' | 'complete' | 'amm'
  readonly balances: Map<string, bigint>
  /** Wallets whose one trade of an extreme amount is done. */
  readonly extremes: Set<string>
}

/** What stands at a place in the chain. */
export interface Step {
  readonly event: FeedEvent
  readonly slot: number
  readonly creation: Creation | null
  readonly kinds: readonly Kind[]
  /** Its place is always told: hops of a route stand side by side. */
  readonly isPlaced: boolean
}

export interface Place {
  readonly slot: number
  readonly txIndex: number
  readonly ordinal: number
  readonly signature: string
  readonly timestamp: number
}

export function bearToken(random: Random, wallets: readonly [string, ...string[]]) {
  const creation = random.pick<Creation>([
    ...(['first', 'first', 'first', 'first', 'first'] as const),
    ...(['soon', 'late', 'slotless', 'never'] as const),
  ])
  const quoteMint = quoteBelow(random.unit())
  const token: SimToken = {
    mint: random.base58(44).slice(0, 40) + random.pick(['pump', 'pump', 'bonk']),
    curve: random.base58(44),
    pool: random.base58(44),
    creator: random.pick(wallets),
    creation,
    quoteMint,
    quoteKinds: [],
    supplyRaw: 10n ** 15n,
    pools: new Set(),
    baseRaw: 1_073_000_000_000_000n,
    quoteRaw: quoteMint === USDC ? 4_292_000_000n : 30_000_000_000n,
    realBaseRaw: INITIAL_REAL_BASE,
    stage: 'curve',
    balances: new Map(),
    extremes: new Set(),
  }
  return token
}

function quoteBelow(share: number): SimToken['quoteMint'] {
  if (share < 0.2) return USDC
  return share < 0.28 ? OTHER_QUOTE : null
}

export function createdEvent(random: Random, token: SimToken, place: Place): TokenCreated {
  const plain = token.creation !== 'first'
  return {
    type: 'token_created',
    ...place,
    mint: token.mint,
    name: random.pick(NAMES),
    symbol: random.pick(SYMBOLS),
    uri: random.pick(LINKS),
    creator: token.creator,
    bondingCurve: token.curve,
    tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    isMayhemMode: random.chance(0.1),
    virtualBaseRaw: token.baseRaw,
    virtualQuoteRaw: token.quoteRaw,
    realBaseRaw: plain || random.chance(0.8) ? INITIAL_REAL_BASE : 700_000_000_000_000n,
    ...(!plain && random.chance(0.3) && { supplyRaw: random.pick([10n ** 15n, 2n * 10n ** 15n]) }),
    ...(!plain && random.chance(0.3) && { decimals: random.pick([6, 6, 9]) }),
    ...(token.quoteMint !== null && { quoteMint: token.quoteMint }),
    ...(token.quoteMint === null &&
      random.chance(0.3) && { quoteMint: 'So11111111111111111111111111111111111111112' }),
  }
}

/** A swap of which it is clear who makes it. */
export interface Wanted {
  readonly signer: string
  readonly direction: 'buy' | 'sell'
  /** It takes what the curve has left. */
  readonly completes?: boolean
}

/** Moves the curve or the pool, and says what the chain would say. */
export function swapEvent(
  random: Random,
  token: SimToken,
  wallets: readonly [string, ...string[]],
  place: Place,
  wanted?: Wanted,
): Swap {
  const strangers: [string, ...string[]] = [MAYHEM_AGENT, token.curve, token.pool]
  const signer =
    wanted?.signer ?? (random.chance(0.06) ? random.pick(strangers) : random.pick(wallets))
  const before = token.balances.get(signer) ?? 0n
  const direction = wanted?.direction ?? (random.chance(before > 0n ? 0.5 : 0.9) ? 'buy' : 'sell')
  const { baseRaw, quoteRaw } =
    direction === 'sell'
      ? sell(random, token, before)
      : wanted?.completes
        ? buyRest(token)
        : buy(random, token)
  const after = direction === 'buy' ? before + baseRaw : before > baseRaw ? before - baseRaw : 0n
  token.balances.set(signer, after)
  const given = random.chance(0.4)
  const swap: Swap = {
    type: 'swap',
    ...place,
    source: token.stage === 'amm' ? 'pump_amm' : 'pump',
    mint: token.mint,
    pool: token.stage === 'amm' ? token.pool : token.curve,
    signer,
    direction,
    baseRaw,
    quoteRaw,
    virtualBaseRaw: token.baseRaw,
    virtualQuoteRaw: token.quoteRaw,
    realBaseRaw: token.stage === 'amm' ? 0n : token.realBaseRaw,
    realQuoteRaw: token.quoteRaw,
    platformFeeRaw: (quoteRaw * 95n) / 10_000n,
    creatorFeeRaw: (quoteRaw * 30n) / 10_000n,
    ...(random.chance(0.7) && { chainFeeRaw: BigInt(random.integer(5000, 900_000)) }),
    ...(given && random.chance(0.9) && { baseBalanceBeforeRaw: before }),
    ...(given && { baseBalanceAfterRaw: after }),
    ...(random.chance(0.03) && token.creation === 'first' && { supplyRaw: 10n ** 15n - 7n }),
    ...(random.chance(0.2) && { solPriceUsd: random.integer(10_000, 30_000) / 137 }),
    ...(random.chance(0.6) && { quoteMint: token.quoteMint ?? random.pick(SOL_MINTS) }),
  }
  return disturb(random, token, { ...swap, ...flagsOf(random) })
}

function flagsOf(random: Random): Partial<Swap> {
  const fresh = random.flag(0.05)
  const pro = random.flag(0.04)
  const insider = random.flag(0.03)
  return {
    ...(fresh !== undefined && { fresh }),
    ...(pro !== undefined && { pro }),
    ...(insider !== undefined && { insider }),
  }
}

function buy(random: Random, token: SimToken) {
  const most = random.chance(0.2) ? 60 : random.chance(0.5) ? 3 : 0.2
  const quoteRaw = BigInt(Math.floor(random.unit() * most * unitsOfSol(token)) + 1)
  const out = (token.baseRaw * quoteRaw) / (token.quoteRaw + quoteRaw)
  const curve = token.stage !== 'amm'
  const baseRaw = curve && out > token.realBaseRaw ? token.realBaseRaw : out
  token.baseRaw -= baseRaw
  token.quoteRaw += quoteRaw
  if (curve) token.realBaseRaw -= baseRaw
  if (token.realBaseRaw === 0n && curve) token.stage = 'complete'
  return { baseRaw, quoteRaw }
}

/** What the curve has left, at the price of that. */
function buyRest(token: SimToken) {
  const baseRaw = token.realBaseRaw
  const quoteRaw = (token.quoteRaw * baseRaw) / (token.baseRaw - baseRaw) + 1n
  token.baseRaw -= baseRaw
  token.quoteRaw += quoteRaw
  token.realBaseRaw = 0n
  token.stage = 'complete'
  return { baseRaw, quoteRaw }
}

/** Raw units of its quote that are worth about a SOL; of a coin some hundredths of it. */
function unitsOfSol(token: SimToken): number {
  if (token.quoteKinds.length > 0) return 1e12
  return token.quoteMint === USDC ? 150e6 : 1e9
}

/** All, a part, or more than is known. */
function sell(random: Random, token: SimToken, held: bigint) {
  const share = random.pick([100n, 100n, 50n, 13n, 170n])
  const known = (held * share) / 100n
  const wanted = known > 0n ? known : BigInt(random.integer(1, 10 ** 12))
  const most = INITIAL_REAL_BASE - token.realBaseRaw
  const baseRaw = token.stage === 'curve' && wanted > most && most > 0n ? most : wanted
  const exact = (token.quoteRaw * baseRaw) / (token.baseRaw + baseRaw)
  const quoteRaw = exact > 0n ? exact : 1n
  token.baseRaw += baseRaw
  token.quoteRaw -= quoteRaw
  if (token.stage === 'curve') token.realBaseRaw += baseRaw
  return { baseRaw, quoteRaw }
}

/** Transfers, zeros and extreme integers, where they leave one right answer. */
function disturb(random: Random, token: SimToken, swap: Swap): Swap {
  if (random.chance(0.04)) return { ...swap, ...transferred(random, token, swap) }
  // Only where the creation gave a price before, wherever the swap arrives.
  if (token.creation === 'first' && random.chance(0.05)) {
    return {
      ...swap,
      ...random.pick<Partial<Swap>>([
        { baseRaw: 0n },
        { quoteRaw: 0n },
        { virtualBaseRaw: 0n },
        { virtualQuoteRaw: 0n },
      ]),
    }
  }
  if (random.chance(0.002) && token.quoteMint === null && !token.extremes.has('quote')) {
    // Once a token: sums of lamports stay below 2^53, where the order of adding is no matter.
    token.extremes.add('quote')
    return { ...swap, quoteRaw: 2n ** 52n + 1n }
  }
  if (random.chance(0.01)) return { ...swap, virtualBaseRaw: 2n ** 64n - 1n }
  if (random.chance(0.01) && !token.extremes.has(swap.signer)) return extreme(random, token, swap)
  return swap
}

function transferred(random: Random, token: SimToken, swap: Swap): Partial<Swap> {
  const balance = random.pick([0n, 1n, BigInt(random.integer(2, 10 ** 14))])
  token.balances.set(swap.signer, balance)
  const before = { baseBalanceBeforeRaw: BigInt(random.integer(0, 10 ** 14)) }
  return { baseBalanceAfterRaw: balance, ...(random.chance(0.5) && before) }
}

function extreme(random: Random, token: SimToken, swap: Swap): Swap {
  token.extremes.add(swap.signer)
  const baseRaw = swap.direction === 'sell' ? 2n ** 64n - 1n : random.pick(EXTREMES)
  token.balances.set(swap.signer, 10n ** 12n)
  return { ...swap, baseRaw, baseBalanceAfterRaw: 10n ** 12n }
}

export function metadataEvent(random: Random, mint: string, timestamp: number): FeedEvent {
  const link = () => (random.chance(0.15) ? random.pick([null, '']) : random.pick(LINKS))
  return {
    type: 'metadata',
    timestamp,
    mint,
    ...(random.chance(0.7) && { twitter: random.chance(0.1) ? null : random.pick(X_LINKS) }),
    ...(random.chance(0.5) && { image: link() }),
    ...(random.chance(0.3) && { video: link() }),
    ...(random.chance(0.4) && { website: link() }),
    ...(random.chance(0.3) && { discord: link() }),
    ...(random.chance(0.4) && { telegram: link() }),
    ...(random.chance(0.4) && { description: random.pick(DESCRIPTIONS) }),
    ...(random.chance(0.2) && { dexPaid: random.chance(0.8) }),
  }
}
