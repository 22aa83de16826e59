import type { Address } from './options.ts'
import { isBefore, type Place } from './place.ts'
import type { Problem } from './problem.ts'

/** Another url is read than before. */
export interface Move {
  /** As they were given. */
  readonly from: string
  readonly to: string
  /** What was wrong with the one before. */
  readonly reason: Problem
}

/** A replica of the service, with what is known of it. */
export class Replica implements Address {
  readonly url: string
  readonly liveUrl: string
  /** Where it was when it last said so. */
  place: Place | null = null
  /** What its newest `/readyz` said; null: nothing yet. */
  isReady: boolean | null = null
  /** Live connections that are open to it. */
  connections = 0

  constructor({ url, liveUrl }: Address) {
    this.url = url
    this.liveUrl = liveUrl
  }
}

/** The urls of a client, the one that is read, and how far its reader has come. */
export class Replicas {
  readonly all: readonly Replica[]
  readonly #moved: (move: Move) => void
  #current: Replica
  #read: Place | null = null

  /** @param addresses one at least */
  constructor(addresses: readonly Address[], moved: (move: Move) => void) {
    this.all = addresses.map((address) => new Replica(address))
    this.#current = this.all[0]
    this.#moved = moved
  }

  /** The one that is read, or tried first. */
  get current(): Replica {
    return this.#current
  }

  /** The newest state that the reader was given; null before the first. */
  get read(): Place | null {
    return this.#read
  }

  /**
   * Whom to try: the one that is read, then the others in their order, but last those that said that they are not
   * ready, or have another epoch. Null when all were tried.
   */
  next(tried: ReadonlySet<Replica>): Replica | null {
    if (!tried.has(this.#current)) return this.#current
    const at = this.all.indexOf(this.#current)
    const others = [...this.all.slice(at), ...this.all.slice(0, at)]
    const left = others.filter((replica) => !tried.has(replica))
    const epoch = this.#read?.epoch
    const isOther = (place: Place | null) =>
      place !== null && place.epoch !== (epoch ?? place.epoch)
    return (
      left.find(({ isReady, place }) => isReady !== false && !isOther(place)) ?? left[0] ?? null
    )
  }

  /** `replica` is read from now on. */
  move(replica: Replica, reason: Problem): void {
    if (replica === this.#current) return
    const from = this.#current.url
    this.#current = replica
    this.#moved({ from, to: replica.url, reason })
  }

  /** The replica has told where it is, and the reader was given that. */
  given(replica: Replica, place: Place): void {
    replica.place = place
    if (this.#read === null || !isBefore(place, this.#read)) this.#read = place
  }

  /** The position that a read has to have, of a replica that has not told yet that it is so far. */
  neededOf(replica: Replica): number | null {
    const { place } = replica
    if (this.#read === null) return null
    if (place !== null && !isBefore(place, this.#read)) return null
    return this.#read.position
  }
}
