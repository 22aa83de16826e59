/**
 * Keeps the event loop from sleeping (`SPIN=on`): a loop that waits for the kernel is woken some 50
 * to 100 µs after a trade came, more on a virtual machine whose core went idle. It takes a whole core.
 */
export class AwakeLoop {
  #turn: NodeJS.Immediate | null = null

  start(): void {
    this.#turn = setImmediate(() => this.start())
  }

  stop(): void {
    if (this.#turn !== null) clearImmediate(this.#turn)
    this.#turn = null
  }
}
