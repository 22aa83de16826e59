import { type Problem, problem } from '../problem.ts'
import type { Follow, Words } from './follow.ts'
import {
  type Acknowledgement,
  type Channel,
  isStateChannel,
  isTableChannel,
  type TableChannel,
} from './frames.ts'

/**
 * Mints or wallets of one message. Five times the 10,000 messages of a replay are the 50,000 that
 * the service replays for one message, so that a long list is resumed as surely as a short one.
 */
const KEYS_A_MESSAGE = 5
/** Bytes of a message at most: for a longer one the service closes the connection (docs/live.md). */
const MESSAGE_BYTES_MAX = 64 * 1024
const encoder = new TextEncoder()
const TOO_LONG = problem(
  'message_too_long',
  `What is asked for does not fit into a message of ${MESSAGE_BYTES_MAX} bytes.`,
)
/** Refusals that say "try again", after this time. */
const PASSING = ['busy', 'starting']
export const PASSING_MS = 1_000

/** A table of the service, with those who follow it. */
interface FollowedTable {
  readonly channel: TableChannel
  readonly table: string
  readonly follows: Set<Follow>
}

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
  readonly #toAsk = new Set<Follow>()
  readonly #toLeave = new Set<Follow>()
  #isToFlush = false
  /** Those whose subscription was sent and that were not left since. */
  readonly #asked = new Set<Follow>()
  #waiting: Waiting[] = []
  /** When the newest answer came. */
  #answeredMs = Number.NEGATIVE_INFINITY
  /** Who follows a table, by its name: filters in other words may be the same one. */
  readonly #tables = new Map<string, FollowedTable>()
  #isLeavingTable = false
  readonly #retries = new Set<ReturnType<typeof setTimeout>>()

  constructor(id: string, withinMs: number, send: (text: string) => void) {
    this.#id = id
    this.#withinMs = withinMs
    this.#send = send
  }

  /** Subscribes at the end of this turn, together with others. */
  ask(follow: Follow): void {
    this.#toAsk.add(follow)
    this.#flushSoon()
  }

  /** Unsubscribes at the end of this turn, together with others. */
  leave(follow: Follow): void {
    this.#toAsk.delete(follow)
    if (!this.#asked.delete(follow)) return
    if (isTableChannel(follow.channel)) {
      for (const { follows } of this.#tables.values()) follows.delete(follow)
      this.#isLeavingTable = true
      this.#leaveTables()
      return
    }
    this.#toLeave.add(follow)
    this.#flushSoon()
  }

  /** The service has none of it: there is nothing to leave. */
  forget(follow: Follow): void {
    this.#toAsk.delete(follow)
    this.#toLeave.delete(follow)
    this.#asked.delete(follow)
    for (const [name, { follows }] of this.#tables)
      if (follows.delete(follow) && follows.size === 0) this.#tables.delete(name)
  }

  followsOfTable(channel: TableChannel, table: string): Iterable<Follow> {
    return this.#tables.get(tableName(channel, table))?.follows ?? []
  }

  /** Was the key left, and the service has not said yet that it knows? */
  isLeaving(channel: Channel, key: string): boolean {
    return this.#waiting.some(
      ({ action, channel: left, follows }) =>
        action === 'unsubscribe' &&
        left === channel &&
        follows.some((follow) => follow.key === key),
    )
  }

  /** Has the service not answered yet what was asked for it last? */
  isWaitingFor(follow: Follow): boolean {
    return this.#waiting.some(({ follows }) => follows.includes(follow))
  }

  /**
   * Does the oldest wait too long for its answer? From the answer before it on: the snapshots of hundreds
   * that are asked for at once take a slow line longer than that, one behind the other.
   */
  isOverdue(nowMs: number): boolean {
    const [oldest] = this.#waiting
    if (oldest === undefined) return false
    return nowMs - Math.max(oldest.askedMs, this.#answeredMs) > this.#withinMs
  }

  acknowledged(frame: Acknowledgement): void {
    const { action, channel, table } = frame
    const at = this.#waiting.findIndex(
      (waiting) => waiting.action === action && waiting.channel === channel,
    )
    if (at < 0) return
    this.#answeredMs = performance.now()
    const [{ follows }] = this.#waiting.splice(at, 1)
    if (action === 'unsubscribe') return
    if (table !== null && isTableChannel(channel)) this.#joinTable(channel, table, follows)
    for (const follow of follows) follow.acknowledged(frame)
    this.#leaveTables()
  }

  /** The oldest request was refused; one of several keys is asked again for each. False when none waits. */
  refused(problem: Problem): boolean {
    const waiting = this.#waiting.shift()
    if (waiting === undefined) return false
    this.#answeredMs = performance.now()
    if (waiting.action === 'unsubscribe') {
      this.#leaveOneByOne(waiting.follows)
      return true
    }
    const follows = waiting.follows.filter((follow) => this.#asked.has(follow))
    if (PASSING.includes(problem.code))
      this.later(follows, PASSING_MS, (follow) => this.ask(follow))
    else if (waiting.follows.length > 1) for (const follow of follows) this.#subscribe([follow])
    else this.#refuse(follows, problem)
    this.#leaveTables()
    return true
  }

  /** Calls `ask` after this time for those that are not left until then. */
  later(follows: readonly Follow[], afterMs: number, ask: (follow: Follow) => void): void {
    const retry = setTimeout(() => {
      this.#retries.delete(retry)
      for (const follow of follows) if (this.#asked.has(follow)) ask(follow)
    }, afterMs)
    this.#retries.add(retry)
  }

  clear(): void {
    this.#toAsk.clear()
    this.#toLeave.clear()
    this.#asked.clear()
    this.#waiting = []
    this.#tables.clear()
    this.#isLeavingTable = false
    for (const retry of this.#retries) clearTimeout(retry)
    this.#retries.clear()
  }

  #refuse(follows: readonly Follow[], problem: Problem): void {
    for (const follow of follows) {
      this.forget(follow)
      follow.refused(problem)
    }
  }

  #joinTable(channel: TableChannel, table: string, follows: readonly Follow[]): void {
    const name = tableName(channel, table)
    const joined = this.#tables.get(name) ?? { channel, table, follows: new Set() }
    this.#tables.set(name, joined)
    for (const follow of follows) if (this.#asked.has(follow)) joined.follows.add(follow)
  }

  /**
   * Leaves the tables that nobody follows any more, once no answer is to come: until then any of them
   * may be what another follow has asked for.
   */
  #leaveTables(): void {
    const isAsking = this.#waiting.some(
      ({ action, channel }) => action === 'subscribe' && isTableChannel(channel),
    )
    if (!this.#isLeavingTable || isAsking) return
    this.#isLeavingTable = false
    for (const [name, { channel, table, follows }] of this.#tables) {
      if (follows.size > 0) continue
      this.#tables.delete(name)
      this.#request('unsubscribe', channel, [], { table })
    }
    this.#flushSoon()
  }

  #flushSoon(): void {
    if (this.#isToFlush) return
    this.#isToFlush = true
    queueMicrotask(() => this.#flush())
  }

  /** What may be asked for now: a further table takes its place after those to leave have left. */
  #takeToAsk(): readonly Follow[] {
    const isLeaving = this.#isLeavingTable
    const taken = [...this.#toAsk].filter(({ channel }) => !(isLeaving && isTableChannel(channel)))
    for (const follow of taken) this.#toAsk.delete(follow)
    return taken
  }

  /** What is left goes first: a key may be asked for anew in the same turn. */
  #flush(): void {
    this.#isToFlush = false
    this.#flushLeaves()
    const groups = grouped(this.#takeToAsk(), (follow) => {
      const { name, from, snapshot, more } = follow.words()
      const own = name === null ? follow.key : ''
      const begun = [from?.epoch ?? null, from === null, snapshot]
      return JSON.stringify([follow.channel, own, begun, more])
    })
    for (const follows of groups)
      for (let at = 0; at < follows.length; at += KEYS_A_MESSAGE)
        this.#subscribe(follows.slice(at, at + KEYS_A_MESSAGE))
  }

  #flushLeaves(): void {
    const groups = grouped(this.#toLeave, (follow) =>
      follow.words().name === null ? `${follow.channel}/${follow.key}` : follow.channel,
    )
    this.#toLeave.clear()
    for (const follows of groups) this.#unsubscribe(follows)
  }

  /**
   * A list is refused whole for one key that is none: the others are left all the same, but those that were asked for
   * since, maybe by another follow.
   */
  #leaveOneByOne(follows: readonly Follow[]): void {
    if (follows.length === 1) return
    const [{ channel }] = follows
    const asked = new Set<string>()
    for (const follow of this.#asked) if (follow.channel === channel) asked.add(follow.key)
    for (const follow of follows) if (!asked.has(follow.key)) this.#unsubscribe([follow])
  }

  /** One message for all of them, or several where it would be too long. */
  #unsubscribe(follows: readonly Follow[]): void {
    const [first] = follows
    const { channel } = first
    const { name } = first.words()
    const words = name === null ? first.leaveWords : keyWords(name, follows)
    if (this.#request('unsubscribe', channel, follows, words) || follows.length === 1) return
    for (const half of halvesOf(follows)) this.#unsubscribe(half)
  }

  /** One message for follows whose words differ in key and seq only, or several where it would be too long. */
  #subscribe(follows: readonly Follow[]): void {
    for (const follow of follows) this.#asked.add(follow)
    if (this.#request('subscribe', follows[0].channel, follows, subscribeWords(follows))) return
    if (follows.length === 1) this.#refuse(follows, TOO_LONG)
    else for (const half of halvesOf(follows)) this.#subscribe(half)
  }

  /** False: the message would be too long, and is not sent. */
  #request(
    action: Waiting['action'],
    channel: Channel,
    follows: readonly Follow[],
    words: Readonly<Record<string, unknown>>,
  ): boolean {
    const text = JSON.stringify({ event: channel, data: { action, id: this.#id, ...words } })
    if (encoder.encode(text).length > MESSAGE_BYTES_MAX) return false
    this.#waiting.push({ action, channel, follows, askedMs: performance.now() })
    this.#send(text)
    return true
  }
}

function tableName(channel: TableChannel, table: string): string {
  return `${channel}/${table}`
}

/** Those of the same group together. */
function grouped(
  follows: Iterable<Follow>,
  groupOf: (follow: Follow) => string,
): readonly (readonly Follow[])[] {
  const groups = new Map<string, Follow[]>()
  for (const follow of follows) {
    const name = groupOf(follow)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [follow])
    else group.push(follow)
  }
  return [...groups.values()]
}

function halvesOf(follows: readonly Follow[]): readonly (readonly Follow[])[] {
  const middle = Math.ceil(follows.length / 2)
  return [follows.slice(0, middle), follows.slice(middle)]
}

/** The key of one, or a list of those of several. */
function keyWords(name: string, follows: readonly Follow[]): Record<string, unknown> {
  const keys = follows.map(({ key }) => key)
  return keys.length > 1 ? { [`${name}s`]: keys } : { [name]: keys[0] }
}

function subscribeWords(follows: readonly Follow[]): Readonly<Record<string, unknown>> {
  const asked = follows.map((follow) => ({ key: follow.key, words: follow.words() }))
  const [{ words }] = asked
  const many = follows.length > 1
  const keyed: Record<string, unknown> = words.name === null ? {} : keyWords(words.name, follows)
  if (words.from !== null) {
    keyed.epoch = words.from.epoch
    keyed.from_seq = many ? Object.fromEntries(asked.map(fromSeq)) : words.from.seq
  }
  const isEvents = !isStateChannel(follows[0].channel)
  const options = isEvents ? { seq: true, ...(words.snapshot && { snapshot: true }) } : {}
  return { ...keyed, ...options, ...words.more }
}

function fromSeq({ key, words }: { readonly key: string; readonly words: Words }) {
  return [key, words.from?.seq ?? 0] as const
}
