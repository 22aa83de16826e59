import { encodeBase58 } from '../../../src/base/base58.ts'
import type { Random } from '../../../src/base/random.ts'
import {
  BUY_EVENT,
  CREATE_POOL_EVENT,
  SELL_EVENT,
} from '../../../src/feeds/chain/layouts/amm-pool-layouts.ts'
import { WRAPPED_SOL_MINT } from '../../../src/feeds/chain/layouts/programs.ts'
import {
  COMPLETE_EVENT,
  COMPLETE_PUMP_AMM_MIGRATION_EVENT,
  CREATE_EVENT,
  TRADE_EVENT,
} from '../../../src/feeds/chain/layouts/pump-coin-layouts.ts'
import type { EmittedBytes } from '../../../src/feeds/chain/transactions/program-logs.ts'
import type { TokenBalanceChange } from '../../../src/feeds/chain/transactions/transaction.ts'
import { amm, curveOf, feeOf, poolAccount, poolOf, pump } from './program-forms.ts'

export interface Told {
  readonly emitted: readonly EmittedBytes[]
  readonly balances: readonly TokenBalanceChange[]
}

interface Coin {
  readonly mint: string
  readonly creator: string
  virtualBase: bigint
  virtualQuote: bigint
  realBase: bigint
  realQuote: bigint
  pool: string | null
  poolBase: bigint
  poolQuote: bigint
}

const SUPPLY = 10n ** 15n
const EFFECTIVE_EXTRA = 17_584_505_289n

/** A few coins that are created, traded, bought up and migrated; every event as the programs write it. */
export class SyntheticMarket {
  readonly accounts = new Map<string, Buffer>()
  readonly #random: Random
  readonly #coins: Coin[] = []
  readonly #holders: string[]
  readonly #held = new Map<string, bigint>()

  constructor(random: Random) {
    this.#random = random
    this.#holders = Array.from({ length: 12 }, () => this.address())
    this.#addOldPool()
  }

  address(): string {
    return encodeBase58(this.#bytes(32))
  }

  signature(): string {
    return encodeBase58(this.#bytes(64))
  }

  /** What one transaction does. */
  next(timestamp: number): Told {
    const roll = this.#random.below(100)
    if (this.#coins.length < 3 || roll < 6) return this.#create(timestamp)
    const coin = this.#random.pick(this.#coins)
    if (coin.pool !== null) return this.#poolTrades(coin, timestamp)
    if (coin.realBase === 0n) return this.#migrate(coin, timestamp)
    if (roll < 14) return this.#buyOut(coin, timestamp)
    return this.#curveTrades(coin, timestamp)
  }

  #bytes(length: number): Uint8Array {
    // A first byte above 0 keeps the length of the text.
    return Uint8Array.from(
      { length },
      (_, at) => this.#random.below(at === 0 ? 255 : 256) + (at === 0 ? 1 : 0),
    )
  }

  #create(timestamp: number): Told {
    const coin: Coin = {
      mint: this.address(),
      creator: this.#random.pick(this.#holders),
      virtualBase: 1_073_000_000_000_000n,
      virtualQuote: 30_000_000_000n,
      realBase: 793_100_000_000_000n,
      realQuote: 0n,
      pool: null,
      poolBase: 0n,
      poolQuote: 0n,
    }
    this.#coins.push(coin)
    const created = pump(CREATE_EVENT, {
      name: `Coin ${this.#coins.length}`,
      symbol: `C${this.#coins.length}`,
      uri: 'https://example.org/coin.json',
      mint: coin.mint,
      bonding_curve: curveOf(coin.mint),
      user: coin.creator,
      creator: coin.creator,
      timestamp: BigInt(timestamp),
      virtual_token_reserves: coin.virtualBase,
      virtual_sol_reserves: coin.virtualQuote,
      real_token_reserves: coin.realBase,
      token_total_supply: SUPPLY,
    })
    const { emitted, balances } = this.#curveTrade(coin, coin.creator, 5_000_000_000n, timestamp)
    return { emitted: [created, ...emitted], balances }
  }

  /** Two swaps of one wallet in a transaction, at times. */
  #curveTrades(coin: Coin, timestamp: number): Told {
    const wallet = this.#random.pick(this.#holders)
    const first = this.#curveTrade(coin, wallet, this.#amount(), timestamp)
    if (!this.#random.chance(0.2) || coin.realBase === 0n) return first
    const second = this.#curveTrade(coin, wallet, this.#amount(), timestamp)
    return { emitted: [...first.emitted, ...second.emitted], balances: second.balances }
  }

  #amount(): bigint {
    return BigInt(this.#random.between(1_000_000, 2_000_000_000))
  }

  /** A buy for this much SOL, or a sell of half of what the wallet has. */
  #curveTrade(coin: Coin, wallet: string, solIn: bigint, timestamp: number): Told {
    const before = this.#balance(wallet, coin.mint)
    const isBuy = before === 0n || this.#random.chance(0.6)
    const product = coin.virtualBase * coin.virtualQuote
    let base: bigint
    let quote: bigint
    if (isBuy) {
      base = coin.virtualBase - product / (coin.virtualQuote + solIn) - 1n
      if (base > coin.realBase) base = coin.realBase
      quote = product / (coin.virtualBase - base) - coin.virtualQuote + 1n
    } else {
      base = (before + 1n) / 2n
      quote = coin.virtualQuote - product / (coin.virtualBase + base) - 1n
      if (quote > coin.realQuote) quote = coin.realQuote
    }
    const sign = isBuy ? 1n : -1n
    coin.virtualBase -= sign * base
    coin.realBase -= sign * base
    coin.virtualQuote += sign * quote
    coin.realQuote += sign * quote
    const trade = pump(TRADE_EVENT, {
      mint: coin.mint,
      sol_amount: quote,
      token_amount: base,
      is_buy: isBuy,
      user: wallet,
      timestamp: BigInt(timestamp),
      virtual_sol_reserves: coin.virtualQuote,
      virtual_token_reserves: coin.virtualBase,
      real_sol_reserves: coin.realQuote,
      real_token_reserves: coin.realBase,
      fee: feeOf(quote, 95n),
      creator: coin.creator,
      creator_fee: feeOf(quote, 30n),
      ix_name: isBuy ? 'buy' : 'sell',
    })
    return { emitted: [trade], balances: [this.#move(wallet, coin.mint, sign * base)] }
  }

  #buyOut(coin: Coin, timestamp: number): Told {
    const wallet = this.#holders[0]
    const { emitted, balances } = this.#curveTrade(coin, wallet, 200_000_000_000n, timestamp)
    if (coin.realBase > 0n) return { emitted, balances }
    const completed = pump(COMPLETE_EVENT, {
      user: wallet,
      mint: coin.mint,
      bonding_curve: curveOf(coin.mint),
      timestamp: BigInt(timestamp),
    })
    return { emitted: [...emitted, completed], balances }
  }

  #migrate(coin: Coin, timestamp: number): Told {
    const pool = poolOf(coin.mint)
    coin.pool = pool
    this.#openAccount(pool, coin.mint)
    coin.poolBase = 206_900_000_000_000n
    coin.poolQuote = 84_990_360_000n
    const times = { timestamp: BigInt(timestamp) }
    const migrated = pump(COMPLETE_PUMP_AMM_MIGRATION_EVENT, {
      ...times,
      user: this.#holders[1],
      mint: coin.mint,
      mint_amount: coin.poolBase,
      sol_amount: coin.poolQuote,
      bonding_curve: curveOf(coin.mint),
      pool,
    })
    const opened = amm(CREATE_POOL_EVENT, {
      ...times,
      base_mint: coin.mint,
      quote_mint: WRAPPED_SOL_MINT,
      pool_base_amount: coin.poolBase,
      pool_quote_amount: coin.poolQuote,
      pool,
    })
    return { emitted: [opened, migrated], balances: [] }
  }

  #poolTrades(coin: Coin, timestamp: number): Told {
    const wallet = this.#random.pick(this.#holders)
    const held = this.#balance(wallet, coin.mint)
    const isBuy = held === 0n || this.#random.chance(0.5)
    const base = isBuy ? coin.poolBase / BigInt(this.#random.between(200, 5_000)) : held
    const pool = coin.pool ?? ''
    const effective = coin.poolQuote + EFFECTIVE_EXTRA
    const quote = isBuy
      ? (effective * base) / (coin.poolBase - base) + 1n
      : (effective * base) / (coin.poolBase + base)
    const common = {
      timestamp: BigInt(timestamp),
      pool,
      user: wallet,
      user_base_token_reserves: held,
      pool_base_token_reserves: coin.poolBase,
      pool_quote_token_reserves: coin.poolQuote,
      lp_fee: feeOf(quote, 2n),
      protocol_fee: feeOf(quote, 93n),
      coin_creator_fee: feeOf(quote, 30n),
      virtual_quote_reserves: EFFECTIVE_EXTRA,
      base_supply: SUPPLY,
    }
    const balances = [
      this.#move(wallet, coin.mint, isBuy ? base : -base),
      ...[coin.mint, WRAPPED_SOL_MINT].map((mint) => ({
        owner: pool,
        mint,
        beforeRaw: 1n,
        afterRaw: 2n,
      })),
    ]
    if (isBuy) {
      const paid = quote + feeOf(quote, 2n)
      coin.poolBase -= base
      coin.poolQuote += paid
      const buy = {
        base_amount_out: base,
        quote_amount_in: quote,
        quote_amount_in_with_lp_fee: paid,
      }
      return { emitted: [amm(BUY_EVENT, { ...common, ...buy })], balances }
    }
    const out = quote - feeOf(quote, 2n)
    coin.poolBase += base
    coin.poolQuote -= out
    const sell = {
      base_amount_in: base,
      quote_amount_out: quote,
      quote_amount_out_without_lp_fee: out,
    }
    return { emitted: [amm(SELL_EVENT, { ...common, ...sell })], balances }
  }

  /** A pool from before the chain begins: only its account says what it trades. */
  #addOldPool(): void {
    const mint = this.address()
    const pool = poolOf(mint)
    this.#coins.push({
      ...{ mint, creator: this.#holders[2], pool },
      ...{ virtualBase: 0n, virtualQuote: 0n, realBase: 0n, realQuote: 0n },
      ...{ poolBase: 150_000_000_000_000n, poolQuote: 120_000_000_000n },
    })
    this.#openAccount(pool, mint)
  }

  #openAccount(pool: string, mint: string): void {
    this.accounts.set(pool, poolAccount(mint))
  }

  #balance(wallet: string, mint: string): bigint {
    return this.#held.get(`${wallet} ${mint}`) ?? 0n
  }

  #move(wallet: string, mint: string, change: bigint): TokenBalanceChange {
    const beforeRaw = this.#balance(wallet, mint)
    this.#held.set(`${wallet} ${mint}`, beforeRaw + change)
    return { owner: wallet, mint, beforeRaw, afterRaw: beforeRaw + change }
  }
}
