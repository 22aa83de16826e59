import { LRUCache } from 'lru-cache'

/** Ids whose last table answer is kept for `update_pools_info`; the longest unread goes first. */
const MAX_TABLE_READERS = 2000

/** Characters of an `x-socket-id` that counts; a connection's id has at most 128 code points. */
const MAX_SOCKET_ID_CHARACTERS = 256

/**
 * The mints of the last table answer of each `x-socket-id`: `update_pools_info` brings their trades to the
 * connections with that id (contract section 4). The id that was used longest ago is forgotten first.
 */
export class LastTables {
  readonly #readersOf = new Map<string, Set<string>>()
  readonly #tables = new LRUCache<string, ReadonlySet<string>>({
    max: MAX_TABLE_READERS,
    dispose: (mints, id) => this.#forget(mints, id),
  })

  /** Remembers the mints of an answer instead of those of the one before it; the set must not change. */
  answered(id: string, mints: ReadonlySet<string>): void {
    if (id === '' || id.length > MAX_SOCKET_ID_CHARACTERS) return
    if (this.#tables.get(id) === mints) return
    this.#tables.set(id, mints)
    for (const mint of mints) {
      const readers = this.#readersOf.get(mint)
      if (readers === undefined) this.#readersOf.set(mint, new Set([id]))
      else readers.add(id)
    }
  }

  /** Ids whose last table holds the mint. */
  readersOf(mint: string): ReadonlySet<string> {
    return this.#readersOf.get(mint) ?? NONE
  }

  /** Mints of the last table of an id. */
  mintsOf(id: string): ReadonlySet<string> {
    return this.#tables.get(id) ?? NONE
  }

  #forget(mints: ReadonlySet<string>, id: string): void {
    for (const mint of mints) {
      const readers = this.#readersOf.get(mint)
      readers?.delete(id)
      if (readers?.size === 0) this.#readersOf.delete(mint)
    }
  }
}

const NONE: ReadonlySet<string> = new Set()
