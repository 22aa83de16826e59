/** A stream in memory that behaves as NATS was seen to behave when servers die, by a seed. */
import type { Random } from '../../src/base/random.ts'
import type { StreamHead } from '../../src/stream/nats-stream.ts'

/** How often what goes wrong, of 1. */
export interface Troubles {
  /** A publish whose answer never comes: stored at once, stored late, or not at all. */
  readonly silent: number
  /** A question that has no answer. */
  readonly unasked: number
  /** Publishes are refused for a while, as where no leader is. */
  readonly leaderless: number
  /** Another writer writes first. */
  readonly foreign: number
  /** Every publish is refused at once with this sentence, as by a full disk. */
  readonly refused?: string
}

export const NO_TROUBLE: Troubles = { silent: 0, unasked: 0, leaderless: 0, foreign: 0 }

const ANSWER_MS = 20
const TIMEOUT_MS = 2_000
/** Of publishes without a majority some were stored 20 s later. */
const LATE_MS = 20_000
const LEADERLESS_MS = 6_000
const FOREIGN = Buffer.from('of another writer')

/** A publish that is on its way. */
interface Sent {
  readonly bytes: Uint8Array
  readonly last: number
  readonly answer: (seq: number | Error) => void
}

export class ScriptedStream {
  readonly messages: Uint8Array[] = []
  readonly messageBytesMax = 1 << 20
  created = 'once'
  /** Messages of other writers, by their sequence. */
  readonly foreign: number[] = []
  /** The most publishes that had no answer at once. */
  mostUnderWay = 0
  publishes = 0
  troubles = NO_TROUBLE
  readonly #random: Random
  #leaderlessUntilMs = 0
  #underWay = 0
  /** What arrived at the leader and is not decided yet, in order. */
  #arrived: Sent[] = []

  constructor(random: Random) {
    this.#random = random
  }

  publish(bytes: Uint8Array, last: number): Promise<number> {
    this.publishes += 1
    this.#underWay += 1
    this.mostUnderWay = Math.max(this.mostUnderWay, this.#underWay)
    return new Promise<number>((resolve, reject) => {
      const timeout = setTimeout(() => end(new Error('no answer for 2 s')), TIMEOUT_MS)
      let isOpen = true
      const end = (answer: number | Error) => {
        if (!isOpen) return
        isOpen = false
        clearTimeout(timeout)
        this.#underWay -= 1
        if (answer instanceof Error) reject(answer)
        else resolve(answer)
      }
      this.#send({ bytes: bytes.slice(), last, answer: end })
    })
  }

  async head(): Promise<StreamHead | null> {
    await this.#asked()
    const last = this.messages.length
    return {
      created: this.created,
      first: 1,
      last,
      messages: last,
      description: '',
    }
  }

  async message(seq: number): Promise<Uint8Array | null> {
    await this.#asked()
    return this.messages[seq - 1] ?? null
  }

  /** Another writer writes behind all that is there. */
  write(bytes: Uint8Array = FOREIGN): void {
    this.messages.push(bytes)
    this.foreign.push(this.messages.length)
  }

  get #isLeaderless(): boolean {
    return Date.now() < this.#leaderlessUntilMs
  }

  async #asked(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#random.between(1, ANSWER_MS)))
    if (this.#isLeaderless || this.#random.chance(this.troubles.unasked))
      throw new Error('no answer for 2 s')
  }

  #send(sent: Sent): void {
    const { silent, leaderless, foreign, refused } = this.troubles
    if (refused !== undefined) return void setTimeout(() => sent.answer(new Error(refused)), 1)
    if (this.#random.chance(leaderless)) this.#leaderlessUntilMs = Date.now() + LEADERLESS_MS
    if (this.#isLeaderless) {
      // The one under way when the leader dies may be in its log; later ones fail at once.
      if (this.#random.chance(0.2)) this.#storeLater(sent, this.#random.between(1, LATE_MS))
      else if (this.#random.chance(0.5))
        setTimeout(() => sent.answer(new Error('no responders')), 2)
      return
    }
    if (this.#random.chance(foreign)) this.write()
    if (this.#random.chance(silent)) {
      const answered = { ...sent, answer: () => {} }
      const fate = this.#random.pick(['stored', 'stored', 'late', 'lost'])
      if (fate === 'stored') this.#arrive(answered)
      else if (fate === 'late') this.#storeLater(answered, LATE_MS)
      return
    }
    this.#arrive(sent)
  }

  /** Messages of one connection are decided in their order. */
  #arrive(sent: Sent): void {
    this.#arrived.push(sent)
    if (this.#arrived.length > 1) return
    setTimeout(
      () => {
        for (const one of this.#arrived.splice(0)) this.#decide(one)
      },
      this.#random.between(1, ANSWER_MS),
    )
  }

  /** It is decided when it is stored, whatever its sender was told. */
  #storeLater(sent: Sent, ms: number): void {
    setTimeout(() => this.#decide(sent), ms)
  }

  #decide({ bytes, last, answer }: Sent): void {
    if (last !== this.messages.length) {
      setTimeout(() => answer(new Error('wrong last sequence')), 1)
      return
    }
    this.messages.push(bytes)
    const seq = this.messages.length
    // Acks come late, and in order.
    setTimeout(() => answer(seq), ANSWER_MS)
  }
}
