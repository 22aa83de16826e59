import type { Engine } from '../engine/engine.ts'
import { TokenReader } from '../engine/read/token-reader.ts'
import { TokenLane, WalletLane } from '../engine/state/layout.ts'
import { poolOf, SwapLane, walletOf } from '../events/swap-record.ts'
import { jsonString, timeText } from '../protocol/json-text.ts'
import type { AnnouncedChannel, EventMessage } from '../protocol/live-frames.ts'
import type { LiveSource, Trade } from '../protocol/streams.ts'
import { swapExtras } from './json/extra-json.ts'
import { swapFields } from './json/swap-json.ts'
import { tokenJson } from './json/token-json.ts'

/** The engine's facts as messages of the live feed. */
export class EngineLive implements LiveSource {
  readonly #engine: Engine
  readonly #listeners: (() => void)[] = []

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Begins to publish: after the recovery, whose events were published before the stop. */
  attach(): void {
    for (const listen of this.#listeners) listen()
    this.#listeners.length = 0
  }

  onTrade(listener: (trade: Trade) => void): void {
    const trade = new TapeTrade(this.#engine)
    this.#listeners.push(() => this.#engine.facts.on('trade', (index) => listener(trade.at(index))))
  }

  onAnnounced(listener: (channel: AnnouncedChannel, message: EventMessage) => void): void {
    const { facts } = this.#engine
    const announced = new Announcement(this.#engine)
    const listen = (channel: AnnouncedChannel) => (token: number) =>
      listener(channel, announced.at(channel, token))
    this.#listeners.push(() => {
      facts.on('created', listen('new_launched_pool'))
      facts.on('migration', listen('mint_migration'))
    })
  }

  onRepriced(listener: (mint: string) => void): void {
    const { facts, state } = this.#engine
    this.#listeners.push(() => facts.on('repriced', (token) => listener(state.book.mintOf(token))))
  }
}

/** A trade of the tape; its numbers are counts of the state, which holds it already. */
export class TapeTrade implements Trade {
  readonly #engine: Engine
  #index = 0
  /** Its swap without the last bracket; empty: not written yet. */
  #fields = ''

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Stands on record `index` of the tape. */
  at(index: number): this {
    this.#index = index
    this.#fields = ''
    return this
  }

  get mint(): string {
    return this.#engine.state.book.mintOf(this.#lane(SwapLane.token))
  }

  get pool(): string {
    const { book, tape } = this.#engine.state
    return jsonString(book.text(poolOf(tape.u32Of(this.#index), tape.at(this.#index))))
  }

  data(extra: boolean): string {
    const { state } = this.#engine
    if (this.#fields === '') this.#fields = swapFields(state, this.#index)
    return extra ? `${this.#fields}${swapExtras(state, this.#index)}}` : `${this.#fields}}`
  }

  get seq(): number {
    return this.#engine.state.tokens.get(this.#lane(SwapLane.token), TokenLane.swaps)
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
    return this.#engine.state.wallets.get(this.#walletRow, WalletLane.trades)
  }

  get tradeSeq(): number {
    return this.#engine.counts.swaps
  }

  get #walletRow(): number {
    const { tape } = this.#engine.state
    return walletOf(tape.u32Of(this.#index), tape.at(this.#index))
  }

  #lane(lane: number): number {
    const { tape } = this.#engine.state
    return tape.u32Of(this.#index)[tape.at(this.#index) + lane]
  }
}

/** The launch or the migration of a token. */
export class Announcement implements EventMessage {
  readonly #token: TokenReader
  #channel: AnnouncedChannel = 'new_launched_pool'

  constructor(engine: Engine) {
    this.#token = new TokenReader(engine.state, engine.top, engine.links)
  }

  /** Stands on a token; for `mint_migration` it has migrated. */
  at(channel: AnnouncedChannel, token: number): this {
    this.#channel = channel
    this.#token.at(token)
    return this
  }

  get pool(): string | null {
    return this.#channel === 'mint_migration' ? null : jsonString(this.#token.pool)
  }

  get ordinal(): null {
    return null
  }

  data(): string {
    const token = this.#token
    if (this.#channel === 'new_launched_pool') return tokenJson(token, 'search')
    return (
      `{"signature":${jsonString(token.migrationSignature ?? '')}` +
      `,"timestamp":"${timeText(token.migratedAt ?? 0)}"` +
      `,"bonding_curve":${jsonString(token.bondingCurve)},"mint":${jsonString(token.mint)}` +
      `,"pool_amm":${jsonString(token.poolAmm)}}`
    )
  }
}
