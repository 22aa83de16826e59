import { quoted } from '../../protocol/requests/parsers.ts'
import type { Exchange } from './exchange.ts'
import { type Reply, refusal } from './reply.ts'

/**
 * A request waits so long at most for the position that it asks for. Batches come every few milliseconds: who is still
 * behind then stands still, and another replica may be there. ANSWER_TIMEOUT goes before it where it is shorter.
 */
const MIN_SEQ_WAIT_MS = 2_000

const MIN_SEQ = 'X-Mintfeed-Min-Seq'
/** `<seq>`, or `<epoch>:<seq>`. */
const MIN_SEQ_FORM = /^(?:(.+):)?(0|[1-9]\d{0,15})$/

const STOPPING = refusal('stopping', 'service', 'The service is going down.')

interface PositionWaitsOptions {
  readonly position: {
    epoch(): string
    seq(): number
    /** Takes whether anything waits, whenever that changes. */
    onWaiting?(isWaiting: boolean): void
  }
  /** Bounds those that wait, in all and for each client. */
  readonly gate: {
    refusal(client: string): { readonly message: string } | null
    entered(client: string, nowMs: number): unknown
    left(client: string): void
  }
  readonly limits: Parameters<Exchange['later']>[0]
}

/**
 * Reads that ask for a position by `X-Mintfeed-Min-Seq`, so that a reader that goes from one replica to another never
 * goes back in time. One that comes before its position waits without a place in the loop until a batch is folded.
 */
export class PositionWaits {
  readonly #options: PositionWaitsOptions
  readonly #waiting = new Map<Exchange, { readonly seq: number; readonly goOn: () => void }>()
  /** No waiting request asks for less, so that a batch is looked at in no time. */
  #lowestSeq = Number.POSITIVE_INFINITY
  #isStopping = false
  #waits = 0
  #tooLate = 0

  constructor(options: PositionWaitsOptions) {
    this.#options = options
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      min_seq_waiting: this.#waiting.size,
      min_seq_waits_total: this.#waits,
      min_seq_late_total: this.#tooLate,
    }
  }

  /** Reads at or behind the position that the request asks for, now or later, or refuses; null: later. */
  from(exchange: Exchange, read: (minSeq: number) => Reply | null): Reply | null {
    const { position, gate } = this.#options
    const { minSeq: text, client } = exchange.request
    const [, epoch, digits] = MIN_SEQ_FORM.exec(text) ?? []
    const seq = Number(digits)
    if (!Number.isSafeInteger(seq)) {
      const allowed = `a position from 0 to ${Number.MAX_SAFE_INTEGER}, or its epoch, a colon and it, is allowed`
      return refusal(
        'invalid_parameter',
        MIN_SEQ,
        `${MIN_SEQ} came as ${quoted(text)}, ${allowed}.`,
      )
    }
    if (epoch !== undefined && epoch !== position.epoch()) {
      const message = `${MIN_SEQ} names the epoch ${quoted(epoch)}, this is ${quoted(position.epoch())}: their positions cannot be compared.`
      return refusal('other_epoch', MIN_SEQ, message)
    }
    if (position.seq() >= seq) return read(seq)
    if (this.#isStopping) return STOPPING
    const full = gate.refusal(client)
    if (full !== null) return refusal('overloaded', MIN_SEQ, full.message)
    this.#wait(exchange, seq, read)
    return null
  }

  /** What waits for a position up to this one goes on in a later turn. Cheap enough for each batch. */
  reached(seq: number = this.#options.position.seq()): void {
    if (seq < this.#lowestSeq) return
    this.#lowestSeq = Number.POSITIVE_INFINITY
    for (const waiting of this.#waiting.values()) {
      if (waiting.seq <= seq) waiting.goOn()
      else this.#lowestSeq = Math.min(this.#lowestSeq, waiting.seq)
    }
  }

  /** Answers all that wait: no position is reached any more. */
  stop(): void {
    this.#isStopping = true
    for (const exchange of this.#waiting.keys()) exchange.reply(STOPPING)
  }

  #wait(exchange: Exchange, seq: number, read: (minSeq: number) => Reply | null): void {
    const { gate, limits, position } = this.#options
    const { client } = exchange.request
    const waitMs = Math.min(MIN_SEQ_WAIT_MS, limits.routeDeadlineMs)
    const late = () => {
      this.#tooLate++
      const message = `The position ${seq} was asked for, and after ${waitMs} ms the service is at ${position.seq()}.`
      return refusal('position_not_reached', MIN_SEQ, message)
    }
    gate.entered(client, performance.now())
    this.#waits++
    this.#lowestSeq = Math.min(this.#lowestSeq, seq)
    // Another epoch may have begun meanwhile: it is asked again.
    const goOn = () => exchange.later(limits, () => this.from(exchange, read))
    this.#waiting.set(exchange, { seq, goOn })
    if (this.#waiting.size === 1) position.onWaiting?.(true)
    exchange.wait(waitMs, late, () => {
      this.#waiting.delete(exchange)
      if (this.#waiting.size === 0) position.onWaiting?.(false)
      gate.left(client)
    })
  }
}
