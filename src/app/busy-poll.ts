/**
 * Looks at memory between two turns of the loop, some 5 µs: each turn leaves an object to be collected, and
 * 900,000 of them a second made 20 to 30 collections, in which trades wait half a millisecond and longer.
 */
const LOOKS_A_TURN = 500

/**
 * Keeps the event loop from sleeping (`SPIN=on`): a loop that waits for the kernel is woken some 50
 * to 100 µs after a trade came, more on a virtual machine whose core went idle. It takes a whole core.
 */
export class BusyPoll {
  readonly #looked = new Int32Array(1)
  #turn: NodeJS.Immediate | null = null

  start(): void {
    this.#turn = setImmediate(this.#next)
  }

  stop(): void {
    if (this.#turn !== null) clearImmediate(this.#turn)
    this.#turn = null
  }

  readonly #next = (): void => {
    // A clock would tell the time as a number on the heap: as much garbage as the turns it saves.
    for (let i = 0; i < LOOKS_A_TURN; i++) Atomics.load(this.#looked, 0)
    this.start()
  }
}
