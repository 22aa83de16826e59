import { LRUCache } from 'lru-cache'
import { UNFINISHED } from '../../base/budget.ts'
import type { Parsed } from '../../protocol/requests/parsers.ts'
import { cachedBytes, EncodedBody, ownBytes, type Reply, textOf } from './reply.ts'

/** Memory of a cached answer beside its key and its body, its first lines among it: most of a short one. */
const CACHED_ANSWER_BYTES = 1_640

/**
 * Characters of a request whose answer, and whose parsed body, are cached at most; a table's body with every
 * filter has half as many. V8 hashes a text of 16,384 and more by its length alone: of thousands
 * that are equally long each look would compare them all.
 */
export const MAX_CACHED_REQUEST_CHARACTERS = 8 * 1024

/**
 * What an answer is found by. The path alone where it is all: the router has looked at that text before, so that V8
 * knows its hash. A path has neither a `?` nor a space.
 */
export function cacheKey(path: string, query: string, body: string): string {
  return query === '' && body === '' ? path : `${path}?${query} ${body}`
}

/** The result of a call of a route. */
export type Answered = Parsed<Reply> | Promise<Parsed<Reply>> | typeof UNFINISHED

/** The answer to one request as it goes out, and the version of the state it was made of. */
interface CachedAnswer {
  reply: Reply
  version: number
}

/**
 * Answers as bytes, found by the very bytes of their request: as long as the state is the same,
 * a repeated request costs a lookup and a send. The answer that was asked for longest ago goes first.
 */
export class ResponseCache {
  readonly #version: () => number
  readonly #isChecked: boolean
  readonly #answers: LRUCache<string, CachedAnswer>
  #hits = 0
  #misses = 0

  /**
   * `version`: another number whenever any answer may be another (`Queries.version`). `isChecked`: every answer is
   * made anew all the same, and compared, for tests.
   */
  constructor(version: () => number, maxBytes: number, isChecked = false) {
    this.#version = version
    this.#isChecked = isChecked
    this.#answers = new LRUCache<string, CachedAnswer>({
      maxSize: maxBytes,
      sizeCalculation: ({ reply }, key) => CACHED_ANSWER_BYTES + cachedBytes(reply, key),
    })
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return {
      answer_cache_hits_total: this.#hits,
      answer_cache_misses_total: this.#misses,
      answer_cache_bytes: this.#answers.calculatedSize,
    }
  }

  /** The answer to a request, made by `answer` unless it is cached. Only successful answers to short requests are cached. */
  answer(key: string, answer: () => Answered): Answered {
    const version = this.#version()
    const isShort = key.length <= MAX_CACHED_REQUEST_CHARACTERS
    const cached = isShort ? this.#answers.get(key) : undefined
    if (cached !== undefined && cached.version === version) {
      this.#hits += 1
      if (this.#isChecked) this.#check(key, cached, answer())
      return { ok: true, value: cached.reply }
    }
    const made = answer()
    // The front calls again in later turns, and it counts once.
    if (made === UNFINISHED) return made
    this.#misses += 1
    if (made instanceof Promise || !made.ok || made.value.statusCode !== 200) return made
    if (!isShort) return made
    const reply = { ...made.value, body: ownBody(made.value) }
    this.#answers.set(key, { reply, version })
    return { ok: true, value: reply }
  }

  /** @throws Error when the cached answer is not what would be answered now: a defect. */
  #check(key: string, cached: CachedAnswer, made: Answered): void {
    // Made when the next second had begun: an answer to another question.
    if (made instanceof Promise || made === UNFINISHED) return
    if (this.#version() !== cached.version) return
    const text = made.ok ? textOf(made.value) : ''
    if (text !== textOf(cached.reply))
      throw new Error(`the cached answer to ${key} is not a fresh one`)
  }
}

function ownBody({ body }: Reply): EncodedBody {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body.bytes
  const own = ownBytes(bytes)
  return own === bytes && typeof body !== 'string' ? body : new EncodedBody(own)
}
