import { LRUCache } from 'lru-cache'
import { UNFINISHED } from '../../base/budget.ts'
import type { Parsed } from '../../protocol/requests/parsers.ts'
import { KEPT_ANSWER_BYTES, MAX_KEPT_REQUEST_CHARACTERS } from '../load/limits.ts'
import { type EncodedBody, encodeBody, KEPT_FORMS, ownBytes } from './encoded-body.ts'
import { type Reply, textOf } from './reply.ts'

/** What comes of a call of a route. */
export type Answered = Parsed<Reply> | Promise<Parsed<Reply>> | typeof UNFINISHED

/** What is kept for one request: an answer as it goes out, and the state it is of. */
interface Kept {
  reply: Reply
  version: number
}

interface KeptAnswersOptions {
  /** Another number whenever any answer may be another (`Queries.version`). */
  readonly version: () => number
  readonly maxBytes: number
  /** Make every answer anew all the same, and compare: for tests. */
  readonly isChecked: boolean
}

/**
 * Answers as bytes, found by the very bytes of their request: as long as the state is the same one,
 * a request that came before costs a look and a send. The one asked for longest ago goes first.
 */
export class ResponseCache {
  readonly #options: KeptAnswersOptions
  readonly #kept: LRUCache<string, Kept>
  #hits = 0
  #misses = 0

  constructor(options: KeptAnswersOptions) {
    this.#options = options
    this.#kept = new LRUCache<string, Kept>({
      maxSize: options.maxBytes,
      sizeCalculation: ({ reply }, key) =>
        KEPT_ANSWER_BYTES + key.length + bytesOf(reply) * KEPT_FORMS,
    })
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      answer_cache_hits_total: this.#hits,
      answer_cache_misses_total: this.#misses,
      answer_cache_bytes: this.#kept.calculatedSize,
    }
  }

  /** The answer to a request, made by `answer` unless it is kept. Only successful ones of short requests are. */
  answer(key: string, answer: () => Answered): Answered {
    const version = this.#options.version()
    const isShort = key.length <= MAX_KEPT_REQUEST_CHARACTERS
    const kept = isShort ? this.#kept.get(key) : undefined
    if (kept !== undefined && kept.version === version) {
      this.#hits += 1
      if (this.#options.isChecked) this.#check(key, kept, answer())
      return { ok: true, value: kept.reply }
    }
    const made = answer()
    // It is asked for again in later turns, and counts once.
    if (made === UNFINISHED) return made
    this.#misses += 1
    if (made instanceof Promise || !made.ok || made.value.statusCode !== 200) return made
    if (!isShort) return made
    const reply = { ...made.value, body: ownBody(made.value) }
    this.#kept.set(key, { reply, version })
    return { ok: true, value: reply }
  }

  /** @throws Error when the kept answer is not what would be answered now: a defect. */
  #check(key: string, kept: Kept, made: Answered): void {
    // Made when the next second had begun: an answer to another question.
    if (made instanceof Promise || made === UNFINISHED) return
    if (this.#options.version() !== kept.version) return
    const text = made.ok ? textOf(made.value) : ''
    if (text !== textOf(kept.reply)) throw new Error(`the kept answer to ${key} is not a fresh one`)
  }
}

function ownBody({ body }: Reply): EncodedBody {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body.bytes
  const own = ownBytes(bytes)
  return own === bytes && typeof body !== 'string' ? body : encodeBody(own)
}

function bytesOf({ body }: Reply): number {
  return body.length
}
