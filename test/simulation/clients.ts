import type { Random } from '../oracle/random.ts'

/** A reader of the live feed behind a connection that may be slow. */
class Client {
  readonly bytesPerMs: number
  /** Numbers and sizes of messages that were sent and are not read yet. */
  queue: { readonly number: number; readonly bytes: number }[] = []
  bufferedBytes = 0
  /** Number of the message that has to come next; NaN: whatever comes. */
  next = Number.NaN

  constructor(bytesPerMs: number) {
    this.bytesPerMs = bytesPerMs
  }
}

/**
 * Clients of the live feed by the rules of contract section 4: what is buffered for one is bounded,
 * past the bound it is closed and comes back; in between it misses nothing.
 */
export class Clients {
  slowReaders = 0
  read = 0
  readonly #clients: Client[]
  readonly #bufferMax: number
  #published = 0

  constructor(bufferMax: number, random: Random) {
    this.#bufferMax = bufferMax
    this.#clients = [0, random.integer(0, 3), 1_000_000].map((rate) => new Client(rate))
  }

  publish(message: string): void {
    this.#published += 1
    for (const client of this.#clients) {
      client.queue.push({ number: this.#published, bytes: message.length })
      client.bufferedBytes += message.length
      if (client.bufferedBytes <= this.#bufferMax) continue
      this.slowReaders += 1
      hangUp(client)
    }
  }

  /** Time passes, and the clients read; a sentence when one missed a message. */
  pass(ms: number): string | null {
    for (const client of this.#clients) {
      let bytes = ms * client.bytesPerMs
      while (client.queue.length > 0 && bytes >= client.queue[0].bytes) {
        const [{ number, bytes: size }] = client.queue.splice(0, 1)
        bytes -= size
        client.bufferedBytes -= size
        this.read += 1
        if (!Number.isNaN(client.next) && client.next !== number)
          return `a client read message ${number} where ${client.next} is next`
        client.next = number + 1
      }
    }
    return null
  }

  /** Every connection is gone; the clients come back. */
  hangUp(): void {
    for (const client of this.#clients) hangUp(client)
  }
}

function hangUp(client: Client): void {
  client.queue = []
  client.bufferedBytes = 0
  client.next = Number.NaN
}
