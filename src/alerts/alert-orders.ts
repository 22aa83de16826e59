import { randomUUID } from 'node:crypto'
import { messageOf } from '../base/errors.ts'
import type { AlertRule } from '../protocol/alerts.ts'
import { MADE_PARTS, type MadeParts, parseAlertRule } from '../protocol/requests/alert-rules.ts'
import { jsonString, timeText } from '../protocol/wire.ts'
import { ALERT_RULES_MAX } from './alert-rules.ts'
import type { AlertService } from './alert-service.ts'
import type { Delivery } from './outbox.ts'

/** Dead letters of one answer at most. */
const DEAD_PAGE = 200

const NOT_READY = 'The service is starting or being stopped: try again in a moment.'

/** Why an order is not carried out. */
export interface RefusedOrder {
  readonly refused: 'invalid' | 'unknown' | 'conflict' | 'unstored'
  readonly message: string
}

/** Which dead letters: one by its number, those of a rule, or all. */
export interface DeadChoice {
  readonly rule: string | null
  readonly n: number | null
}

/**
 * What the operator asks of alerts. Orders that change rules are carried out one after another, so that what one has
 * checked holds until it is stored. Answers are JSON objects, none of which has a secret but that of `create`.
 */
export class AlertOrders {
  readonly #service: AlertService
  readonly #isReady: () => boolean
  /** Ends when the order before has. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(service: AlertService, isReady: () => boolean) {
    this.#service = service
    this.#isReady = isReady
  }

  list(): object {
    const rules = [...this.#service.rules.keys()].sort().map((id) => this.get(id))
    const { outbox, failure } = this.#service
    const counts = { queued: outbox?.queuedCount ?? 0, dead_letters: outbox?.deadCount ?? 0 }
    return { rules, ...counts, failure }
  }

  get(id: string): object | RefusedOrder {
    const known = this.#service.rules.get(id)
    if (known === undefined) return unknownRule(id)
    const { outbox, deliveries } = this.#service
    const sent = deliveries?.sentOf(id)
    return {
      ...known.rule.shown,
      enabled: known.rule.enabled,
      source: known.isOfFile ? 'file' : 'admin',
      queued: outbox?.queuedOf(id) ?? 0,
      delivered: sent?.delivered ?? 0,
      failed_attempts: sent?.failed ?? 0,
      trouble: sent?.trouble ?? null,
    }
  }

  /** Adds a rule; the answer has the secret of its webhook where the service has made it. */
  create(value: unknown): Promise<object | RefusedOrder> {
    return this.#inTurn(() => this.#create(value))
  }

  async #create(value: unknown): Promise<object | RefusedOrder> {
    const made: string[] = []
    const secret = () => {
      made.push(MADE_PARTS.secret?.() ?? '')
      return made.at(-1) ?? ''
    }
    const rule = this.#parsed(value, { ...MADE_PARTS, secret })
    if ('refused' in rule) return rule
    const { id } = rule
    if (this.#service.rules.has(id))
      return {
        refused: 'conflict',
        message: `There is a rule "${id}": replace it, or name another id.`,
      }
    if (this.#service.rules.size >= ALERT_RULES_MAX)
      return {
        refused: 'conflict',
        message: `There are ${ALERT_RULES_MAX} rules, which is the most.`,
      }
    const refusal = await this.#stored(() => this.#service.put(rule))
    if (refusal !== null) return refusal
    const [secretMade] = made
    return { ...this.get(id), ...(secretMade !== undefined && { secret: secretMade }) }
  }

  /** The secret stays where the rule names none and the same address. */
  replace(id: string, value: unknown): Promise<object | RefusedOrder> {
    return this.#inTurn(() => this.#replace(id, value))
  }

  async #replace(id: string, value: unknown): Promise<object | RefusedOrder> {
    const before = this.#changeable(id)
    if ('refused' in before) return before
    const rule = this.#parsed(value, { id: () => id, secret: null }, before)
    if ('refused' in rule) return rule
    if (rule.id !== id) return invalid(`id came as "${rule.id}", the rule is "${id}".`)
    return (await this.#stored(() => this.#service.put(rule))) ?? this.get(id)
  }

  enable(id: string, enabled: boolean): Promise<object | RefusedOrder> {
    return this.#inTurn(() => this.#enable(id, enabled))
  }

  async #enable(id: string, enabled: boolean): Promise<object | RefusedOrder> {
    const before = this.#changeable(id)
    if ('refused' in before) return before
    if (before.enabled === enabled) return this.get(id)
    return (await this.#stored(() => this.#service.put({ ...before, enabled }))) ?? this.get(id)
  }

  remove(id: string): Promise<object | RefusedOrder> {
    return this.#inTurn(() => this.#remove(id))
  }

  async #remove(id: string): Promise<object | RefusedOrder> {
    const before = this.#changeable(id)
    if ('refused' in before) return before
    const refusal = await this.#stored(() => this.#service.remove(id))
    if (refusal !== null) return refusal
    return { message: `The rule "${id}" is removed, with what waited for its webhook.` }
  }

  /** Sends a delivery with the event `test` now; it is neither queued nor repeated. */
  async test(id: string): Promise<object | RefusedOrder> {
    const known = this.#service.rules.get(id)
    if (known === undefined) return unknownRule(id)
    const { webhook } = known.rule.to
    if (webhook === null)
      return { refused: 'conflict', message: `The rule "${id}" has no webhook.` }
    const timestamp = timeText(Math.floor(Date.now() / 1000))
    const body =
      `{"id":"test:${randomUUID()}:${id}","rule":${jsonString(id)},"seq":0,"epoch":"test"` +
      `,"timestamp":"${timestamp}","event":"test","data":{}}`
    const attempt = await this.#service.sender.send(webhook, body, new AbortController().signal)
    return attempt.ok
      ? { delivered: true, status: attempt.status }
      : { delivered: false, reason: attempt.reason }
  }

  /** Dead letters behind a number, oldest first. */
  dead(rule: string | null, after: number): object | RefusedOrder {
    return reached(() => {
      const letters = this.#service.outbox?.dead(rule, after, DEAD_PAGE) ?? []
      return { total: this.#service.outbox?.deadCount ?? 0, items: letters.map(shownLetter) }
    })
  }

  resend({ rule, n }: DeadChoice): object | RefusedOrder {
    return reached(() => {
      const count = this.#service.outbox?.resend(rule, n, Date.now()) ?? 0
      for (const id of this.#service.rules.keys()) this.#service.deliveries?.wake(id)
      return { resent: count }
    })
  }

  drop({ rule, n }: DeadChoice): object | RefusedOrder {
    return reached(() => ({ dropped: this.#service.outbox?.drop(rule, n) ?? 0 }))
  }

  #parsed(value: unknown, made: MadeParts, before?: AlertRule): AlertRule | RefusedOrder {
    const rule = parseAlertRule(value, made, before)
    if (!rule.ok) return invalid(rule.error.message)
    const refusal = this.#service.sender.refusalOf(rule.value)
    return refusal === null ? rule.value : invalid(refusal)
  }

  #changeable(id: string): AlertRule | RefusedOrder {
    const known = this.#service.rules.get(id)
    if (known === undefined) return unknownRule(id)
    if (!known.isOfFile) return known.rule
    return {
      refused: 'conflict',
      message: `The rule "${id}" stands in ALERTS_FILE: change it there.`,
    }
  }

  #inTurn<T>(order: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(order)
    this.#turn = run.catch(() => {})
    return run
  }

  async #stored(change: () => Promise<void> | void): Promise<RefusedOrder | null> {
    if (!this.#isReady()) return { refused: 'unstored', message: NOT_READY }
    try {
      await change()
      return null
    } catch (error) {
      return { refused: 'unstored', message: messageOf(error) }
    }
  }
}

/** What an order on dead letters comes to, which the disk may refuse. */
function reached(order: () => object): object | RefusedOrder {
  try {
    return order()
  } catch (error) {
    const message = `The dead letters cannot be reached (${messageOf(error)}): nothing was changed; see to the disk and try again.`
    return { refused: 'unstored', message }
  }
}

function invalid(message: string): RefusedOrder {
  return { refused: 'invalid', message }
}

function unknownRule(id: string): RefusedOrder {
  return { refused: 'unknown', message: `There is no rule ${JSON.stringify(id.slice(0, 64))}.` }
}

function shownLetter({ n, rule, id, body, madeMs, attempts, dead }: Delivery): object {
  const made = timeText(Math.floor(madeMs / 1000))
  return { n, rule, id, found_at: made, attempts, reason: dead, body: JSON.parse(body) }
}
