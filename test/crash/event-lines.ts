import type { Random } from '../../src/base/random.ts'
import { eventLineText, type FeedEvent, type Swap } from '../../src/events/event.ts'

const TOKENS = 12
const WALLETS = 40
const SOL = 1_000_000_000n
const START_BASE = 1_073_000_000_000_000n
const START_REAL_BASE = 793_100_000_000_000n
const TRADED_BASE = 1_000_000_000n

/** Events of a test's own, numbered, so that each is told from every other. */
export class EventLines {
  readonly #name: string
  readonly #random: Random
  /** Null: the lines tell no slot, and keep the order of their arrival. */
  #slot: number | null
  #number = 0

  /** `name` makes mints, wallets and signatures differ from those of other rounds. */
  constructor(name: string, random: Random, firstSlot: number | null) {
    this.#name = name
    this.#random = random
    this.#slot = firstSlot
  }

  get mints(): readonly string[] {
    return Array.from({ length: TOKENS }, (_, i) => `${this.#name}Mint${i}pump`)
  }

  get wallets(): readonly string[] {
    return Array.from({ length: WALLETS }, (_, i) => `${this.#name}Wallet${i}`)
  }

  /** Events so far. */
  get count(): number {
    return this.#number
  }

  /** The lines that make the tokens. */
  opening(): string {
    return this.#text(this.mints.flatMap((mint, i) => [this.#created(mint, i), this.#about(mint)]))
  }

  /** Lines of as many swaps, with an end of the curve in between now and then. */
  more(swaps: number): string {
    const events: FeedEvent[] = [{ type: 'sol_price', timestamp: now(), usd: this.#solPrice() }]
    this.#number += 1
    for (let i = 0; i < swaps; i++) events.push(this.#swap())
    if (this.#random.chance(0.1)) events.push(...this.#ending())
    return this.#text(events)
  }

  #text(events: readonly FeedEvent[]): string {
    return events.map((event) => `${eventLineText(event)}\n`).join('')
  }

  #place() {
    this.#number += 1
    if (this.#slot !== null && this.#random.chance(0.2)) this.#slot += 1
    const signature = `${this.#name}Signature${this.#number}`
    const txIndex = this.#slot === null ? null : this.#number
    return { slot: this.#slot, txIndex, ordinal: 0, signature, timestamp: now() }
  }

  #created(mint: string, i: number): FeedEvent {
    return {
      type: 'token_created',
      ...this.#place(),
      mint,
      name: `${this.#name} ${i}`,
      symbol: `S${i}`,
      uri: 'https://example.org/x.json',
      creator: this.wallets[i % WALLETS],
      bondingCurve: `${mint}Curve`,
      tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      isMayhemMode: false,
      virtualBaseRaw: START_BASE,
      virtualQuoteRaw: 30n * SOL,
      realBaseRaw: START_REAL_BASE,
    }
  }

  #about(mint: string): FeedEvent {
    this.#number += 1
    return { type: 'metadata', timestamp: now(), mint, twitter: `https://x.com/${mint}` }
  }

  #swap(): Swap {
    const mint = this.#random.pick(this.mints)
    const sold = BigInt(this.#random.between(1, 700_000)) * TRADED_BASE
    const quoteRaw = BigInt(this.#random.between(1, 2_000_000_000))
    return {
      type: 'swap',
      ...this.#place(),
      source: 'pump',
      mint,
      pool: `${mint}Curve`,
      signer: this.#random.pick(this.wallets),
      direction: this.#random.chance(0.6) ? 'buy' : 'sell',
      baseRaw: BigInt(this.#random.between(1, 1000)) * TRADED_BASE,
      quoteRaw,
      virtualBaseRaw: START_BASE - sold,
      virtualQuoteRaw: 30n * SOL + quoteRaw,
      realBaseRaw: START_REAL_BASE - sold,
      realQuoteRaw: quoteRaw,
      platformFeeRaw: quoteRaw / 100n,
      creatorFeeRaw: quoteRaw / 200n,
      solPriceUsd: this.#solPrice(),
    }
  }

  #ending(): FeedEvent[] {
    const mint = this.#random.pick(this.mints)
    const bondingCurve = `${mint}Curve`
    return [
      { type: 'completed', ...this.#place(), mint, bondingCurve },
      { type: 'migrated', ...this.#place(), mint, bondingCurve, poolAmm: `${mint}Pool` },
    ]
  }

  #solPrice(): number {
    return this.#random.between(10_000, 20_000) / 100
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
