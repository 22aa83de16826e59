import { Backoff } from '../backoff.ts'
import type { Closing, LiveSettings, Socket } from '../options.ts'
import { type Problem, problem, sentenceOf } from '../problem.ts'
import type { Replica, Replicas } from '../replicas.ts'
import { isCount } from '../shape.ts'
import type { Follow, Line } from './follow.ts'
import {
  type Channel,
  type ChannelFrame,
  type Ended,
  type Frame,
  isStateChannel,
  isTableChannel,
  parseFrame,
} from './frames.ts'
import type { Watched } from './replica-watch.ts'
import { PASSING_MS, Requests } from './requests.ts'
import type { LiveJournal } from './status.ts'

/** A connection that stayed for so long was a good one: the next wait is a short one. */
const GOOD_MS = 5_000
/** One that does not open within this time is given up, where another url is left to try. */
const OPEN_MS = 3_000
/** Close codes for what a client did (docs/live.md): another replica would close for it too. */
const OWN_FAULTS: readonly (number | undefined)[] = [1009, 4008, 4009, 4010]
const PONG = '{"type":"pong"}'
const PING = '{"type":"ping"}'

/**
 * One connection with what is followed on it: opened again as long as it is wanted, at the next url at once, and
 * after a wait when all were tried. Times are those of `performance.now()`, here and wherever something is waited
 * for: a machine's clock may be set.
 */
export class Lane implements Line, Watched {
  readonly id: string
  readonly #settings: LiveSettings
  readonly #replicas: Replicas
  readonly #journal: LiveJournal
  readonly #backoff: Backoff
  readonly #follows = new Map<Channel, Map<string, Follow>>()
  readonly #requests: Requests
  /** Where it is open, or is tried. */
  #replica: Replica
  /** Since the last good connection, or the last wait. */
  readonly #tried = new Set<Replica>()
  /** Why the last one was given up. */
  #why: Problem | null = null
  #socket: Socket | null = null
  #isOpen = false
  #isClosed = false
  #openedMs = 0
  #heardMs = 0
  #pingedMs: number | null = null
  #nextPingMs = 0
  #lookEveryMs = 0
  #startingToldMs = Number.NEGATIVE_INFINITY
  #watch: ReturnType<typeof setInterval> | null = null
  #retry: ReturnType<typeof setTimeout> | null = null

  constructor(id: string, settings: LiveSettings, replicas: Replicas, journal: LiveJournal) {
    this.id = id
    this.#settings = settings
    this.#replicas = replicas
    this.#replica = replicas.current
    this.#journal = journal
    this.#backoff = new Backoff(settings.backoff, settings.random)
    this.#requests = new Requests(id, settings.silenceMs, (text) => this.#send(text))
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get replica(): Replica {
    return this.#replica
  }

  get heardMs(): number {
    return this.#heardMs
  }

  /** How long the ping under way has waited for its answer; 0: none is. */
  get pingWaitMs(): number {
    return this.#pingedMs === null ? 0 : performance.now() - this.#pingedMs
  }

  get isEmpty(): boolean {
    return [...this.#follows.values()].every((follows) => follows.size === 0)
  }

  /** Is there a place for it, when the connection may have `max` of the channel? */
  canTake({ channel, key }: Follow, max: number): boolean {
    const follows = this.#follows.get(channel)
    return follows === undefined || (follows.size < max && !follows.has(key))
  }

  add(follow: Follow): void {
    const follows = this.#follows.get(follow.channel) ?? new Map<string, Follow>()
    this.#follows.set(follow.channel, follows)
    follows.set(follow.key, follow)
    if (this.#isOpen) follow.connected(this)
    else if (this.#socket === null && this.#retry === null) this.#open()
  }

  /** True when it was followed here. */
  remove(follow: Follow): boolean {
    const isHere = this.#takeOut(follow)
    if (isHere) this.pause(follow)
    return isHere
  }

  ask(follow: Follow): void {
    this.#requests.ask(follow)
  }

  askLater(follow: Follow, afterMs: number, ask: () => void): void {
    this.#requests.later([follow], afterMs, ask)
  }

  pause(follow: Follow): void {
    if (this.#isOpen) this.#requests.leave(follow)
  }

  fail(why: Problem): void {
    this.#giveUp(why)
  }

  leave(why: Problem): void {
    if (this.#isOpen) this.#giveUp(why)
  }

  drop(follow: Follow): void {
    this.#takeOut(follow)
  }

  close(): void {
    this.#isClosed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#letGo()
  }

  /** False when it is not there: another one may have its key by now. */
  #takeOut(follow: Follow): boolean {
    const follows = this.#follows.get(follow.channel)
    return follows?.get(follow.key) === follow && follows.delete(follow.key)
  }

  #open(): void {
    this.#retry = null
    const { openSocket, silenceMs } = this.#settings
    this.#replica = this.#replicas.next(this.#tried) ?? this.#replicas.current
    this.#tried.add(this.#replica)
    const { liveUrl } = this.#replica
    let socket: Socket
    try {
      const mark = liveUrl.includes('?') ? '&' : '?'
      socket = openSocket(`${liveUrl}${mark}id=${encodeURIComponent(this.id)}`)
    } catch (thrown) {
      this.#failed('no_socket', `No socket can be opened: ${sentenceOf(thrown)}.`)
      return
    }
    this.#socket = socket
    this.#heardMs = performance.now()
    this.#lookEveryMs = Math.min(silenceMs, this.#openMs) / 3
    this.#watch = setInterval(() => this.#look(), this.#lookEveryMs)
    const isCurrent = () => this.#socket === socket
    socket.addEventListener('open', () => isCurrent() && this.#opened())
    socket.addEventListener('message', ({ data }) => isCurrent() && this.#heard(data))
    socket.addEventListener('close', (event) => isCurrent() && this.#ended(event))
    // Node's socket tells a failed handshake by this event alone.
    socket.addEventListener('error', () => isCurrent() && this.#ended())
  }

  /** How long a connection may take to open. */
  get #openMs(): number {
    const { requestTimeoutMs } = this.#settings
    return this.#hasNext ? Math.min(requestTimeoutMs, OPEN_MS) : requestTimeoutMs
  }

  /** Is there a url that was not tried yet? */
  get #hasNext(): boolean {
    return this.#replicas.next(this.#tried) !== null
  }

  #opened(): void {
    this.#isOpen = true
    this.#replica.connections += 1
    const { current } = this.#replicas
    if (this.#why !== null && this.#tried.has(current))
      this.#replicas.move(this.#replica, this.#why)
    this.#openedMs = performance.now()
    this.#heardMs = this.#openedMs
    this.#journal.changed()
    for (const follows of this.#follows.values())
      for (const follow of follows.values()) follow.connected(this)
    this.#ping()
  }

  #heard(data: unknown): void {
    this.#heardMs = performance.now()
    const frame = parseFrame(data)
    if (frame.kind !== 'unreadable') this.#take(frame)
    else {
      // It may have been any message: all streams are resumed on a new connection.
      this.#journal.count('unreadable')
      this.#giveUp(frame.problem)
    }
  }

  #take(frame: Exclude<Frame, { kind: 'unreadable' }>): void {
    switch (frame.kind) {
      case 'ping':
        this.#send(PONG)
        return
      case 'pong':
        if (this.#pingedMs !== null)
          this.#journal.roundTripMs = Math.round(performance.now() - this.#pingedMs)
        this.#pingedMs = null
        return
      case 'acknowledged':
        this.#requests.acknowledged(frame)
        return
      case 'error':
        // Another replica may have started already.
        if (frame.problem.code === 'starting' && this.#hasNext) this.#giveUp(frame.problem)
        // One that answers nothing ended a stream, and does not say which: all are asked for anew.
        else if (this.#requests.refused(frame.problem)) this.#reportRefusal(frame.problem)
        else this.#giveUp(frame.problem)
        return
      case 'ended':
        this.#end(frame)
        return
      case 'resync':
        // One that is still on its way of a subscription that was left says nothing of the next one.
        if (!this.#requests.isLeaving(frame.channel, frame.key))
          this.#follows.get(frame.channel)?.get(frame.key)?.resync(frame)
        return
      case 'unknown':
        return
      default:
        this.#takeFrame(frame)
    }
  }

  #takeFrame(frame: ChannelFrame): void {
    const { kind, channel, epoch } = frame
    const position = isStateChannel(channel) ? frame.seq : frame.fields.position
    if (kind !== 'event' && isCount(position))
      this.#replicas.given(this.#replica, { epoch, position })
    for (const follow of this.#followsOf(frame)) follow.take(frame)
  }

  /** What has ended is refused, and nothing beside it; where it is nothing that is known, all are asked for anew. */
  #end(frame: Ended): void {
    const follows = [...this.#followsOf(frame)]
    // It says nothing of a subscription that is asked for anew, nor of one that was left.
    const ended = follows.filter((follow) => !this.#requests.isWaitingFor(follow))
    if (follows.length === 0 && !this.#requests.isLeaving(frame.channel, frame.key))
      this.#giveUp(frame.problem)
    else if (ended.length > 0) this.#journal.report(frame.problem)
    for (const follow of ended) {
      this.#requests.forget(follow)
      follow.refused(frame.problem)
    }
  }

  #followsOf({ channel, key }: ChannelFrame | Ended): Iterable<Follow> {
    if (isTableChannel(channel)) return this.#requests.followsOfTable(channel, key)
    const follow = this.#follows.get(channel)?.get(key)
    return follow === undefined ? [] : [follow]
  }

  /** Looks for silence: of the line, or of an answer that never comes. */
  #look(): void {
    const { silenceMs } = this.#settings
    const openMs = this.#openMs
    const nowMs = performance.now()
    if (!this.#isOpen && nowMs - this.#heardMs > openMs)
      this.#giveUp(problem('timeout', `No connection within ${openMs} ms.`))
    else if (nowMs - this.#heardMs > silenceMs)
      this.#giveUp(problem('timeout', `Nothing was heard for ${silenceMs} ms.`))
    else if (this.#requests.isOverdue(nowMs))
      this.#giveUp(problem('no_answer', `A request was not answered within ${silenceMs} ms.`))
    else if (this.#isOpen) this.#ping()
  }

  #ping(): void {
    const nowMs = performance.now()
    // One that is due before the middle of the time to the next look goes now: a timer comes early, or just late.
    if (this.#pingedMs !== null || nowMs + this.#lookEveryMs / 2 < this.#nextPingMs) return
    this.#pingedMs = nowMs
    this.#nextPingMs = nowMs + this.#settings.silenceMs / 3
    this.#send(PING)
  }

  /** One that takes nothing is given up behind who sends, who may send more and note that it waits for the answers. */
  #send(text: string): void {
    const socket = this.#socket
    try {
      socket?.send(text)
    } catch (thrown) {
      const why = problem('network', `The socket takes nothing: ${sentenceOf(thrown)}.`)
      queueMicrotask(() => this.#socket === socket && this.#giveUp(why))
    }
  }

  /** The other side, or the network, ended it: a program that waits for updates has to learn why none come. */
  #ended({ code, reason }: Closing = {}): void {
    const why = reason === undefined || reason === '' ? '' : ` (${reason})`
    const how = code === undefined ? 'broke off' : `was closed with ${code}${why}`
    const message = this.#isOpen ? `The connection ${how}.` : 'The live feed cannot be reached.'
    this.#giveUp(problem('network', message), OWN_FAULTS.includes(code))
  }

  /** @param stays the same url is asked again, after a wait */
  #giveUp(why: Problem, stays = false): void {
    this.#why = why
    this.#journal.report(why)
    this.#lost(stays)
  }

  /** A service that starts says so to each request, hundreds of them at once: once a second is told. */
  #reportRefusal(refusal: Problem): void {
    if (refusal.code === 'starting') {
      const nowMs = performance.now()
      if (nowMs < this.#startingToldMs + PASSING_MS) return
      this.#startingToldMs = nowMs
    }
    this.#journal.report(refusal)
  }

  /** The next attempt is set before anybody is told, who may follow more at once: that waits for it too. */
  #failed(code: string, message: string): void {
    const why = problem(code, message)
    this.#why = why
    this.#retryLater(false)
    this.#journal.report(why)
  }

  #lost(stays: boolean): void {
    const wasOpen = this.#isOpen
    if (wasOpen && performance.now() - this.#openedMs >= GOOD_MS) {
      this.#backoff.succeeded()
      this.#tried.clear()
      this.#tried.add(this.#replica)
    }
    this.#letGo()
    if (wasOpen) this.#journal.count('disconnects')
    for (const follows of this.#follows.values())
      for (const follow of follows.values()) follow.disconnected()
    this.#retryLater(stays)
    this.#journal.changed()
  }

  #retryLater(stays: boolean): void {
    if (this.#isClosed || this.#retry !== null) return
    const isNext = !stays && this.#hasNext
    if (!isNext) this.#tried.clear()
    this.#retry = setTimeout(() => this.#open(), isNext ? 0 : this.#backoff.nextMs())
  }

  /** Forgets the socket, whatever it still does. */
  #letGo(): void {
    const socket = this.#socket
    this.#socket = null
    if (this.#isOpen) this.#replica.connections -= 1
    this.#isOpen = false
    this.#pingedMs = null
    this.#nextPingMs = 0
    if (this.#watch !== null) clearInterval(this.#watch)
    this.#watch = null
    this.#requests.clear()
    try {
      socket?.close()
    } catch {
      // It is forgotten anyhow.
    }
  }
}
