/**
 * Reads of memory between two turns of the event loop, some 5 µs. Each turn leaves an object to collect, and 900,000
 * turns a second made 20 to 30 collections, in which trades wait half a millisecond or longer.
 */
const READS_A_TURN = 500

/**
 * Keeps the event loop from sleeping (`SPIN=on`): the kernel wakes a sleeping loop some 50 to 100 µs after a trade came,
 * later on a virtual machine whose core went idle. It takes a whole core.
 */
export class BusyPoll {
  readonly #memory = new Int32Array(1)
  #turn: NodeJS.Immediate | null = null

  start(): void {
    this.#turn = setImmediate(this.#next)
  }

  stop(): void {
    if (this.#turn !== null) clearImmediate(this.#turn)
    this.#turn = null
  }

  readonly #next = (): void => {
    // Reading a clock puts a number on the heap: as much garbage as the turns that it saves.
    for (let i = 0; i < READS_A_TURN; i++) Atomics.load(this.#memory, 0)
    this.start()
  }
}
