/**
 * feeds/pumpportal: JSON frames of PumpPortal in, events without slot, index and fees out. `portal-frame` checks the form,
 * `PortalEvents` makes events and recognizes repeats. A frame about another coin than it names is counted and dropped.
 */

import { WebSocket } from 'ws'
import { jsonOf } from '../../base/json-access.ts'
import { totals } from '../../base/safe-text.ts'
import type { PumpPortalSetting } from '../../config/source-settings.ts'
import { isTooLong, peerSocket } from '../peer-socket.ts'
import { NO_RECORDER, type RawFrames } from '../raw-frames.ts'
import { secretsOf } from '../secrets.ts'
import { type Receiver, reasonOf, type Source } from '../supervisor/source.ts'
import { REAL_TIMERS, type Timers } from '../timers.ts'
import { PortalEvents } from './portal-events.ts'
import { refusalOf } from './portal-frame.ts'

/** Name of the source, in FEED and in recordings. */
export const PUMPPORTAL = 'pumpportal'
/** Longest frame; theirs have one to two thousand bytes. */
const FRAME_BYTES_MAX = 256 * 1024
/** Tokens are created every few seconds; between them only a ping shows that the connection lives. */
const PING_MS = 1_500
/** A server that answers pings and sends nothing else for this long is stalled. */
const STALL_MS = 60_000
/** Mints in one subscription message. */
const KEYS_MAX = 200
/** New mints that are followed at a time; the next one takes the place of the oldest. */
export const NEW_MINTS_MAX = 1_000

/**
 * FEED=pumpportal: creations and migrations of all tokens, trades of the ones asked for. No slots,
 * no fees, nothing of what was missed: degraded beside a feed of the chain itself.
 */
export class PumpPortalSource implements Source {
  readonly name = PUMPPORTAL
  readonly isDegraded = true
  readonly secrets: readonly string[]
  /** With the key, if there is one. */
  readonly #address: string
  readonly #rawFrames: RawFrames
  readonly #stallMs: number
  readonly #report: (reason: string) => void
  readonly #timers: Timers
  readonly #events: PortalEvents
  readonly #followed: FollowedMints
  /** Why this connection brings none of the trades that were asked for; null: it may bring them. */
  #complaint: string | null = null

  constructor(
    options: PumpPortalSetting & {
      readonly rawFrames?: RawFrames
      readonly timers?: Timers
      readonly stallMs?: number
      /** Called, once a connection, with why a subscription was refused; and once of each key of frames that is not known. */
      readonly report?: (reason: string) => void
    },
  ) {
    this.#address = addressOf(options)
    this.#rawFrames = options.rawFrames ?? NO_RECORDER
    this.#stallMs = options.stallMs ?? STALL_MS
    this.#report = options.report ?? (() => {})
    this.secrets = secretsOf(this.#address)
    this.#timers = options.timers ?? REAL_TIMERS
    this.#followed = new FollowedMints(options)
    this.#events = new PortalEvents((key) =>
      this.#report(`its frames have a key that is not known: ${reasonOf(key, this.secrets)}`),
    )
  }

  get complaint(): string | null {
    return this.#complaint
  }

  figures(): Readonly<Record<string, number>> {
    const { creates, trades, migrations, continuousTrades, gaps } = this.#events.counters
    const judged = continuousTrades + gaps
    return {
      ...totals(this.#events.counters),
      followed_mints: this.#followed.count,
      // Of the trades that could follow on from the one before; 100 while nothing speaks against it.
      continuity_percent: judged === 0 ? 100 : (continuousTrades / judged) * 100,
      // Nothing it sends has either.
      without_slot_total: creates + trades + migrations,
      without_fees_total: trades,
    }
  }

  connect(receiver: Receiver, _cursor: number | null, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = peerSocket(this.#address, FRAME_BYTES_MAX, signal)
    const watch = this.#watch(socket, reject)
    let isFirst = true
    this.#complaint = null
    const refused = (reason: string) => {
      if (isFirst) this.#report(reason)
      isFirst = false
    }
    socket.on('open', () => {
      for (const message of this.#followed.greetings()) socket.send(message)
    })
    socket.on('pong', () => receiver.alive())
    socket.on('message', (data, isBinary) => {
      if (signal.aborted) return
      watch.sign()
      if (isBinary) this.#events.counters.unusableFrames++
      else this.#take(String(data), receiver, socket, refused)
    })
    socket.on('error', (error) => {
      if (isTooLong(error)) this.#events.counters.hugeFrames++
      reject(error)
    })
    socket.on('close', () => {
      watch.end()
      resolve()
    })
    return promise
  }

  #take(
    text: string,
    receiver: Receiver,
    socket: WebSocket,
    refused: (reason: string) => void,
  ): void {
    this.#rawFrames.frame(PUMPPORTAL, text)
    const value = jsonOf(text)
    const { refusedSubscriptions } = this.#events.counters
    const events = this.#events.events(value, Math.floor(this.#timers.wallMs() / 1000))
    if (this.#events.counters.refusedSubscriptions > refusedSubscriptions) {
      // A service that refuses everything is none that is connected.
      const reason = `it refuses a subscription: ${reasonOf(refusalOf(value), this.secrets)}`
      if (this.#followed.count > 0) this.#complaint ??= reason
      refused(reason)
      return
    }
    receiver.connected()
    for (const event of events)
      if (event.type === 'token_created')
        for (const message of this.#followed.created(event.mint)) socket.send(message)
    receiver.events(events)
  }

  /** Pings, and ends a connection on which nothing else comes. */
  #watch(
    socket: WebSocket,
    reject: (error: Error) => void,
  ): { readonly sign: () => void; readonly end: () => void } {
    const stallMs = this.#stallMs
    const everyMs = Math.min(PING_MS, stallMs / 2)
    let signMs = this.#timers.nowMs()
    const look = () => {
      if (this.#timers.nowMs() - signMs >= stallMs) {
        this.#events.counters.stalls++
        reject(new Error(`nothing but pings came for ${stallMs / 1000} s`))
        socket.terminate()
        return
      }
      if (socket.readyState === WebSocket.OPEN) socket.ping()
      cancel = this.#timers.after(everyMs, look)
    }
    let cancel = this.#timers.after(everyMs, look)
    return {
      sign: () => {
        signMs = this.#timers.nowMs()
      },
      end: () => cancel(),
    }
  }
}

function addressOf({ url, key }: Pick<PumpPortalSetting, 'url' | 'key'>): string {
  if (key === null) return url
  const address = new URL(url)
  address.searchParams.set('api-key', key)
  return address.href
}

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
