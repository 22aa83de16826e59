/** Transactions of the newer kinds: each is a list of steps at one place, in its order. */
import type { Balance, FeedEvent, Swap } from '../../src/events/event.ts'
import type { Kind } from './kinds.ts'
import { type Place, type SimToken, swapEvent } from './market.ts'
import type { More } from './more.ts'
import {
  balanceEvent,
  moveReserves,
  neverHolder,
  oddReserves,
  otherBalance,
  reservesEvent,
  stateEvent,
} from './untraded.ts'

export interface Extra {
  readonly event: FeedEvent
  readonly token: SimToken | null
  readonly kinds: readonly Kind[]
  readonly isPlaced?: boolean
}

type Wallets = readonly [string, ...string[]]

/** Numbers of two hops that are no route. */
const BROKEN_HOPS: readonly [Hops, ...Hops[]] = [
  [1, 3],
  [2, undefined],
  [undefined, 2],
  [3, 2],
  [2, 1],
  [1, undefined],
  [undefined, 1],
]
type Hops = readonly [number | undefined, number | undefined]

export class Extras {
  readonly #more: More
  readonly #wallets: Wallets
  readonly #receivers: Wallets

  constructor(more: More, wallets: Wallets) {
    this.#more = more
    this.#wallets = wallets
    const address = () => more.random.base58(44)
    this.#receivers = [address(), address(), address()]
  }

  /** A whole transaction of a kind that is drawn, or none. */
  transaction(
    token: SimToken,
    tokens: readonly SimToken[],
    unborn: string | null,
    place: Place,
  ): readonly Extra[] {
    const more = this.#more
    const { stage } = token
    if (stage === 'curve') {
      if (more.has('mayhem', 0.03)) return [this.#reserves(token, 'mayhem', place)]
      if (more.has('post_complete', 0.02) && token.realBaseRaw > 0n)
        return this.completing(token, place)
    } else if (stage === 'amm') {
      if (more.has('boost', 0.1)) return [this.#reserves(token, 'boost', place)]
      if (more.has('deposit', 0.08)) return [this.#reserves(token, 'deposit', place)]
      if (more.has('withdraw', 0.08)) return [this.#reserves(token, 'withdraw', place)]
    }
    if (more.has('odd_reserves', 0.02))
      return [{ event: oddReserves(more.random, token, place), token, kinds: ['odd_reserves'] }]
    if (more.has('token_state', 0.05)) return [this.#state(token, place)]
    if (more.has('unknown_mint', 0.015)) return [this.#unknown(unborn ?? more.mint(), token, place)]
    if (more.has('burn', 0.03)) return this.#burn(token, place)
    if (more.has('creator_forward', 0.04)) return this.#forward(token, place)
    const coin = tokens.find(({ mint }) => mint === token.quoteMint)
    const other = more.some(tokens.filter((one) => one !== token)) ?? token
    if (!coin || coin === token || [stage, coin.stage].includes('complete')) return []
    if (more.has('route_in', 0.15)) return this.#route('buy', coin, token, [1, 2], place)
    if (more.has('route_out', 0.15)) return this.#route('sell', token, coin, [1, 2], place)
    if (more.has('broken_route', 0.1)) return this.#brokenRoute(coin, token, other, place)
    return []
  }

  /** The purchase of what a curve has left, its completion, and the rest out of the pool to be. */
  completing(token: SimToken, place: Place): Extra[] {
    const signer = this.#more.random.pick(this.#wallets)
    const buys = { signer, direction: 'buy', completes: true } as const
    const last = swapEvent(this.#more.random, token, this.#wallets, place, buys)
    return [{ event: last, token, kinds: [] }, ...this.goesOn(token, last)]
  }

  /** What comes behind the purchase that completes a curve. */
  goesOn(token: SimToken, last: Swap): Extra[] {
    const { random } = this.#more
    const { slot, txIndex, ordinal, signature, timestamp, signer } = last
    const at = (behind: number) => ({
      slot,
      txIndex,
      ordinal: ordinal + behind,
      signature,
      timestamp,
    })
    const quoteRaw = token.quoteRaw / BigInt(random.integer(50, 5_000)) + 1n
    const poolBaseRaw = 206_900_000_000_000n
    const baseRaw = (poolBaseRaw * quoteRaw) / (token.quoteRaw + quoteRaw)
    token.baseRaw = poolBaseRaw - baseRaw
    token.quoteRaw += quoteRaw
    const before = token.balances.get(signer) ?? 0n
    token.balances.set(signer, before + baseRaw)
    const { mint, curve: bondingCurve } = token
    const swap: Swap = {
      ...last,
      ...at(2),
      ...{ direction: 'buy', baseRaw, quoteRaw, realBaseRaw: 0n, realQuoteRaw: 0n },
      ...{ virtualBaseRaw: token.baseRaw, virtualQuoteRaw: token.quoteRaw },
      ...{ platformFeeRaw: quoteRaw / 100n, creatorFeeRaw: quoteRaw / 300n },
      ...{ baseBalanceBeforeRaw: before, baseBalanceAfterRaw: before + baseRaw },
    }
    return [
      { event: { type: 'completed', ...at(1), mint, bondingCurve }, token, kinds: [] },
      { event: swap, token, kinds: ['post_complete'] },
    ]
  }

  /** Balances that a transaction tells behind its events. */
  balances(token: SimToken, place: Place): Extra[] {
    const { random } = this.#more
    const lines: Extra[] = []
    const tell = (kind: Kind, wallet: string, balanceRaw: bigint) => {
      const at = { ...place, ordinal: place.ordinal + lines.length }
      const event = balanceEvent(token.mint, wallet, balanceRaw, at)
      lines.push({ event, token, kinds: [kind] })
    }
    const known = (wallet: string) => token.balances.get(wallet) ?? 0n
    for (const [kind, wallets] of [
      ['trader_balance', this.#wallets],
      ['receiver_balance', this.#receivers],
    ] as const) {
      if (!this.#more.has(kind, 0.06)) continue
      const wallet = random.pick(wallets)
      token.balances.set(wallet, otherBalance(random, known(wallet)))
      tell(kind, wallet, known(wallet))
    }
    if (this.#more.has('never_holder_balance', 0.03))
      tell('never_holder_balance', neverHolder(random, token), BigInt(random.integer(0, 10 ** 14)))
    if (this.#more.has('balance_above_supply', 0.02)) {
      const above = 10n ** 16n + BigInt(random.integer(0, 10 ** 9))
      tell('balance_above_supply', random.pick(this.#receivers), above)
    }
    if (this.#more.has('zero_balance', 0.03)) tell('zero_balance', random.base58(44), 0n)
    return lines
  }

  #reserves(token: SimToken, reason: 'mayhem' | 'boost' | 'deposit' | 'withdraw', place: Place) {
    moveReserves(this.#more.random, token, reason)
    return { event: reservesEvent(token, reason, place), token, kinds: [reason] }
  }

  /** Of a mint that is not there, or not yet. */
  unknownMint(token: SimToken, place: Place): Extra {
    return this.#unknown(token.mint, token, place)
  }

  #state(token: SimToken, place: Place): Extra {
    const { random } = this.#more
    const event = stateEvent(random, token, random.pick(this.#wallets), place)
    return { event, token, kinds: ['token_state'] }
  }

  #unknown(mint: string, like: SimToken, place: Place): Extra {
    const { random } = this.#more
    const reserves = { ...reservesEvent(like, 'mayhem', place), mint }
    const held = BigInt(random.integer(1, 10 ** 13))
    const event = random.chance(0.5)
      ? reserves
      : balanceEvent(mint, random.pick(this.#receivers), held, place)
    return { event, token: null, kinds: ['unknown_mint'] }
  }

  /** The creator burns some; now and then more is gone than was burned. */
  #burn(token: SimToken, place: Place): Extra[] {
    const { random } = this.#more
    const held = token.balances.get(token.creator) ?? 0n
    const burned =
      held > 0n ? held / BigInt(random.pick([1, 1, 2])) : BigInt(random.integer(1, 10 ** 12))
    const told = random.chance(0.8) || burned < 10n ? burned : burned - 5n
    if (told < token.supplyRaw) token.supplyRaw -= told
    const reserves = reservesEvent(token, 'burn', place)
    const burn = { ...reserves, supplyRaw: token.supplyRaw }
    const lines: Extra[] = [{ event: burn, token, kinds: ['burn'] }]
    if (held === 0n) return lines
    token.balances.set(token.creator, held - burned)
    const at = { ...place, ordinal: place.ordinal + 1 }
    const event = balanceEvent(token.mint, token.creator, held - burned, at)
    return [...lines, { event, token, kinds: ['burn'] }]
  }

  /** The creator buys, and hands on in the same transaction; or hands on what it has. */
  #forward(token: SimToken, place: Place): Extra[] {
    const { random } = this.#more
    const { creator } = token
    const kinds: readonly Kind[] = ['creator_forward']
    const buys = token.stage !== 'complete' && random.chance(0.6)
    const wanted = { signer: creator, direction: 'buy' } as const
    const before = token.balances.get(creator) ?? 0n
    const swap = buys ? swapEvent(random, token, this.#wallets, place, wanted) : null
    const held = token.balances.get(creator) ?? 0n
    const kept = held / BigInt(random.pick([1, 2, 10 ** 15]))
    token.balances.set(creator, kept)
    const lines: Balance[] = []
    const tell = (wallet: string, balanceRaw: bigint) => {
      const ordinal = place.ordinal + (swap ? 1 : 0) + lines.length
      lines.push(balanceEvent(token.mint, wallet, balanceRaw, { ...place, ordinal }))
    }
    const receivers = this.#receivers.slice(0, random.integer(1, this.#receivers.length))
    for (const wallet of receivers) {
      const part = (held - kept) / BigInt(receivers.length)
      token.balances.set(wallet, (token.balances.get(wallet) ?? 0n) + part)
      tell(wallet, token.balances.get(wallet) ?? 0n)
    }
    if (!swap || random.chance(0.3)) tell(creator, kept)
    const handed = lines.map((event): Extra => ({ event, token, kinds }))
    if (!swap) return handed
    const balances = { baseBalanceBeforeRaw: before, baseBalanceAfterRaw: kept }
    return [{ event: { ...swap, ...balances }, token, kinds }, ...handed]
  }

  /** Two swaps of one wallet and direction. Of the coin in the middle it has then what it had before. */
  #route(
    direction: 'buy' | 'sell',
    first: SimToken,
    second: SimToken,
    [one, two]: Hops,
    place: Place,
    kind: Kind = direction === 'buy' ? 'route_in' : 'route_out',
    signers: readonly string[] = [],
  ): Extra[] {
    const { random } = this.#more
    const signer = random.pick(this.#wallets)
    const middle = direction === 'buy' ? first : second
    const before = middle.balances.get(signer) ?? 0n
    return [first, second].flatMap((token, index): Extra[] => {
      if (token.stage === 'complete') return []
      const at = { ...place, ordinal: place.ordinal + index }
      const wanted = { signer: signers[index] ?? signer, direction }
      const swap = swapEvent(random, token, this.#wallets, at, wanted)
      const route = index === 0 ? one : two
      if (token === middle && kind !== 'broken_route') middle.balances.set(signer, before)
      const event = { ...swap, ...(route !== undefined && { route }) }
      return [{ event, token, kinds: [kind], isPlaced: true }]
    })
  }

  /** Numbers that are none, another signer, or another coin. */
  #brokenRoute(coin: SimToken, token: SimToken, other: SimToken, place: Place): Extra[] {
    const { random } = this.#more
    const isIn = random.chance(0.5)
    const direction = isIn ? 'buy' : 'sell'
    const [first, second] = isIn ? [coin, token] : [token, coin]
    const kind = 'broken_route'
    if (random.chance(0.5))
      return this.#route(direction, first, second, random.pick(BROKEN_HOPS), place, kind)
    if (random.chance(0.5)) {
      const signers = [this.#wallets[0], this.#receivers[0]]
      return this.#route(direction, first, second, [1, 2], place, kind, signers)
    }
    return this.#route(direction, first, other, [1, 2], place, kind)
  }
}
