import type { Engine } from '../engine/engine.ts'
import { TokenReader } from '../engine/read/token-reader.ts'
import { tokenLane, walletLane } from '../engine/state/lanes.ts'
import { TokenLane, WalletLane } from '../engine/state/layout.ts'
import { SwapLane, walletOf } from '../events/swap-record.ts'
import { jsonString, timeText } from '../protocol/json-text.ts'
import type { LiveSource } from '../protocol/queries.ts'
import type { TradeInfo } from '../protocol/streams.ts'
import { swapExtras } from './json/extra-json.ts'
import { mintOfSwap, poolOfSwap, swapJson } from './json/swap-json.ts'
import { tokenJson } from './json/token-json.ts'

/** The channels of the live feed, straight out of the engine's facts. */
export class EngineLive implements LiveSource {
  readonly #engine: Engine
  readonly #token: TokenReader
  readonly #listeners: (() => void)[] = []

  constructor(engine: Engine) {
    this.#engine = engine
    this.#token = new TokenReader(engine.state, engine.top, engine.links)
  }

  /** Begins to publish: after the recovery, whose events were published before. */
  attach(): void {
    for (const listen of this.#listeners) listen()
    this.#listeners.length = 0
  }

  onTrade(
    wanted: (mint: string, trade: TradeInfo) => boolean,
    publish: (mint: string, message: string, trade: TradeInfo) => void,
  ): void {
    const { facts, state } = this.#engine
    const trade = new CurrentTrade(this.#engine)
    const publishTrade = (index: number) => {
      const mint = mintOfSwap(state, index)
      trade.index = index
      if (wanted(mint, trade)) publish(mint, this.tradeMessage(index), trade)
    }
    this.#listeners.push(() => facts.on('trade', publishTrade))
  }

  onMigration(publish: (message: string) => void): void {
    const publishToken = (token: number) => publish(this.migrationMessage(token))
    this.#listeners.push(() => this.#engine.facts.on('migration', publishToken))
  }

  onLaunch(wanted: () => boolean, publish: (message: string) => void): void {
    const publishToken = (token: number) => {
      if (wanted()) publish(this.launchMessage(token))
    }
    this.#listeners.push(() => this.#engine.facts.on('created', publishToken))
  }

  onRepriced(told: (mint: string) => void): void {
    const { facts, state } = this.#engine
    this.#listeners.push(() => facts.on('repriced', (token) => told(state.book.mintOf(token))))
  }

  /** The `update_mint_info` envelope of record `index` of the tape; with `extra` its additive keys too. */
  tradeMessage(index: number, extra = false): string {
    const { state } = this.#engine
    const pool = jsonString(poolOfSwap(state, index))
    return `{"channel":"update_mint_info","pool":${pool},"data":${swapJson(state, index, extra)}}`
  }

  /** The `new_launched_pool` envelope of a token. */
  launchMessage(token: number): string {
    const reader = this.#token.at(token)
    const pool = jsonString(reader.pool)
    return `{"channel":"new_launched_pool","pool":${pool},"data":${tokenJson(reader, 'search')}}`
  }

  /** The `mint_migration` envelope of a migrated token. */
  migrationMessage(token: number): string {
    const reader = this.#token.at(token)
    const data =
      `{"signature":${jsonString(reader.migrationSignature ?? '')}` +
      `,"timestamp":"${timeText(reader.migratedAt ?? 0)}"` +
      `,"bonding_curve":${jsonString(reader.bondingCurve)},"mint":${jsonString(reader.mint)}` +
      `,"pool_amm":${jsonString(reader.poolAmm)}}`
    return `{"channel":"mint_migration","data":${data}}`
  }
}

/** The trade that is being published: its numbers are counts of the state, which has folded it already. */
class CurrentTrade implements TradeInfo {
  index = 0
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  get seq(): number {
    return tokenLane(this.#engine.state, this.#lane(SwapLane.token), TokenLane.swaps)
  }

  get ordinal(): number {
    return this.#lane(SwapLane.ordinal)
  }

  get timestamp(): number {
    return this.#lane(SwapLane.timestamp)
  }

  get wallet(): string {
    return this.#engine.state.book.walletText(this.#walletRow)
  }

  get walletSeq(): number {
    return walletLane(this.#engine.state, this.#walletRow, WalletLane.trades)
  }

  get tradeSeq(): number {
    return this.#engine.counts.swaps
  }

  get extras(): string {
    return swapExtras(this.#engine.state, this.index)
  }

  get #walletRow(): number {
    const { tape } = this.#engine.state
    return walletOf(tape.u32Of(this.index), tape.at(this.index))
  }

  #lane(lane: number): number {
    const { tape } = this.#engine.state
    return tape.u32Of(this.index)[tape.at(this.index) + lane]
  }
}
