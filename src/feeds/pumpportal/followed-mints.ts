import type { PumpPortalSetting } from '../../config/source-settings.ts'

/** Mints in one subscription message. */
const KEYS_MAX = 200
/** New mints that are followed at a time; the oldest is let go for the next one. */
export const NEW_MINTS_MAX = 1_000

/** The mints whose trades are asked for, and the messages that ask. */
export class FollowedMints {
  readonly #followsNew: boolean
  readonly #asked: ReadonlySet<string>
  /** In order of their creation. */
  readonly #newest = new Set<string>()

  constructor({ mints, followsNew }: Pick<PumpPortalSetting, 'mints' | 'followsNew'>) {
    this.#asked = new Set(mints)
    this.#followsNew = followsNew
  }

  get count(): number {
    return this.#asked.size + this.#newest.size
  }

  /** Everything that is to be subscribed to on a new connection. */
  greetings(): string[] {
    const messages = [{ method: 'subscribeNewToken' }, { method: 'subscribeMigration' }]
    const keys = [...this.#asked, ...this.#newest]
    const trades: object[] = []
    for (let at = 0; at < keys.length; at += KEYS_MAX)
      trades.push({ method: 'subscribeTokenTrade', keys: keys.slice(at, at + KEYS_MAX) })
    return [...messages, ...trades].map((message) => JSON.stringify(message))
  }

  /** What to send when a token was created. */
  created(mint: string): string[] {
    if (!this.#followsNew || this.#asked.has(mint) || this.#newest.has(mint)) return []
    const messages = [JSON.stringify({ method: 'subscribeTokenTrade', keys: [mint] })]
    this.#newest.add(mint)
    if (this.#newest.size <= NEW_MINTS_MAX) return messages
    for (const oldest of this.#newest) {
      this.#newest.delete(oldest)
      messages.push(JSON.stringify({ method: 'unsubscribeTokenTrade', keys: [oldest] }))
      break
    }
    return messages
  }
}
