import type { HttpResponse } from 'uWebSockets.js'
import {
  HELD_MS,
  HELD_SHARE,
  PROBED_BYTES,
  PROBED_SHARE,
  SEND_DEADLINE_MS,
} from '../load/limits.ts'

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

  /** A request was given up before its answer: its client had sent another one behind it, or left. */
  gaveUp(): void {
    this.#givenUp++
  }

  /** Status and headers have been written; the rest of the answer is `bytes`, which must not change. */
  send(res: HttpResponse, bytes: Buffer): void {
    if (bytes.length < PROBED_BYTES && Math.random() > PROBED_SHARE) {
      res.end(bytes)
      return
    }
    this.sendAwaited(res, bytes)
  }

  /** The same, so that it counts as unfinished until the client has read it: `end` does not tell. */
  sendAwaited(res: HttpResponse, bytes: Buffer): void {
    const [, isDone] = res.tryEnd(bytes, bytes.length)
    if (!isDone) this.#sendRest(res, bytes)
  }

  /** Status and headers have been written and are all of the answer. */
  sendHead(res: HttpResponse): void {
    if (Math.random() > HELD_SHARE) {
      res.endWithoutBody()
      return
    }
    this.#unfinished++
    const timer = setTimeout(() => {
      this.#unfinished--
      res.cork(() => res.endWithoutBody())
    }, HELD_MS)
    res.onAborted(() => {
      this.#unfinished--
      this.#givenUp++
      clearTimeout(timer)
    })
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
