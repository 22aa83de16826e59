import type { HttpResponse } from 'uWebSockets.js'
import { LAST_ANSWER_SHARE, PROBED_BYTES, PROBED_SHARE, SEND_DEADLINE_MS } from './limits.ts'

/**
 * Sends bodies. `end` of uWebSockets.js copies what the kernel does not take, so that a client that
 * sends requests and reads nothing fills the memory. With `tryEnd` such an answer stays pending,
 * and uWebSockets.js closes a socket whose next request comes while an answer is pending. It costs
 * a twentieth of an answer, so one in eight is sent that way, at random: a client that does not
 * read is found after eight answers on average.
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
    if (bytes.length < PROBED_BYTES && Math.random() > PROBED_SHARE) {
      res.end(bytes)
      return
    }
    const [, isDone] = res.tryEnd(bytes, bytes.length)
    if (!isDone) this.#sendRest(res, bytes)
  }

  /** Status and headers are all of the answer. One in many is the connection's last, and says so. */
  sendHead(res: HttpResponse): void {
    res.endWithoutBody(undefined, Math.random() < LAST_ANSWER_SHARE)
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
