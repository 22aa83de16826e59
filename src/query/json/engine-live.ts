/** What the live feed tells of an engine: its trades, launches, migrations and alerts, to whoever listens. */

import type { Engine } from '../../engine/engine.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import type { LiveSource, Trade } from '../../protocol/queries.ts'
import { WalletLabels } from '../../protocol/wallet-labels.ts'
import {
  type AnnouncedChannel,
  type EventMessage,
  jsonString,
  timeText,
} from '../../protocol/wire.ts'
import { TapeTrade } from './swap-reader.ts'
import { tokenJson } from './token-json.ts'

/** The engine's facts as messages of the live feed. */
export class EngineLive implements LiveSource {
  #engine: Engine
  readonly #labels: WalletLabels
  /** Each begins to hear an engine; the answer ends that. */
  readonly #listeners: ((engine: Engine) => () => void)[] = []
  /** Ends of those that hear the engine. */
  #ends: (() => void)[] = []
  readonly #alertListeners: ((message: EventMessage, seq: number) => void)[] = []

  constructor(engine: Engine, labels = new WalletLabels()) {
    this.#engine = engine
    this.#labels = labels
  }

  /** Publishes the facts of another engine, once `attach` was called. */
  use(engine: Engine): void {
    for (const end of this.#ends) end()
    this.#ends = []
    this.#engine = engine
  }

  /** Begins to publish: after the recovery, whose events were published before the stop. */
  attach(): void {
    for (const listen of this.#listeners.slice(this.#ends.length))
      this.#ends.push(listen(this.#engine))
  }

  onTrade(listener: (trade: Trade) => void): void {
    this.#listeners.push((engine) => {
      return engine.facts.on('trade', new TapeTrade(engine, this.#labels).toldTo(listener))
    })
  }

  onAnnounced(listener: (channel: AnnouncedChannel, message: EventMessage) => void): void {
    this.#listeners.push((engine) => {
      const announced = new Announcement(engine)
      const listen = (channel: AnnouncedChannel) => (token: number) =>
        listener(channel, announced.at(channel, token))
      const ends = [
        engine.facts.on('created', listen('new_launched_pool')),
        engine.facts.on('migration', listen('mint_migration')),
      ]
      return () => {
        for (const end of ends) end()
      }
    })
  }

  onAlert(listener: (message: EventMessage, seq: number) => void): void {
    this.#alertListeners.push(listener)
  }

  /** Publishes an alert, which is JSON text. */
  alerted(body: string, seq: number): void {
    const message = { pool: null, ordinal: null, data: () => body }
    for (const listener of this.#alertListeners) listener(message, seq)
  }

  onRepriced(listener: (mint: string) => void): void {
    this.#listeners.push(({ facts, state }) =>
      facts.on('repriced', (token) => listener(state.book.mintOf(token))),
    )
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
