const WINDOW_MS = 1000

/** What came in the present second: of one connection, or of all that one client has. */
export class MessageRate {
  #endsAtMs = 0
  #messages = 0
  #bytes = 0
  #keys = 0

  /** Frames of any kind. */
  get messages(): number {
    return this.#messages
  }

  /** Bytes of their payloads. */
  get bytes(): number {
    return this.#bytes
  }

  /** Mints, wallets, tables and candles that were subscribed to or left. */
  get keys(): number {
    return this.#keys
  }

  hasEnded(nowMs: number): boolean {
    return nowMs >= this.#endsAtMs
  }

  /** Counts a frame. */
  tookMessage(bytes: number, nowMs: number): void {
    this.#turn(nowMs)
    this.#messages++
    this.#bytes += bytes
  }

  /** Counts what a frame asks for. */
  tookKeys(keys: number, nowMs: number): void {
    this.#turn(nowMs)
    this.#keys += keys
  }

  #turn(nowMs: number): void {
    if (!this.hasEnded(nowMs)) return
    this.#endsAtMs = nowMs + WINDOW_MS
    this.#messages = 0
    this.#bytes = 0
    this.#keys = 0
  }
}
