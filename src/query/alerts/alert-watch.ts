/**
 * Finds what alert rules look for: docs/alerts.md. In come the facts of an engine, live or while the journal is folded
 * again, out go `FoundAlert`s, each with the seq of the event that it was found at. Wallets, migrations and launches are
 * looked up by map at each fact; rules on tokens are compared at the moments of the engine (token-rules.ts). All of it
 * depends on the events and their order alone, so that a restart or a replica finds the same at the same seq.
 */

import { isHistoryDamage } from '../../base/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { MOMENT_EVENTS, NOTHING_LATER } from '../../engine/event-acceptor.ts'
import { growingPart, type MemoryPart } from '../../engine/memory/state-part.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import { walletOf } from '../../events/swap-record.ts'
import type { AlertEvent, AlertRule, FoundAlert } from '../../protocol/alerts.ts'
import { WalletLabels } from '../../protocol/wallet-labels.ts'
import { Announcement } from '../json/engine-live.ts'
import { TapeTrade } from '../json/swap-reader.ts'
import { type Flip, isTokenRule, type Moment, type TokenRule, TokenRules } from './token-rules.ts'
import { TokenSet } from './token-set.ts'

/** A read of all tokens for a new rule holds the loop for this long at a time. */
const SLICE_MS = 4
/** What is known of a wallet row. */
const Followed = { unknown: 0, no: 1, yes: 2 } as const

/** Up to where events were looked at. */
export interface AlertPosition {
  /** Every fact up to this seq was looked at. */
  readonly seq: number
  /** Seq of the last round over tokens, and its second. */
  readonly roundSeq: number
  readonly second: number
}

/** A rule's tokens, as they are stored: pages, and what changed behind them (`TokenSet.takeFlips`). */
export interface StoredTokens {
  readonly pages: ReadonlyMap<number, Uint8Array>
  readonly flips: readonly number[]
}

interface WatchedTokens {
  readonly rule: TokenRule
  readonly has: TokenSet
  /** It looks at events behind this seq. */
  readonly since: number
  /** History that its filter asks for could not be read: all tokens are compared at the next moment. */
  isBehind: boolean
}

export class AlertWatch {
  readonly #onFound: (found: FoundAlert) => void
  readonly #rules = new Map<string, { readonly rule: AlertRule; readonly since: number }>()
  readonly #tokens = new Map<string, WatchedTokens>()
  /** Rules by address. */
  readonly #byWallet = new Map<string, AlertRule[]>()
  readonly #byCreator = new Map<string, AlertRule[]>()
  #migrations: AlertRule[] = []
  #followed = new Uint8Array(0)
  #engine: Engine
  readonly #labels: WalletLabels
  #parts: ReturnType<typeof partsOf>
  #ends: (() => void)[] = []
  /** Facts up to it were looked at before. */
  #from: AlertPosition = { seq: 0, roundSeq: 0, second: 0 }
  #settledSeq = 0
  #roundSeq = 0
  #second = 0
  /** Part of the next alert of a rule at this seq. */
  readonly #partsAt = new Map<string, { seq: number; part: number }>()

  constructor(engine: Engine, onFound: (found: FoundAlert) => void, labels = new WalletLabels()) {
    this.#engine = engine
    this.#labels = labels
    this.#parts = partsOf(engine, this.#labels)
    this.#onFound = onFound
  }

  get memory(): MemoryPart {
    const sets = [...this.#tokens.values()].reduce((sum, { has }) => sum + has.bytes, 0)
    const bytes = this.#parts.tokens.bytes + sets + this.#followed.byteLength
    return growingPart('alerts', { bytes })
  }

  get position(): AlertPosition {
    if (!this.#engine.areFactsWaiting) this.#settledSeq = this.#engine.seq
    const seq = Math.max(this.#from.seq, this.#settledSeq)
    return { seq, roundSeq: this.#roundSeq, second: this.#second }
  }

  /** Begins to look at the facts of an engine behind a position. */
  begin(engine: Engine, from: AlertPosition): void {
    this.stop()
    this.#engine = engine
    this.#parts = partsOf(engine, this.#labels)
    this.#from = from
    this.#settledSeq = from.seq
    this.#roundSeq = from.roundSeq
    this.#second = from.second
    // Everything was compared, or begins with what is there now.
    if (from.roundSeq === engine.seq) this.#parts.tokens.passed()
    this.#index()
    this.#ends = [
      engine.facts.on('trade', (index, later) => this.#traded(index, later)),
      engine.facts.on('created', (token) => this.#launched(token)),
      engine.facts.on('migration', (token) => this.#migrated(token)),
      engine.facts.on('moment', (second) => this.#compareAt(second)),
    ]
  }

  stop(): void {
    for (const end of this.#ends) end()
    this.#ends = []
  }

  has(rule: string): boolean {
    return this.#rules.has(rule)
  }

  /** Reads in slices what a new rule compares, so that `add` holds nobody up. */
  async load(rule: AlertRule): Promise<void> {
    if (isTokenRule(rule))
      await this.#parts.tokens.load(rule, SLICE_MS, () => new Promise(setImmediate))
  }

  /** Adds a rule, or puts it in the place of one with its id; `stored`: the tokens that it had, null: those of now. */
  add(rule: AlertRule, stored: StoredTokens | null, since = this.#engine.seq): void {
    this.remove(rule.id)
    if (!rule.enabled) return
    this.#rules.set(rule.id, { rule, since })
    if (isTokenRule(rule)) {
      const has = new TokenSet()
      for (const [page, bits] of stored?.pages ?? []) has.load(page, bits)
      has.flipAgain(stored?.flips ?? [])
      if (stored === null) this.#parts.tokens.compare(rule, has, null)
      this.#tokens.set(rule.id, { rule, has, since, isBehind: false })
    }
    this.#index()
  }

  remove(id: string): void {
    this.#tokens.delete(id)
    if (this.#rules.delete(id)) this.#index()
  }

  /** Compares tokens though no later second has begun: after the last event of a while. */
  quiet(): void {
    const { seq } = this.#engine
    if (seq <= this.#roundSeq || this.#engine.areFactsWaiting) return
    this.#round(this.#second)
  }

  /** What changed in the rules' tokens since the last call, with a rule that is `whole` as all pages that changed. */
  *takeChanged(isWhole: (rule: string) => boolean): Generator<[string, StoredTokens, boolean]> {
    for (const [rule, { has }] of this.#tokens) {
      const flips = isWhole(rule) ? null : has.takeFlips()
      if (flips === null) yield [rule, { pages: new Map(has.takeChanged()), flips: [] }, true]
      else if (flips.length > 0) yield [rule, { pages: new Map(), flips }, false]
    }
  }

  #index(): void {
    this.#byWallet.clear()
    this.#byCreator.clear()
    this.#migrations = []
    this.#followed = new Uint8Array(0)
    this.#parts.tokens.follow([...this.#tokens.values()].map(({ rule }) => rule))
    for (const { rule } of this.#rules.values()) {
      const { when } = rule
      if (when.kind === 'migration') this.#migrations.push(rule)
      if (when.kind === 'wallet')
        for (const wallet of when.wallets) put(this.#byWallet, wallet, rule)
      if (when.kind === 'launch') for (const one of when.creators) put(this.#byCreator, one, rule)
    }
  }

  #isPassed(): boolean {
    return this.#engine.seq <= this.#from.seq
  }

  #traded(index: number, later = NOTHING_LATER): void {
    if (this.#byWallet.size === 0 || this.#isPassed()) return
    const { tape } = this.#engine.state
    const wallet = walletOf(tape.u32Of(index), tape.at(index))
    if (!this.#isFollowed(wallet)) return
    const trade = this.#parts.trade.at(index, later)
    for (const rule of this.#byWallet.get(trade.wallet) ?? [])
      this.#found(rule, trade.timestamp, 'wallet_traded', trade.data(false))
  }

  /** By its row: the text of a wallet is made once. */
  #isFollowed(wallet: number): boolean {
    if (wallet >= this.#followed.length) {
      const wider = new Uint8Array(Math.max(wallet + 1, this.#followed.length * 2))
      wider.set(this.#followed)
      this.#followed = wider
    }
    if (this.#followed[wallet] === Followed.unknown) {
      const isFollowed = this.#byWallet.has(this.#engine.state.book.walletText(wallet))
      this.#followed[wallet] = isFollowed ? Followed.yes : Followed.no
    }
    return this.#followed[wallet] === Followed.yes
  }

  #launched(token: number): void {
    if (this.#byCreator.size === 0 || this.#isPassed()) return
    const { creator, createdAt } = this.#parts.reader.at(token)
    for (const rule of this.#byCreator.get(creator) ?? []) {
      const { launch } = this.#parts
      this.#found(rule, createdAt, 'token_launched', launch.at('new_launched_pool', token).data())
    }
  }

  #migrated(token: number): void {
    if (this.#migrations.length === 0 || this.#isPassed()) return
    const { mint, migratedAt } = this.#parts.reader.at(token)
    for (const rule of this.#migrations) {
      if (rule.when.kind === 'migration' && (rule.when.mint ?? mint) !== mint) continue
      const { launch } = this.#parts
      this.#found(
        rule,
        migratedAt ?? 0,
        'token_migrated',
        launch.at('mint_migration', token).data(),
      )
    }
  }

  #compareAt(second: number): void {
    const { seq } = this.#engine
    // What was compared before the stop is not compared again; what comes behind it is in the log of changes from here on.
    if (seq <= this.#from.roundSeq) this.#parts.tokens.passed()
    if (this.#isPassed()) return
    // An engine that was restored tells its first moment too early.
    const isLater = second > this.#second
    if (!isLater && momentOf(seq) === momentOf(this.#roundSeq)) return
    const before = this.#second
    this.#second = Math.max(before, second)
    this.#round(before)
  }

  #round(before: number): void {
    const { seq } = this.#engine
    const { tokens } = this.#parts
    this.#roundSeq = seq
    if (this.#tokens.size === 0) {
      tokens.passed()
      return
    }
    const moment = tokens.look(before, this.#second)
    for (const watched of this.#tokens.values()) {
      const { rule, since } = watched
      if (seq <= since) continue
      for (const flip of this.#flipsOf(watched, moment)) {
        const event = eventOf(rule, flip.isIn)
        const isUnknown = rule.when.kind !== 'filter' && tokens.isFirstSight(flip.token, before)
        if (event !== null && !isUnknown)
          this.#found(rule, this.#second, event, tokens.dataOf(rule, flip))
      }
    }
  }

  /** A rule whose filter asks for what the disk does not give holds up neither the fold nor other rules. */
  #flipsOf(watched: WatchedTokens, moment: Moment): readonly Flip[] {
    const { rule, has, isBehind } = watched
    try {
      const flips = this.#parts.tokens.compare(rule, has, isBehind ? null : moment)
      watched.isBehind = false
      return this.#byMint(flips)
    } catch (error) {
      if (!isHistoryDamage(error)) throw error
      watched.isBehind = true
      return []
    }
  }

  /** The numbers of tokens follow the batches of a feed, on which no answer may depend. */
  #byMint(flips: readonly Flip[]): readonly Flip[] {
    if (flips.length < 2) return flips
    const { book } = this.#engine.state
    const named = flips.map((flip) => ({ flip, mint: book.mintOf(flip.token) }))
    named.sort((a, b) => (a.mint < b.mint ? -1 : 1))
    return named.map(({ flip }) => flip)
  }

  #found(rule: AlertRule, timestamp: number, event: AlertEvent, data: string): void {
    const { seq } = this.#engine
    if (seq <= (this.#rules.get(rule.id)?.since ?? seq)) return
    const at = this.#partsAt.get(rule.id)
    const part = at?.seq === seq ? at.part : 0
    this.#partsAt.set(rule.id, { seq, part: part + 1 })
    this.#onFound({ rule: rule.id, seq, part, timestamp, event, data })
  }
}

/** What reads an engine for alerts. */
function partsOf(engine: Engine, labels: WalletLabels) {
  return {
    trade: new TapeTrade(engine),
    launch: new Announcement(engine),
    reader: new TokenReader(engine.state, engine.top, engine.links),
    tokens: new TokenRules(engine, labels),
  }
}

function put(rules: Map<string, AlertRule[]>, key: string, rule: AlertRule): void {
  const of = rules.get(key)
  if (of === undefined) rules.set(key, [rule])
  else of.push(rule)
}

function momentOf(seq: number): number {
  return Math.floor(seq / MOMENT_EVENTS)
}

/** Null: the rule does not ask for this way. */
function eventOf({ when }: TokenRule, isIn: boolean): AlertEvent | null {
  if (when.kind === 'filter') {
    const isAsked = when.change === 'either' || (when.change === 'enter') === isIn
    return isAsked ? (isIn ? 'filter_entered' : 'filter_left') : null
  }
  if (when.direction !== 'either' && (when.direction === 'up') !== isIn) return null
  return when.kind === 'price' ? 'price_crossed' : 'market_cap_crossed'
}
