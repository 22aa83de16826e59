import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import { Backoff } from '../feeds/backoff.ts'
import type { AlertRule } from '../protocol/alerts.ts'
import type { Delivery, Outbox } from './outbox.ts'
import type { Attempt, WebhookSender } from './webhook.ts'

/** Deliveries of a rule that are read at once. */
const BATCH = 64

/** Lines of the log; none has an address of a webhook or a secret. */
export interface AlertLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

interface DeliveriesOptions {
  readonly outbox: Outbox
  readonly sender: Pick<WebhookSender, 'send'>
  /** A delivery that is older when an attempt fails becomes a dead letter. */
  readonly retryMs: number
  readonly nowMs: () => number
  readonly log: AlertLog
  /** A delivery has arrived: it goes from the outbox with the next commit. */
  readonly onDelivered: (n: number) => void
}

/** What became of a rule's deliveries since the start. */
interface Sent {
  delivered: number
  failed: number
  /** Why the newest attempt failed; null: it did not. */
  trouble: string | null
}

/**
 * Sends what waits in the outbox: of each rule one delivery at a time, in order, the next one when it has arrived or is a
 * dead letter. An attempt that fails is repeated with back-off.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #loops = new Map<string, { readonly stop: AbortController; wake: () => void }>()
  readonly #sent = new Map<string, Sent>()
  readonly counts = { delivered: 0, failed: 0, buried: 0 }

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  sentOf(rule: string): Readonly<Sent> {
    return this.#sent.get(rule) ?? { delivered: 0, failed: 0, trouble: null }
  }

  /** Begins to send what waits for a rule, in place of what ran for it before. */
  begin(rule: AlertRule): void {
    this.end(rule.id)
    const { webhook } = rule.to
    if (webhook === null || !rule.enabled) return
    const loop = { stop: new AbortController(), wake: () => {} }
    this.#loops.set(rule.id, loop)
    if (!this.#sent.has(rule.id))
      this.#sent.set(rule.id, { delivered: 0, failed: 0, trouble: null })
    void this.#run(rule.id, webhook, loop)
  }

  end(rule: string): void {
    this.#loops.get(rule)?.stop.abort()
    this.#loops.get(rule)?.wake()
    this.#loops.delete(rule)
  }

  /** Something waits for the rule. */
  wake(rule: string): void {
    this.#loops.get(rule)?.wake()
  }

  close(): void {
    for (const rule of [...this.#loops.keys()]) this.end(rule)
  }

  async #run(
    rule: string,
    webhook: NonNullable<AlertRule['to']['webhook']>,
    loop: { readonly stop: AbortController; wake: () => void },
  ): Promise<void> {
    const { signal } = loop.stop
    const backoff = new Backoff()
    let after = 0
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        loop.wake = resolve
      })
      try {
        const batch = this.#options.outbox.queued(rule, after, BATCH)
        for (const delivery of batch) {
          await this.#deliver(delivery, webhook, backoff, signal)
          if (signal.aborted) return
          after = delivery.n
        }
        if (batch.length === 0) await woken
      } catch (error) {
        // The disk refuses what is stored of a delivery: it is sent again later.
        this.#options.log.warn({ rule, reason: messageOf(error) }, 'the outbox cannot be used')
        await sleep(backoff.nextMs(), undefined, { signal }).catch(() => {})
      }
    }
  }

  /** Returns when the delivery has arrived or is dead, or the rule is stopped. */
  async #deliver(
    delivery: Delivery,
    webhook: NonNullable<AlertRule['to']['webhook']>,
    backoff: Backoff,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      const attempt = await this.#options.sender.send(webhook, delivery.body, signal)
      if (signal.aborted && !attempt.ok) return
      this.#note(delivery.rule, webhook.url, attempt)
      if (attempt.ok) {
        backoff.succeeded()
        this.#options.onDelivered(delivery.n)
        return
      }
      if (this.#gaveUp(delivery, attempt.reason)) return
      await sleep(backoff.nextMs(), undefined, { signal }).catch(() => {})
      if (signal.aborted) return
    }
  }

  #gaveUp(delivery: Delivery, reason: string): boolean {
    const { outbox, nowMs, retryMs } = this.#options
    outbox.failed(delivery.n)
    if (nowMs() - delivery.madeMs < retryMs) return false
    outbox.bury(delivery, reason)
    this.counts.buried += 1
    return true
  }

  #note(rule: string, url: string, attempt: Attempt): void {
    const sent = this.#sent.get(rule)
    if (sent === undefined) return
    const { log } = this.#options
    const about = { rule, host: new URL(url).host }
    if (attempt.ok) {
      sent.delivered += 1
      this.counts.delivered += 1
      if (sent.trouble !== null) log.info(about, 'a webhook takes deliveries again')
      sent.trouble = null
      return
    }
    sent.failed += 1
    this.counts.failed += 1
    if (sent.trouble === null)
      log.warn(
        { ...about, reason: attempt.reason },
        'a webhook does not take a delivery: it is repeated',
      )
    sent.trouble = attempt.reason
  }
}
