import type { LiveConnection } from './connection.ts'

/** Topic of the migrations; trade topics have another first letter. */
export const MIGRATION_TOPIC = 'g'

/** Topic of a mint's trades. */
export function tradeTopic(mint: string): string {
  return `m/${mint}`
}

/**
 * Who follows what. Bounded by connections x mints a connection; a client's text is only ever the
 * key of a Map.
 */
export class Subscriptions {
  readonly migrations = new Set<LiveConnection>()
  readonly #followers = new Map<string, Set<LiveConnection>>()

  /** True when somebody follows the mint: its trades are worth encoding. */
  isFollowed(mint: string): boolean {
    return this.#followers.has(mint)
  }

  followersOf(mint: string): ReadonlySet<LiveConnection> {
    return this.#followers.get(mint) ?? NOBODY
  }

  /** Mints that anybody follows. */
  get mintCount(): number {
    return this.#followers.size
  }

  /** Idempotent. */
  follow(connection: LiveConnection, mint: string): void {
    if (connection.mints.has(mint)) return
    connection.mints.add(mint)
    connection.socket.subscribe(tradeTopic(mint))
    const followers = this.#followers.get(mint)
    if (followers === undefined) this.#followers.set(mint, new Set([connection]))
    else followers.add(connection)
  }

  /** Idempotent. */
  unfollow(connection: LiveConnection, mint: string): void {
    if (!connection.mints.delete(mint)) return
    connection.socket.unsubscribe(tradeTopic(mint))
    this.#forget(connection, mint)
  }

  /** Idempotent. */
  setMigrations(connection: LiveConnection, follows: boolean): void {
    if (connection.followsMigrations === follows) return
    connection.followsMigrations = follows
    if (follows) {
      this.migrations.add(connection)
      connection.socket.subscribe(MIGRATION_TOPIC)
    } else {
      this.migrations.delete(connection)
      connection.socket.unsubscribe(MIGRATION_TOPIC)
    }
  }

  /** After the socket closed: uWebSockets.js has dropped its topics itself. */
  drop(connection: LiveConnection): void {
    for (const mint of connection.mints) this.#forget(connection, mint)
    connection.mints.clear()
    this.migrations.delete(connection)
  }

  #forget(connection: LiveConnection, mint: string): void {
    const followers = this.#followers.get(mint)
    followers?.delete(connection)
    if (followers?.size === 0) this.#followers.delete(mint)
  }
}

const NOBODY: ReadonlySet<LiveConnection> = new Set()
