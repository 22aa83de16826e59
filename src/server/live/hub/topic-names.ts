/**
 * Names of topics, each of which is said once. uWebSockets.js finds a topic by a hash that anybody can
 * compute: of texts that a client chose to have the same one, each would cost a look at all the others.
 */
export class TopicNames {
  readonly #prefix: string
  #said = 0

  /** `prefix`: begins no name of others. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  next(): string {
    this.#said++
    return `${this.#prefix}${this.#said}`
  }
}
