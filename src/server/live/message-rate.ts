import { MAX_MESSAGE_BYTES_PER_SECOND } from '../limits.ts'

const WINDOW_MS = 1000

/** What one live connection sent in its present second. */
export class MessageRate {
  #endsAtMs = 0
  #messages = 0
  #bytes = 0

  /** Counts a frame; false when the connection has sent more than it may in one second. */
  take(bytes: number, nowMs: number, messagesPerSecond: number): boolean {
    if (nowMs >= this.#endsAtMs) {
      this.#endsAtMs = nowMs + WINDOW_MS
      this.#messages = 0
      this.#bytes = 0
    }
    this.#messages++
    this.#bytes += bytes
    return this.#messages <= messagesPerSecond && this.#bytes <= MAX_MESSAGE_BYTES_PER_SECOND
  }
}
