import type { HttpResponse } from 'uWebSockets.js'
import { SEND_DEADLINE_MS } from './limits.ts'

/**
 * Sends bodies as fast as their clients read them. `end` of uWebSockets.js would copy what the
 * kernel does not take, so that a client that sends requests and reads nothing fills the memory.
 * With `tryEnd` the answer stays pending, and uWebSockets.js closes a socket whose next request
 * comes before the answer to the last one has gone out.
 */
export class Sender {
  #unfinished = 0
  #givenUp = 0

  get unfinished(): number {
    return this.#unfinished
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { http_unfinished_answers: this.#unfinished, http_unread_answers_total: this.#givenUp }
  }

  /** Status and headers have been written; the rest of the answer is `bytes`, which must not change. */
  send(res: HttpResponse, bytes: Buffer): void {
    const [, isDone] = res.tryEnd(bytes, bytes.length)
    if (!isDone) this.#sendRest(res, bytes)
  }

  #sendRest(res: HttpResponse, bytes: Buffer): void {
    this.#unfinished++
    const timer = setTimeout(() => res.close(), SEND_DEADLINE_MS)
    const ended = () => {
      this.#unfinished--
      clearTimeout(timer)
    }
    res.onAborted(() => {
      this.#givenUp++
      ended()
    })
    res.onWritable((offset) => {
      const [isOk, isDone] = res.tryEnd(bytes.subarray(offset), bytes.length)
      if (isDone) ended()
      return isOk
    })
  }
}
