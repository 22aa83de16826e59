import type { Settings } from '../options.ts'
import { isBefore, type Place, placeOf } from '../place.ts'
import { type Problem, problem } from '../problem.ts'
import type { Replica, Replicas } from '../replicas.ts'

/** No answer to a look within this time counts as none. */
const LOOK_WAIT_MS = 3_000

/** What a replica says of itself. */
interface Look {
  /** `unknown`: something that is no service answered, as a proxy that does not hand on `/readyz`. */
  readonly health: 'ready' | 'not_ready' | 'unreachable' | 'unknown'
  readonly place: Place | null
}

type Looks = ReadonlyMap<Replica, Look>

/** An open connection. */
export interface Watched {
  readonly isOpen: boolean
  readonly replica: Replica
  /** When something came on it, by `performance.now()`. */
  readonly heardMs: number
  leave(why: Problem): void
}

/** Asks all replicas now and then how they are, and leaves one that is worse than another. */
export class ReplicaWatch {
  readonly #settings: Settings
  readonly #replicas: Replicas
  readonly #connections: () => readonly Watched[]
  #timer: ReturnType<typeof setTimeout> | null = null
  #asking = new AbortController()
  #before: Looks = new Map()

  constructor(settings: Settings, replicas: Replicas, connections: () => readonly Watched[]) {
    this.#settings = settings
    this.#replicas = replicas
    this.#connections = connections
  }

  /** The first look comes at any time of the first interval: many clients are not to look together. */
  start(): void {
    const { fetch, lookEveryMs, random } = this.#settings
    if (this.#timer !== null || fetch === null || this.#replicas.all.length === 1) return
    this.#asking = new AbortController()
    this.#timer = setTimeout(() => void this.#look(this.#asking), lookEveryMs * random())
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#before = new Map()
    this.#asking.abort()
  }

  async #look(asking: AbortController): Promise<void> {
    const beganMs = performance.now()
    const { all, current } = this.#replicas
    const looks = new Map(
      await Promise.all(
        all.map(async (replica) => [replica, await this.#ask(replica, asking)] as const),
      ),
    )
    if (asking.signal.aborted) return
    this.#timer = setTimeout(() => void this.#look(asking), this.#settings.lookEveryMs)
    const place = looks.get(current)?.place ?? null
    // What is read live has no position: what its replica had by now was read.
    if (place !== null && current.connections > 0) this.#replicas.given(current, place)
    const before = this.#before
    this.#before = looks
    for (const replica of all) this.#judge(replica, { looks, before, beganMs })
  }

  #judge(
    replica: Replica,
    { looks, before, beganMs }: { looks: Looks; before: Looks; beganMs: number },
  ): void {
    const here = this.#connections().filter((line) => line.isOpen && line.replica === replica)
    if (here.length === 0) return
    const isHeard = here.some(({ heardMs }) => heardMs > beganMs)
    const better = betterThan(replica, looks, before, isHeard)
    if (better === null) return
    const { to, why } = better
    if (replica === this.#replicas.current) this.#replicas.move(to, why)
    for (const line of here) line.leave(why)
  }

  async #ask(replica: Replica, asking: AbortController): Promise<Look> {
    const { fetch, requestTimeoutMs } = this.#settings
    const aborter = new AbortController()
    const abort = () => aborter.abort()
    const timer = setTimeout(abort, Math.min(LOOK_WAIT_MS, requestTimeoutMs))
    asking.signal.addEventListener('abort', abort)
    let look: Look = { health: 'unreachable', place: null }
    try {
      const answer = await fetch?.(`${replica.url}/readyz`, {
        method: 'HEAD',
        headers: {},
        signal: aborter.signal,
      })
      if (answer !== undefined)
        look = { health: healthOf(answer.status), place: placeOf(answer.headers) }
    } catch {
      // It is not there.
    } finally {
      clearTimeout(timer)
      asking.signal.removeEventListener('abort', abort)
    }
    replica.isReady = look.health === 'unknown' ? null : look.health === 'ready'
    if (look.place !== null) replica.place = look.place
    return look
  }
}

function healthOf(status: number): Look['health'] {
  if (status === 200) return 'ready'
  return status === 503 ? 'not_ready' : 'unknown'
}

/**
 * The replica to go to, and why; null: `own` is as good as any. It is left when another one is ready, and
 * - it says that it is not ready;
 * - or it does not answer, and nothing came of it since it was asked (`isHeard`);
 * - or it has not yet what the other one had at the look before: it lags by the time between two looks at least.
 */
function betterThan(
  own: Replica,
  looks: Looks,
  before: Looks,
  isHeard: boolean,
): { readonly to: Replica; readonly why: Problem } | null {
  const look = looks.get(own)
  const to = bestBeside(own, looks)
  if (look === undefined || to === null) return null
  if (look.health === 'not_ready')
    return {
      to,
      why: problem('not_ready', 'The service says that it is not ready, another one is.'),
    }
  if (look.health === 'unreachable')
    return isHeard ? null : { to, why: problem('silent', 'The service says nothing any more.') }
  const earlier = before.get(to)?.place ?? null
  if (look.place === null || earlier === null || !isBefore(look.place, earlier)) return null
  const message = `The service has ${look.place.position} events, another one had ${earlier.position} at the look before.`
  return { to, why: problem('lagging', message) }
}

/** Of the others that are ready the one that is furthest ahead, of the same epoch if there is one. */
function bestBeside(own: Replica, looks: Looks): Replica | null {
  const epoch = looks.get(own)?.place?.epoch
  let best: Replica | null = null
  let most: readonly [number, number] = [-1, -1]
  for (const [replica, { health, place }] of looks) {
    if (replica === own || health !== 'ready') continue
    const worth = [Number(place?.epoch === epoch), place?.position ?? 0] as const
    if (worth[0] < most[0] || (worth[0] === most[0] && worth[1] <= most[1])) continue
    best = replica
    most = worth
  }
  return best
}
