import type { Problem } from '../problem.ts'
import type { Follow, Words } from './follow.ts'
import type { Acknowledgement, Channel } from './frames.ts'

/**
 * Mints or wallets of one message. Five times the 10,000 messages of a replay are the 50,000 that
 * the service replays for one message, so that a long list is resumed as surely as a short one.
 */
const KEYS_A_MESSAGE = 5
/** Refusals that say "try again", after this time. */
const PASSING = ['busy', 'starting']
const PASSING_MS = 1_000

interface Waiting {
  readonly action: 'subscribe' | 'unsubscribe'
  readonly channel: Channel
  readonly follows: readonly Follow[]
  readonly askedMs: number
}

/** What was asked on a connection and not answered yet: the service answers in order. */
export class Requests {
  readonly #id: string
  readonly #withinMs: number
  readonly #send: (text: string) => void
  #toAsk = new Set<Follow>()
  #waiting: Waiting[] = []
  readonly #tables = new Map<string, Set<Follow>>()
  readonly #retries = new Set<ReturnType<typeof setTimeout>>()

  constructor(id: string, withinMs: number, send: (text: string) => void) {
    this.#id = id
    this.#withinMs = withinMs
    this.#send = send
  }

  /** Subscribes at the end of this turn, together with others. */
  ask(follow: Follow): void {
    if (this.#toAsk.size === 0) queueMicrotask(() => this.#flush())
    this.#toAsk.add(follow)
  }

  leave(follow: Follow): void {
    this.#toAsk.delete(follow)
    for (const follows of this.#tables.values())
      if (follows.delete(follow) && follows.size > 0) return
    const { name } = follow.words()
    const named = name === null ? follow.leaveWords : { [name]: follow.key }
    this.#request('unsubscribe', [follow], named)
  }

  followsOfTable(table: string): Iterable<Follow> {
    return this.#tables.get(table) ?? []
  }

  isOverdue(nowMs: number): boolean {
    return this.#waiting.length > 0 && nowMs - this.#waiting[0].askedMs > this.#withinMs
  }

  acknowledged(frame: Acknowledgement): void {
    const { action, channel, table } = frame
    const at = this.#waiting.findIndex(
      (waiting) => waiting.action === action && waiting.channel === channel,
    )
    if (at < 0) return
    const [{ follows }] = this.#waiting.splice(at, 1)
    if (action === 'unsubscribe') return
    for (const follow of follows) {
      if (table !== null)
        this.#tables.set(table, (this.#tables.get(table) ?? new Set()).add(follow))
      follow.acknowledged(frame)
    }
  }

  /** The oldest request was refused; one of several keys is asked again for each. */
  refused(problem: Problem): void {
    const waiting = this.#waiting.shift()
    if (waiting === undefined || waiting.action === 'unsubscribe') return
    const { follows } = waiting
    if (PASSING.includes(problem.code)) this.#askLater(follows)
    else if (follows.length > 1) for (const follow of follows) this.#subscribe([follow])
    else for (const follow of follows) follow.refused(problem)
  }

  clear(): void {
    this.#toAsk.clear()
    this.#waiting = []
    this.#tables.clear()
    for (const retry of this.#retries) clearTimeout(retry)
    this.#retries.clear()
  }

  #askLater(follows: readonly Follow[]): void {
    const retry = setTimeout(() => {
      this.#retries.delete(retry)
      for (const follow of follows) this.ask(follow)
    }, PASSING_MS)
    this.#retries.add(retry)
  }

  #flush(): void {
    const groups = new Map<string, Follow[]>()
    for (const follow of this.#toAsk) {
      const { name, from, snapshot } = follow.words()
      const own = name === null ? follow.key : ''
      const group = JSON.stringify([
        follow.channel,
        own,
        from?.epoch ?? null,
        from === null,
        snapshot,
      ])
      groups.set(group, [...(groups.get(group) ?? []), follow])
    }
    this.#toAsk = new Set()
    for (const follows of groups.values())
      for (let at = 0; at < follows.length; at += KEYS_A_MESSAGE)
        this.#subscribe(follows.slice(at, at + KEYS_A_MESSAGE))
  }

  /** One message for follows whose words differ in key and seq only. */
  #subscribe(follows: readonly Follow[]): void {
    const asked = follows.map((follow) => ({ key: follow.key, words: follow.words() }))
    const [{ key, words }] = asked
    const many = follows.length > 1
    const keyed: Record<string, unknown> = {}
    if (words.name !== null) {
      if (many) keyed[`${words.name}s`] = asked.map((one) => one.key)
      else keyed[words.name] = key
    }
    if (words.from !== null) {
      keyed.epoch = words.from.epoch
      keyed.from_seq = many ? Object.fromEntries(asked.map(fromSeq)) : words.from.seq
    }
    const isEvents = follows[0].channel !== 'meme_tables' && follows[0].channel !== 'candles'
    const options = isEvents ? { seq: true, ...(words.snapshot && { snapshot: true }) } : {}
    this.#request('subscribe', follows, { ...keyed, ...options, ...words.more })
  }

  #request(
    action: Waiting['action'],
    follows: readonly Follow[],
    words: Readonly<Record<string, unknown>>,
  ): void {
    const { channel } = follows[0]
    this.#waiting.push({ action, channel, follows, askedMs: Date.now() })
    this.#send(JSON.stringify({ event: channel, data: { action, id: this.#id, ...words } }))
  }
}

function fromSeq({ key, words }: { readonly key: string; readonly words: Words }) {
  return [key, words.from?.seq ?? 0] as const
}
