import { setTimeout as pause } from 'node:timers/promises'
import type { Mintfeed, Update } from '../../client/src/mintfeed.ts'
import { addressOf } from '../address-of.ts'
import type { Random } from '../oracle/random.ts'
import { MINTS, type Witness } from './witness.ts'

export const WALLET = addressOf('wallet 3')
/** Faults that are kept; the first ones tell what went wrong. */
const FAULTS_MAX = 20

export interface Pace {
  readonly random: Random
  readonly isSlow: boolean
  /** Of the service. */
  readonly epoch?: string
}

type Stream = AsyncIterable<Update<unknown, Told>>
type Told = { readonly mint: string; readonly signature?: string }

/** A reader of several streams from their beginning, which holds each update against the witness. */
export class CheckedReader {
  readonly faults: string[] = []
  /** `lost` updates of the wallet's stream, which a restart may cut. */
  walletLosses = 0
  events = 0
  readonly client: Mintfeed
  readonly #witness: Witness
  /** Last seq by stream. */
  readonly #seqs = new Map<string, number>()
  readonly #subscriptions: readonly Stream[]
  readonly #reading: Promise<unknown>

  constructor(client: Mintfeed, witness: Witness, pace: Pace) {
    this.client = client
    this.#witness = witness
    const beginning = { seq: 0, epoch: pace.epoch ?? 'e1' }
    const from = new Map(MINTS.map((mint) => [mint, beginning]))
    const { live } = client
    this.#subscriptions = [
      live.trades(MINTS, { from }),
      live.launches({ from: beginning }),
      live.walletTrades(WALLET, { from: new Map([[WALLET, beginning]]) }),
    ]
    const names = [null, 'launches', WALLET]
    this.#reading = Promise.all(
      this.#subscriptions.map((stream, i) => this.#read(stream, names[i], pace)),
    )
  }

  /** Has it heard all that was told, as far as it could be had? */
  get isWhole(): boolean {
    return [...MINTS, 'launches', WALLET].every(
      (stream) => (this.#seqs.get(stream) ?? 0) === this.#witness.of(stream).length,
    )
  }

  async close(): Promise<void> {
    this.client.close()
    await this.#reading
  }

  /** `name`: of the stream in the witness's book; null: the key's. */
  async #read(stream: Stream, name: string | null, { random, isSlow }: Pace): Promise<void> {
    for await (const update of stream) {
      this.#check(name ?? update.key, update)
      if (isSlow && random.chance(0.2)) await pause(random.integer(0, 4))
    }
  }

  #check(stream: string, update: Update<unknown, Told>): void {
    const last = this.#seqs.get(stream) ?? 0
    switch (update.kind) {
      case 'event': {
        const { mint, signature } = update.data
        const name = signature === undefined ? mint : `${signature}/${update.ordinal}`
        const told = this.#witness.of(stream)[update.seq - 1]
        if (update.seq !== last + 1) this.#fault(`${stream}: ${update.seq} after ${last}`)
        if (name !== told) this.#fault(`${stream} ${update.seq}: ${name} instead of ${told}`)
        this.events += 1
        this.#seqs.set(stream, update.seq)
        return
      }
      case 'lost':
        if (stream !== WALLET || update.reason !== 'too_old' || update.fromSeq !== last)
          this.#fault(`${stream}: lost behind ${update.fromSeq}, ${update.reason}`)
        this.walletLosses += 1
        this.#seqs.set(stream, update.toSeq)
        return
      case 'snapshot':
        if (update.seq !== last) this.#fault(`${stream}: a snapshot of ${update.seq} at ${last}`)
        return
      case 'refused':
        this.#fault(`${stream}: refused, ${update.problem.message}`)
    }
  }

  #fault(fault: string): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push(fault)
  }
}
