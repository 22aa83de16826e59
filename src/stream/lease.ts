/** A key-value bucket whose keys expire by themselves; `create` fails while a key is there. */
export interface LeaseStore {
  /** Null: another one holds it. */
  create(value: string): Promise<number | null>
  /** The new revision; null: it is another one's, or it has expired. */
  update(value: string, revision: number): Promise<number | null>
  remove(revision: number): Promise<void>
  /** Who holds it; null: nobody. */
  read(): Promise<{ readonly value: string; readonly revision: number } | null>
}

/** A key expires so long after it was written last. */
export const LEASE_MS = 2_000
/** Before it expires its holder counts it as lost: clocks run at slightly different speeds, and a message is under way. */
const MARGIN_MS = 300
/** So often the holder writes it again. */
const RENEW_EVERY_MS = 400

/**
 * Who may write to the stream: one at a time, by a key that expires. It keeps sequencers from writing against each other;
 * that two writers can never both succeed is what the expected sequence of each message is for.
 */
export class Lease {
  readonly #store: LeaseStore
  readonly #holder: string
  readonly #clockMs: () => number
  #revision: number | null = null
  #untilMs = 0
  #timer: NodeJS.Timeout | null = null
  #isAsking = false
  /** Counts releases: an answer to a question from before one is given back. */
  #releases = 0
  /** The last answer says that another one holds it. */
  isOthers = false

  /** @param clockMs milliseconds that never go back */
  constructor(store: LeaseStore, holder: string, clockMs: () => number = () => performance.now()) {
    this.#store = store
    this.#holder = holder
    this.#clockMs = clockMs
  }

  /** Certainly nobody else's, by this machine's own clock. */
  get isHeld(): boolean {
    return this.#revision !== null && this.#clockMs() < this.#untilMs
  }

  /** Asks for it once; true: it is held, and renewed until `release`. Rejects when the store cannot be asked. */
  async take(): Promise<boolean> {
    const sentMs = this.#clockMs()
    const releases = this.#releases
    const revision = await this.#store.create(this.#holder)
    if (releases !== this.#releases) {
      await this.#giveBack(revision)
      return false
    }
    this.isOthers = revision === null
    if (revision === null) return false
    this.#renewed(revision, sentMs)
    this.#timer ??= setInterval(() => void this.#renew(), RENEW_EVERY_MS)
    return true
  }

  /** Gives it back, so that another one has it at once. */
  async release(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    const revision = this.#revision
    this.#revision = null
    this.#releases += 1
    await this.#giveBack(revision)
  }

  async #giveBack(revision: number | null): Promise<void> {
    // Nobody waits for an answer: it expires by itself.
    if (revision !== null) await this.#store.remove(revision).catch(() => {})
  }

  async #renew(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const sentMs = this.#clockMs()
    const releases = this.#releases
    try {
      const before = this.#revision
      // One that has expired may be taken again as long as nobody else has it: the messages decide who may write.
      const revision =
        before === null
          ? await this.#store.create(this.#holder)
          : await this.#store.update(this.#holder, before)
      if (releases !== this.#releases) return await this.#giveBack(revision)
      if (revision === null) await this.#lookWhose()
      else this.#renewed(revision, sentMs)
    } catch {
      // It is asked again; until then the time that it is held for runs out.
    } finally {
      this.#isAsking = false
    }
  }

  /** A renewal whose answer was lost may have been stored: then the key has a revision that this process does not know. */
  async #lookWhose(): Promise<void> {
    this.#revision = null
    const held = await this.#store.read()
    if (held?.value === this.#holder) this.#revision = held.revision
    else this.isOthers = held !== null
  }

  #renewed(revision: number, sentMs: number): void {
    this.isOthers = false
    this.#revision = revision
    this.#untilMs = sentMs + LEASE_MS - MARGIN_MS
  }
}
