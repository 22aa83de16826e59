import type { OpenSocket, Settings } from '../options.ts'
import { type Problem, problem } from '../problem.ts'
import type { Replicas } from '../replicas.ts'
import type { Follow } from './follow.ts'
import type { Channel } from './frames.ts'
import { Lane } from './lane.ts'
import { ReplicaWatch } from './replica-watch.ts'
import type { LiveJournal } from './status.ts'

/** What the service allows a connection (docs/live.md, "Errors and limits"). */
export const LANE_MAX: { readonly [C in Channel]: number } = {
  update_mint_info: 1_000,
  wallet_trades: 1_000,
  meme_tables: 10,
  trending: 10,
  candles: 100,
  mint_migration: 1,
  new_launched_pool: 1,
  all_trades: 1,
  alerts: 1,
}
/** Connections of one client at most; what would need more is refused with `too_many_follows`. */
export const LANES_MAX = 32

/** What is followed is refused: to wait for a socket would be to wait for ever. */
const NO_SOCKET =
  'This platform has no WebSocket, as Node 20 has none: give openSocket, for example that of the package ws, ' +
  'as (url) => new WebSocket(url).'

/** Characters (code points) of a connection's id at most. */
const ID_CHARACTERS_MAX = 128

/** Spreads what is followed over as few connections as it needs. */
export class Lanes {
  readonly #settings: Settings
  readonly #replicas: Replicas
  readonly #journal: LiveJournal
  readonly #watch: ReplicaWatch
  #lanes: Lane[] = []
  #opened = 0
  #isClosed = false
  #isSocketMissed = false

  constructor(settings: Settings, replicas: Replicas, journal: LiveJournal) {
    this.#settings = settings
    this.#replicas = replicas
    this.#journal = journal
    this.#watch = new ReplicaWatch(settings, replicas, () => this.#lanes)
  }

  get count(): number {
    return this.#lanes.length
  }

  get openCount(): number {
    return this.#lanes.filter((lane) => lane.isOpen).length
  }

  /** Of the ping that has waited longest for its answer; 0: none is under way. */
  get pingWaitMs(): number {
    return Math.max(0, ...this.#lanes.map((lane) => lane.pingWaitMs))
  }

  add(follow: Follow): void {
    if (this.#isClosed) {
      follow.refused(problem('closed', 'The client is closed.'))
      return
    }
    const { openSocket } = this.#settings
    if (openSocket === null) {
      follow.refused(this.#noSocket())
      return
    }
    const lane = this.#laneFor(follow, openSocket)
    if (lane === null)
      follow.refused(problem('too_many_follows', `More than ${LANES_MAX} connections are needed.`))
    else lane.add(follow)
  }

  remove(follow: Follow): void {
    this.#lanes.find((lane) => lane.remove(follow))
    // One whose follows were all refused is empty too.
    const empty = this.#lanes.filter((lane) => lane.isEmpty)
    if (empty.length === 0) return
    for (const lane of empty) lane.close()
    this.#lanes = this.#lanes.filter((lane) => !empty.includes(lane))
    if (this.#lanes.length === 0) this.#watch.stop()
    this.#journal.changed()
  }

  /** Idempotent: who is told of it may close the client, too. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#watch.stop()
    for (const lane of this.#lanes) lane.close()
    this.#lanes = []
    this.#journal.changed()
  }

  /** Reported once, however many things are followed. */
  #noSocket(): Problem {
    const missing = problem('no_socket', NO_SOCKET)
    if (!this.#isSocketMissed) this.#journal.report(missing)
    this.#isSocketMissed = true
    return missing
  }

  #laneFor(follow: Follow, openSocket: OpenSocket): Lane | null {
    const max = LANE_MAX[follow.channel]
    const found = this.#lanes.find((lane) => lane.canTake(follow, max))
    if (found !== undefined) return found
    if (this.#lanes.length >= LANES_MAX) return null
    const settings = { ...this.#settings, openSocket }
    const id = idOf(this.#settings.id, this.#opened)
    const lane = new Lane(id, settings, this.#replicas, this.#journal)
    this.#opened += 1
    this.#watch.start()
    this.#lanes.push(lane)
    return lane
  }
}

/** Each connection has an id of its own, made from that of the client; a long one is cut to leave room for the number. */
function idOf(id: string, opened: number): string {
  if (opened === 0) return id
  const number = `.${opened}`
  return [...id].slice(0, ID_CHARACTERS_MAX - number.length).join('') + number
}
