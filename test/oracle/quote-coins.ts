/** Which coins the tokens of a history are quoted in, and what is told of their decimals. */
import type { Swap, TokenCreated } from '../../src/events/event.ts'
import type { Kind } from './kinds.ts'
import { OTHER_QUOTE, type SimToken, USDC } from './market.ts'
import type { More } from './more.ts'

const PUMP_MINT = 'pumpCmXqMfrsAkQ5r49WcJnRayYRqmXz6ae8H7H9Dfn'
const SOL_MINT = 'So11111111111111111111111111111111111111112'
/** 1e8 tokens of six decimals: also taken for lamports, many sums of them stay below 2^53. */
const COIN_RESERVES = 100_000_000_000_000n

/** A mint that a token is quoted in before it is born. */
interface Promise {
  readonly mint: string
  /** It will be quoted in the token that is quoted in it. */
  readonly circleWith: string | null
}

export class QuoteCoins {
  readonly #more: More
  readonly #promises: Promise[] = []
  readonly #decimals = new Map<string, number | null>()

  constructor(more: More) {
    this.#more = more
  }

  /** The token with the quote, and maybe the mint, that it gets of the coins that are there. */
  quoted(token: SimToken, born: readonly SimToken[]): SimToken {
    const promise = this.#promises.shift()
    const named = promise ? { ...token, mint: promise.mint } : token
    if (promise?.circleWith != null) return inCoin(named, promise.circleWith, ['coin_circle'])
    return this.#choose(named, born) ?? named
  }

  #choose(token: SimToken, born: readonly SimToken[]): SimToken | null {
    const more = this.#more
    const isFlat = ({ quoteKinds }: SimToken) => quoteKinds.length === 0
    const flat = more.some(born.filter(isFlat))
    if (flat && more.has('coin_quote', 0.35)) return inCoin(token, flat.mint, ['coin_quote'])
    const deep = more.some(born.filter((other) => !isFlat(other)))
    if (deep && more.has('deep_coin', 0.35)) return inCoin(token, deep.mint, ['deep_coin'])
    if (more.has('unknown_coin', 0.08)) {
      const mint = more.random.pick([PUMP_MINT, OTHER_QUOTE, more.mint()])
      return inCoin(token, mint, ['unknown_coin'])
    }
    if (more.has('late_coin', 0.12)) return inCoin(token, this.#promised(null), ['late_coin'])
    if (!more.has('coin_circle', 0.1)) return null
    const isSelf = more.random.chance(0.2)
    return inCoin(token, isSelf ? token.mint : this.#promised(token.mint), ['coin_circle'])
  }

  #promised(circleWith: string | null): string {
    const mint = this.#more.mint()
    this.#promises.push({ mint, circleWith })
    return mint
  }

  /** A mint that is not born yet, but will be if there is room. */
  get unborn(): string | null {
    return this.#promises[0]?.mint ?? null
  }

  /** The event with what is told of its quote coin, and the kinds that it is of by that. */
  told<E extends Swap | TokenCreated>(event: E, token: SimToken): [E, Kind[]] {
    const { quoteMint } = event
    if (quoteMint === undefined || quoteMint === USDC || quoteMint !== token.quoteMint)
      return [event, [...token.quoteKinds]]
    if (event.type === 'swap' && this.#more.has('quote_contradiction', 0.01))
      return [{ ...event, ...this.#contradiction() }, [...token.quoteKinds, 'quote_contradiction']]
    const quoteDecimals = this.#decimalsOf(quoteMint, token)
    if (quoteDecimals === null) return [event, [...token.quoteKinds]]
    return [{ ...event, quoteDecimals }, [...token.quoteKinds, 'quote_decimals']]
  }

  #contradiction(): Partial<Swap> {
    const { random } = this.#more
    return {
      quoteMint: random.pick([OTHER_QUOTE, PUMP_MINT, SOL_MINT, USDC]),
      ...(random.chance(0.5) && { quoteDecimals: random.pick([6, 9]) }),
    }
  }

  #decimalsOf(coin: string, { quoteKinds }: SimToken): number | null {
    const more = this.#more
    const known = this.#decimals.get(coin)
    if (known !== undefined) return known
    // What has a price keeps its decimals near the usual ones, so that sums stay below 2^53.
    const isPriceless = quoteKinds.length === 0 || quoteKinds.includes('unknown_coin')
    const decimals = more.random.pick(isPriceless ? [0, 4, 6, 9, 18] : [6, 9])
    const told = more.has('quote_decimals', 0.4) ? decimals : null
    this.#decimals.set(coin, told)
    return told
  }
}

function inCoin(token: SimToken, quoteMint: string, quoteKinds: readonly Kind[]): SimToken {
  return { ...token, quoteMint, quoteKinds, quoteRaw: COIN_RESERVES }
}
