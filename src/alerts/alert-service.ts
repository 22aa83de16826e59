/**
 * Alerts: rules, what they find, and how it is delivered (docs/alerts.md, docs/decisions/0049). In: facts of the engine by
 * way of `AlertWatch`, orders of the operator. Out: webhooks, and messages of the live channel.
 *
 * What was found in a turn of the loop is stored with the position behind it, then sent; so a kill loses none and repeats
 * some, with the same ids. While the journal is folded after a start, events behind the stored position are looked at
 * again; a snapshot waits until the position behind its events is on the disk (`sync`).
 */
import { existsSync } from 'node:fs'
import { messageOf } from '../base/errors.ts'
import { dnsResolver, type Network } from '../base/public-address.ts'
import type { Engine } from '../engine/engine.ts'
import type { MemoryPart } from '../engine/memory/state-part.ts'
import type { AlertRule, FoundAlert } from '../protocol/alerts.ts'
import type { WalletLabels } from '../protocol/wallet-labels.ts'
import { jsonString, timeText } from '../protocol/wire.ts'
import { type AlertPosition, AlertWatch, type StoredTokens } from '../query/alerts/alert-watch.ts'
import { readAlertsFile, ruleOf, storedRule } from './alert-rules.ts'
import { type AlertLog, Deliveries } from './deliveries.ts'
import { Outbox, type OutgoingAlert, type StoredRule } from './outbox.ts'
import { WebhookSender } from './webhook.ts'

/** Alerts that were found and cannot be stored: past it events are looked at no more until the next start. */
const UNSTORED_MAX = 50_000

export interface AlertServiceOptions {
  /** Where the outbox is; null: nothing is kept. */
  readonly path: string | null
  /** Rules of the user's; null: none. */
  readonly file: string | null
  readonly networks: readonly Network[]
  readonly retryMs: number
  readonly engine: Engine
  /** Of the user's file, by which a filter may ask for holders; none by default. */
  readonly labels?: WalletLabels
  /** Events that the journal has. */
  readonly journalSeq: () => number
  /** Takes the body of an alert for the live channel once it is stored, with its number there. */
  readonly publish: (body: string, n: number) => void
  readonly nowMs: () => number
  readonly log: AlertLog
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

const IN_RUN =
  'A run of events that fills a gap has not ended, and alerts of it are found at its end: there is no snapshot before.'
const NO_FOLDER = { foundEpoch: null, snapshotSeq: null }

/** A rule with where it came from. */
export interface KnownRule {
  readonly rule: AlertRule
  /** It stands in ALERTS_FILE, and is changed there alone. */
  readonly isOfFile: boolean
}

/** A change of the rules that the operator orders: the disk takes it first, and memory has it after that. */
interface RuleChange {
  readonly id: string
  /** Null: the rule is removed. */
  readonly stored: StoredRule | null
  /** The tokens that it begins with. */
  readonly tokens: StoredTokens
}

const NO_TOKENS: StoredTokens = { pages: new Map(), flips: [] }

/** Under this id, which no rule can have, a rule is compared before it is one. */
const TRIAL = ''

const ENDED =
  'Alerts ended when too many could not be stored: start anew, and they go on from there.'

interface Stores {
  readonly outbox: Outbox
  readonly deliveries: Deliveries
}

export class AlertService {
  readonly #options: AlertServiceOptions
  readonly rules = new Map<string, KnownRule>()
  readonly sender: WebhookSender
  #engine: Engine
  readonly #watch: AlertWatch
  #stores: Stores | null = null
  /** That of the events that are looked at. */
  #epoch = ''
  #isRecovered = false
  #unstored: OutgoingAlert[] = []
  readonly #newRules = new Map<string, StoredRule>()
  readonly #pages = new Map<string, readonly [string, number, Uint8Array]>()
  /** Rules whose changed pages are all among `#pages`, or stored; what changed behind them is in `#flips`. */
  readonly #whole = new Set<string>()
  readonly #flips = new Map<string, readonly number[]>()
  /** Counts the turns in which rules are made whole. */
  #wholeTurns = 0
  #delivered: number[] = []
  #isCommitDue = false
  #storedSeq = -1
  #lookedSeq = -1
  #foundCount = 0
  /** Where events ended to be looked at, since the disk refused for too long; null: they are. */
  #endedAt: AlertPosition | null = null
  /** Why nothing can be stored; null: it can. */
  #failure: string | null = null

  constructor(options: AlertServiceOptions) {
    this.#options = options
    this.#engine = options.engine
    this.#watch = new AlertWatch(options.engine, (found) => this.#take(found), options.labels)
    this.sender = new WebhookSender({
      networks: options.networks,
      resolve: options.resolve ?? dnsResolver(),
      nowSeconds: () => Math.floor(options.nowMs() / 1000),
    })
  }

  /** Null until there is a rule. */
  get outbox(): Outbox | null {
    return this.#stores?.outbox ?? null
  }

  get deliveries(): Deliveries | null {
    return this.#stores?.deliveries ?? null
  }

  /** Why alerts do not work as they should, in one sentence; null: they do. */
  get failure(): string | null {
    return this.#failure ?? (this.#endedAt === null ? null : ENDED)
  }

  get memory(): readonly MemoryPart[] {
    return this.#stores === null ? [] : [this.#watch.memory]
  }

  /**
   * Before the recovery: opens what is stored, and looks at the events behind the stored position as they are folded.
   * @throws StoreError when the outbox or a rule cannot be used
   */
  beginRecovery(): void {
    const { path, file, networks } = this.#options
    if (file === null && (path === null || !existsSync(path))) return
    const { outbox } = this.#open()
    this.#unstored = []
    for (const rule of file === null ? [] : readAlertsFile(file, networks))
      this.rules.set(rule.id, { rule, isOfFile: true })
    for (const stored of outbox.rules) {
      const rule = ruleOf(stored)
      if (!this.rules.has(rule.id)) this.rules.set(rule.id, { rule, isOfFile: false })
    }
    for (const id of outbox.known) if (!this.rules.has(id)) outbox.removeRule(id)
    const { position } = outbox
    if (position === null) return
    this.#epoch = position.epoch
    this.#watch.begin(this.#engine, position)
    for (const { rule } of this.rules.values()) {
      const tokens = outbox.tokensOf(rule.id, conditionOf(rule))
      if (tokens !== null) this.#watch.add(rule, tokens, 0)
    }
  }

  /**
   * After the recovery: what was found while events were folded again is stored, and events are looked at from now on.
   * @param found the epoch and the newest snapshot of the folder as it was before; absent: there is no folder
   */
  recovered(
    epoch: string,
    found: { readonly foundEpoch: string | null; readonly snapshotSeq: number | null } = NO_FOLDER,
  ): void {
    const { foundEpoch, snapshotSeq } = found
    const position = this.outbox?.position ?? null
    const isOfFolder = position !== null && position.epoch === foundEpoch
    if (!isOfFolder) this.#unstored = []
    else if ((snapshotSeq ?? 0) > position.journalSeq)
      this.#options.log.error(
        { fromSeq: position.journalSeq, toSeq: snapshotSeq },
        'alerts: the newest snapshot is of events that were not looked at, and never will be',
      )
    this.#epoch = epoch
    this.#isRecovered = true
    if (this.#stores === null) return
    const goesOn = isOfFolder && epoch === foundEpoch && this.#engine.seq >= position.seq
    if (goesOn) this.#addMissing()
    else this.#beginAnew()
    this.commit()
    for (const { rule } of this.rules.values()) this.deliveries?.begin(rule)
  }

  /** Another engine takes the place of the one before: what it has that the other had not is not looked at. */
  use(engine: Engine, epoch: string): void {
    this.#engine = engine
    this.#epoch = epoch
    if (this.#stores === null) return
    this.#beginAnew()
    this.commit()
  }

  /** Rules without stored tokens begin with those of now. */
  #addMissing(): void {
    for (const { rule } of this.rules.values()) if (!this.#watch.has(rule.id)) this.#add(rule)
  }

  #beginAnew(): void {
    const { seq, newestEventSeconds: second } = this.#engine
    this.#watch.begin(this.#engine, { seq, roundSeq: seq, second })
    for (const { rule } of this.rules.values()) this.#add(rule)
  }

  #add(rule: AlertRule): void {
    this.#watch.add(rule, null)
    this.#newRules.set(rule.id, storedOf(rule, this.rules.get(rule.id)?.isOfFile))
    for (const [key, [id]] of this.#pages) if (id === rule.id) this.#pages.delete(key)
  }

  /**
   * Adds a rule, or puts it in the place of the one with its id: it looks at what comes from here on.
   * @throws Error when it cannot be stored: then all is as before
   */
  async put(rule: AlertRule): Promise<void> {
    this.#open()
    await this.#watch.load(rule)
    if (this.#stores === null) throw new Error('The service is being stopped.')
    if (this.#endedAt !== null) throw new Error(ENDED)
    const tokens = this.#tokensOf(rule)
    this.#change({ id: rule.id, stored: storedOf(rule), tokens })
    this.rules.set(rule.id, { rule, isOfFile: false })
    this.#watch.add(rule, tokens)
    this.deliveries?.begin(rule)
  }

  /**
   * Ends a rule, with what waits for its webhook and its dead letters.
   * @throws Error when the disk refuses: then all is as before
   */
  remove(id: string): void {
    this.#change({ id, stored: null, tokens: NO_TOKENS })
    this.rules.delete(id)
    this.#watch.remove(id)
    this.deliveries?.end(id)
  }

  #change(change: RuleChange): void {
    this.commit(change)
    if (this.#failure !== null) throw new Error(this.#failure)
  }

  /** The tokens that a rule would have now. */
  #tokensOf(rule: AlertRule): StoredTokens {
    this.#watch.add({ ...rule, id: TRIAL }, null)
    const ofTrial = this.#takeTokens()
    this.#watch.remove(TRIAL)
    return ofTrial
  }

  /**
   * Keeps what changed in the rules' tokens until it is stored: token by token, since a page is some hundred bytes for one
   * bit, and as pages those of one rule, each in its turn. Returns those of the rule that is compared before it is one.
   */
  #takeTokens(): StoredTokens {
    let ofTrial = NO_TOKENS
    const inTurn = [...this.rules.keys()][this.#wholeTurns++ % this.rules.size]
    const isWhole = (rule: string) => rule === TRIAL || rule === inTurn || this.#newRules.has(rule)
    if (inTurn !== undefined) this.#whole.add(inTurn)
    for (const [rule, tokens, areAll] of this.#watch.takeChanged(isWhole)) {
      if (rule === TRIAL) ofTrial = tokens
      else if (!areAll) this.#flips.set(rule, [...(this.#flips.get(rule) ?? []), ...tokens.flips])
      else {
        this.#whole.add(rule)
        this.#flips.delete(rule)
        for (const [page, bits] of tokens.pages)
          this.#pages.set(`${rule} ${page}`, [rule, page, bits])
      }
    }
    return ofTrial
  }

  /** Called each second: stores how far events were looked at, and looks at the last ones of a while. */
  look(): void {
    if (this.#stores === null || !this.#isRecovered) return
    const { seq } = this.#engine
    if (seq === this.#lookedSeq) this.#watch.quiet()
    this.#lookedSeq = seq
    if (seq !== this.#storedSeq || this.#failure !== null) this.commit()
  }

  /**
   * Before a snapshot of the events so far: the position behind them is on the disk.
   * @throws Error when it is not, or what some of them tell is not known yet
   */
  async sync(): Promise<void> {
    if (this.#stores === null) return
    if (this.#engine.areFactsWaiting) throw new Error(IN_RUN)
    this.commit()
    if (this.failure !== null) throw new Error(this.failure)
    await this.#stores.outbox.sync()
  }

  /** Nothing is looked at or sent any more. */
  close(): void {
    this.#watch.stop()
    this.deliveries?.close()
    this.sender.close()
    if (this.#isRecovered) this.commit()
    this.outbox?.close()
    this.#stores = null
  }

  figures(): Readonly<Record<string, number>> {
    if (this.#stores === null) return {}
    const { outbox, deliveries } = this.#stores
    const { oldestMs } = outbox
    return {
      alert_rules: this.rules.size,
      alerts_found_total: this.#foundCount,
      alert_deliveries_total: deliveries.counts.delivered,
      alert_delivery_failures_total: deliveries.counts.failed,
      alert_queue: outbox.queuedCount,
      alert_queue_oldest_seconds:
        oldestMs === null ? 0 : Math.max(0, Math.round((this.#options.nowMs() - oldestMs) / 1000)),
      alert_dead_letters: outbox.deadCount,
      alert_dead_letters_dropped_total: outbox.droppedDead,
      alert_store_failed: this.failure === null ? 0 : 1,
    }
  }

  /** Stores what was found with the position behind it, and a change of the rules with it, then hands it on. */
  commit(change: RuleChange | null = null): void {
    this.#isCommitDue = false
    const stores = this.#stores
    if (stores === null || !this.#isRecovered) return
    this.#takeTokens()
    const position = this.#endedAt ?? this.#watch.position
    const { nowMs, journalSeq, log } = this.#options
    const alerts = this.#unstored
    try {
      const lives = stores.outbox.commit({
        ...this.#rulesWith(change),
        position: { ...position, epoch: this.#epoch, journalSeq: journalSeq() },
        ...{ alerts, delivered: this.#delivered, nowMs: nowMs() },
      })
      if (this.#failure !== null) log.info({}, 'alerts are stored again')
      this.#failure = null
      this.#stored(position, alerts, lives)
    } catch (error) {
      const failure = `Alerts cannot be stored (${messageOf(error)}): none is sent until they can.`
      if (this.#failure === null) log.error({ reason: failure }, 'alerts are not stored')
      this.#failure = failure
    }
  }

  /** What is to be stored of the rules: of one that changes nothing that it had before. */
  #rulesWith(change: RuleChange | null) {
    const { id = null, stored = null, tokens = NO_TOKENS } = change ?? {}
    const pages = [...this.#pages.values()].filter(([of]) => of !== id)
    for (const [page, bits] of tokens.pages) pages.push([id ?? '', page, bits])
    return {
      rules: [...this.#newRules.values(), ...(stored === null ? [] : [stored])],
      removed: stored === null ? id : null,
      pages,
      whole: [...this.#whole].filter((of) => of !== id),
      flips: new Map([...this.#flips].filter(([of]) => of !== id)),
    }
  }

  #stored(
    { seq }: AlertPosition,
    alerts: readonly OutgoingAlert[],
    lives: readonly number[],
  ): void {
    this.#storedSeq = seq
    this.#unstored = []
    this.#newRules.clear()
    this.#pages.clear()
    this.#whole.clear()
    this.#flips.clear()
    this.#delivered = []
    let next = 0
    for (const { toLive, body } of alerts)
      if (toLive) this.#options.publish(body, lives[next++] ?? 0)
    for (const rule of new Set(alerts.map((alert) => alert.rule))) this.deliveries?.wake(rule)
  }

  #take(found: FoundAlert): void {
    const known = this.rules.get(found.rule)
    if (known === undefined) return
    this.#foundCount += 1
    const { live, webhook } = known.rule.to
    const body = bodyOf(found, this.#epoch)
    this.#unstored.push({ ...body, rule: found.rule, toLive: live, toWebhook: webhook !== null })
    // A restart finds them again: the position stays, and no snapshot passes it.
    if (this.#unstored.length > UNSTORED_MAX && this.#isRecovered && this.#endedAt === null) {
      this.#endedAt = this.#watch.position
      this.#watch.stop()
    }
    this.#commitSoon()
  }

  /** At the end of this turn of the loop, with all that it finds. */
  #commitSoon(): void {
    if (this.#isCommitDue || !this.#isRecovered) return
    this.#isCommitDue = true
    setImmediate(() => this.#isCommitDue && this.commit())
  }

  #open(): Stores {
    if (this.#stores !== null) return this.#stores
    const { path, retryMs, nowMs, log } = this.#options
    const outbox = Outbox.open(path)
    const deliveries = new Deliveries({
      ...{ outbox, sender: this.sender, retryMs, nowMs, log },
      onDelivered: (n) => {
        this.#delivered.push(n)
        this.#commitSoon()
      },
    })
    this.#stores = { outbox, deliveries }
    if (this.#isRecovered) this.#beginAnew()
    return this.#stores
  }
}

function storedOf(rule: AlertRule, isOfFile = false): StoredRule {
  const body = isOfFile ? null : storedRule(rule)
  return { id: rule.id, body, condition: conditionOf(rule) }
}

/** What a rule looks for, as text: for another one the tokens that it had are of no use. */
function conditionOf({ when, enabled }: AlertRule): string {
  return JSON.stringify([enabled, when])
}

/** The first alert of a rule at a seq has no number behind its id, the next one has 1. */
function bodyOf(found: FoundAlert, epoch: string): { readonly id: string; readonly body: string } {
  const { rule, seq, part, timestamp, event, data } = found
  const id = `${epoch}:${seq}:${rule}${part === 0 ? '' : `:${part}`}`
  const body =
    `{"id":${jsonString(id)},"rule":${jsonString(rule)},"seq":${seq},"epoch":${jsonString(epoch)}` +
    `,"timestamp":"${timeText(timestamp)}","event":"${event}","data":${data}}`
  return { id, body }
}
