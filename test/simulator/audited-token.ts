import type { Reserves, TokenCreated } from '../../src/events/event.ts'
import { Quote, USDC_MINT } from '../../src/events/platform.ts'
import { Flag } from '../../src/events/swap-record.ts'
import { auditFees } from './audited-fees.ts'
import { AuditedLedger } from './audited-ledger.ts'
import { auditReserves, type Pot } from './audited-reserves.ts'
import type { AuditedSwap } from './audited-swap.ts'
import { must } from './must.ts'

const AGENT = 'BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s'
const INITIAL_BASE = 1_073_000_000_000_000n
const INITIAL_REAL_BASE = 793_100_000_000_000n
const POOL_BASE = 206_900_000_000_000n
const SUPPLY = 1_000_000_000_000_000n
const AGENT_SUPPLY = 1_000_000_000_000_000n

/** One token as the platform's rules have it, in BigInt. */
export class AuditedToken {
  readonly created: TokenCreated
  readonly quote: 'sol' | 'usdc' | 'coin'
  readonly ledger = new AuditedLedger()
  lastWasAgent = false
  trades = 0
  isCashback = false
  isMigrated = false
  /** The completing buy went on. */
  wentOn = false
  #isComplete = false
  #isOpen = false
  /** Transaction and signer of the last swap. */
  #last = ''
  #pool: string
  readonly #pot: Pot
  readonly #quoteToken: AuditedToken | undefined

  constructor(event: TokenCreated, quoteToken: AuditedToken | undefined) {
    this.created = event
    this.#quoteToken = quoteToken
    this.quote = quoteToken !== undefined ? 'coin' : event.quoteMint === USDC_MINT ? 'usdc' : 'sol'
    this.#pot = {
      ...{ base: event.virtualBaseRaw, quote: event.virtualQuoteRaw },
      ...{ realBase: event.realBaseRaw, offset: event.virtualQuoteRaw },
      supply: event.isMayhemMode ? SUPPLY + AGENT_SUPPLY : SUPPLY,
    }
    this.#pool = event.bondingCurve
    must(
      this.#pot.base === INITIAL_BASE && this.#pot.realBase === INITIAL_REAL_BASE,
      'initial base',
    )
    must(this.#pot.quote === this.#launchQuote(), 'initial quote')
    must(quoteToken === undefined || quoteToken.quote !== 'coin', 'quoted deeper than one coin')
    must((event.quoteDecimals === 6) === (this.quote === 'coin'), 'decimals of the quote')
  }

  get isMayhem(): boolean {
    return this.created.isMayhemMode
  }

  get poolQuoteRaw(): bigint {
    return this.#pot.quote
  }

  #launchQuote(): bigint {
    if (this.quote === 'usdc') return 4_292_000_000n
    const quoteToken = this.#quoteToken
    if (quoteToken === undefined) return 30_000_000_000n
    const worth = quoteToken.quote === 'usdc' ? 4_292_000_000n : 30_000_000_000n
    return (worth * quoteToken.#pot.base) / quoteToken.#pot.quote
  }

  complete(): void {
    const pot = this.#pot
    must(pot.realBase === 0n && !this.#isComplete, 'complete without the last base')
    this.#isComplete = true
    const fee = { sol: 15_000_001n, usdc: 2_150_000n, coin: 0n }[this.quote]
    pot.base = POOL_BASE
    pot.quote -= pot.offset + fee
    pot.offset = pot.quote
    must(pot.quote > 0n, 'a pool without quote')
    if (this.quote !== 'sol' || this.isMayhem) return
    // 84.99036 SOL and whatever rounding left in the curve, some lamports a trade.
    const excess = pot.quote - 84_990_359_056n
    must(excess >= 0n && excess < 10_000n, `pool of ${pot.quote}`)
  }

  /** An event `reserves`. */
  reserves(event: Reserves): void {
    must(
      event.source === (this.isMigrated || this.#isOpen ? 'pump_amm' : 'pump') ||
        event.reason === 'pool_opened',
      'source',
    )
    if (event.reason === 'pool_opened') this.#open()
    else {
      must(this.#isComplete === this.isMigrated, 'reserves that move between curve and pool')
      if (event.reason === 'mayhem') must(this.isMayhem && !this.isMigrated, 'mayhem')
      else must(this.isMigrated || event.reason === 'burn', 'moves of a pool')
      this.ledger.out -= auditReserves(event, this.#pot)
    }
    const { base, quote, realBase, offset, supply } = this.#pot
    must(event.virtualBaseRaw === base && event.virtualQuoteRaw === quote, 'reserves told')
    must(event.realBaseRaw === realBase && event.realQuoteRaw === quote - offset, 'real ones told')
    must((event.supplyRaw ?? SUPPLY) === supply, 'supply told')
  }

  #open(): void {
    must(this.#isComplete && !this.isMigrated && !this.#isOpen, 'a pool before its time')
    this.#isOpen = true
    this.#pot.realBase = this.#pot.base
    this.#pot.offset = 0n
  }

  migrate(pool: string): void {
    must(this.#isOpen && !this.isMigrated, 'migrated without a pool')
    this.isMigrated = true
    this.#pool = pool
  }

  swap(swap: AuditedSwap): void {
    const pot = this.#pot
    const isSell = (swap.flags & Flag.sell) !== 0
    this.#told(swap)
    this.lastWasAgent = swap.signer === AGENT
    if (this.#isComplete && !this.isMigrated) this.#goesOn(swap)
    if (swap.cashback > 0n) this.isCashback = true
    const liquidityFee = auditFees(swap, {
      ...{ quote: this.quote, isAmm: this.isMigrated, isAgent: this.lastWasAgent },
      ...{ isCashback: this.isCashback, base: pot.base, quoteRaw: pot.quote, supply: pot.supply },
    })
    if (isSell) this.#sell(swap, liquidityFee)
    else this.#buy(swap, liquidityFee)
    this.#last = lastOf(swap)
    must(swap.virtualBase === pot.base && swap.virtualQuote === pot.quote, 'reserves')
    must(swap.realBase === pot.realBase && pot.realBase >= 0n, 'real base')
    must(swap.realQuote === pot.quote - pot.offset && pot.quote >= pot.offset, 'real quote')
    this.trades++
  }

  /** What a swap tells of its token whichever way it goes. */
  #told(swap: AuditedSwap): void {
    must(swap.pool === this.#pool, 'pool')
    must(swap.base > 0n && swap.quote > 0n, 'amounts above zero')
    must(((swap.flags & Flag.amm) !== 0) === this.isMigrated, 'AMM flag')
    const { supply } = this.#pot
    must(((swap.flags & Flag.supplyGiven) !== 0) === (supply !== SUPPLY), 'supply flag')
    must(supply === SUPPLY || swap.supply === supply, 'supply')
    must(swap.toldQuote === { sol: -1, usdc: Quote.usdc, coin: Quote.other }[this.quote], 'quote')
    must(swap.quoteMint === (this.created.quoteMint ?? ''), 'quote mint')
  }

  /** The rest of a completing buy: by the same signer in the same transaction, once, and paid to the curve. */
  #goesOn(swap: AuditedSwap): void {
    must(
      !this.isMayhem && !this.wentOn && this.#last === lastOf(swap),
      'a trade between curve and pool',
    )
    must((swap.flags & Flag.sell) === 0, 'a sell between curve and pool')
    this.wentOn = true
  }

  #buy(swap: AuditedSwap, liquidityFee: bigint): void {
    const pot = this.#pot
    const isOnCurve = !this.#isComplete
    const exact = (pot.base * swap.quote) / (pot.quote + swap.quote)
    if (isOnCurve && swap.base === pot.realBase) {
      const left = pot.base - swap.base
      must(swap.quote === (pot.quote * swap.base + left - 1n) / left, 'price of the rest')
    } else must(swap.base === exact, 'base bought')
    pot.base -= swap.base
    if (isOnCurve || this.isMigrated) pot.realBase -= swap.base
    pot.quote += swap.quote + liquidityFee
    if (this.#isComplete && !this.isMigrated) pot.offset = pot.quote
    this.ledger.out += swap.base
    if (this.#isMiddle(swap)) this.ledger.send(swap.signer, swap.base)
    else this.#bought(swap)
    const quoted = this.#quoteToken?.ledger
    const paid = swap.quote + feesOf(swap)
    if (quoted === undefined) return
    if (swap.route === 0) quoted.addUntold(swap.signer, -paid)
    else quoted.locked += paid + quoted.receive(swap.signer, paid)
  }

  #bought(swap: AuditedSwap): void {
    const before = this.ledger.of(swap.signer)
    if ((swap.flags & Flag.balanceBeforeGiven) !== 0)
      must(swap.balanceBefore === before && swap.balanceAfter === before + swap.base, 'balances')
    this.ledger.add(swap.signer, swap.base)
  }

  #sell(swap: AuditedSwap, liquidityFee: bigint): void {
    const pot = this.#pot
    must(swap.quote === (pot.quote * swap.base) / (pot.base + swap.base), 'quote fetched')
    pot.base += swap.base
    pot.realBase += swap.base
    pot.quote += liquidityFee - swap.quote
    this.ledger.out -= swap.base
    if (this.#isMiddle(swap)) must(this.ledger.receive(swap.signer, swap.base) === 0n, 'dust')
    else this.ledger.add(swap.signer, -swap.base)
    const quoted = this.#quoteToken?.ledger
    const fetched = swap.quote - feesOf(swap)
    if (quoted === undefined) return
    if (swap.route === 0) quoted.addUntold(swap.signer, fetched)
    else {
      quoted.locked -= fetched
      quoted.send(swap.signer, fetched)
    }
  }

  /** The coin in the middle of a route; the hop's number follows from its direction. */
  #isMiddle(swap: AuditedSwap): boolean {
    if (swap.route === 0) return false
    const isFirst = ((swap.flags & Flag.sell) !== 0) === (this.quote === 'coin')
    must(swap.route === (isFirst ? 1 : 2), 'number of the hop')
    return this.quote !== 'coin'
  }

  /** At the end of a transaction: what was minted is in reserves, held, locked or burned. */
  close(): void {
    const { supply, base, realBase } = this.#pot
    const inReserves = this.#isComplete ? base : realBase + POOL_BASE
    const agent = this.isMayhem ? AGENT_SUPPLY : 0n
    must(supply - agent === inReserves + this.ledger.out, 'supply')
    this.ledger.close()
  }
}

function feesOf(swap: AuditedSwap): bigint {
  return swap.platformFee + swap.creatorFee + swap.cashback + swap.liquidityFee
}

function lastOf({ slot, txIndex, signer }: AuditedSwap): string {
  return `${slot} ${txIndex} ${signer}`
}
