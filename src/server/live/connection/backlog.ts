import { BUFFER_CHECK_BYTES, BUFFER_CHECK_MS } from '../../load/limits.ts'
import type { LiveConnection } from './connection.ts'

type Followers = ReadonlySet<LiveConnection>

/**
 * Finds readers that lag. `publish` of uWebSockets.js tells nothing of single readers, and with a
 * limit of its own it drops messages and even the close frame without a word. So it has no limit
 * here; instead the buffers of everyone published to are looked at after every 64 KiB and at most
 * 10 ms later, which bounds the overshoot and costs 12 ns a reader.
 */
export class Backlog {
  readonly #check: (connection: LiveConnection) => void
  /** Whom something was published to since the last look. */
  readonly #touched = new Set<Followers>()
  #unseenBytes = 0
  #timer: NodeJS.Timeout | null = null

  /** `check` closes a connection that buffers too much. */
  constructor(check: (connection: LiveConnection) => void) {
    this.#check = check
  }

  /** After a publish to all of these, who are whoever follows until the look. */
  published(followers: Followers, bytes: number): void {
    this.#touched.add(followers)
    this.#unseenBytes += bytes
    if (this.#unseenBytes >= BUFFER_CHECK_BYTES) this.#look()
    else this.#timer ??= setTimeout(() => this.#look(), BUFFER_CHECK_MS)
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #look(): void {
    this.stop()
    this.#unseenBytes = 0
    for (const followers of this.#touched) for (const reader of followers) this.#check(reader)
    this.#touched.clear()
  }
}
