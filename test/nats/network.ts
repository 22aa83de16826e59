/** Machines of a test: network namespaces joined by a bridge, whose cables are pulled. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'

/** Where a server runs, and how. */
export interface Host {
  readonly address: string
  /** The command that runs another one there. */
  readonly runs: readonly string[]
}

/** This machine, without one of its own. */
export const LOOPBACK: Host = { address: '127.0.0.1', runs: [] }

/** For tests of networks (RFC 2544): no machine's own. */
const NETWORK = '198.18'
const HOSTS_MAX = 250

/** False, and a sentence, where namespaces cannot be had. */
export function hasNamespaces(): boolean {
  const name = `mf${process.pid}t`
  const isMade = process.platform === 'linux' && ip('link', 'add', name, 'type', 'bridge')
  const has = isMade && ip('netns', 'add', name)
  ip('netns', 'del', name)
  ip('link', 'del', name)
  if (!has)
    console.log(
      'Network namespaces need root and ip (iproute2): tests of a cut network are skipped.',
    )
  return has
}

export class Network {
  readonly #name = `mf${process.pid}`
  readonly #prefix = `${NETWORK}.${process.pid % HOSTS_MAX}`
  readonly #hosts = new Map<string, Host & { readonly place: number }>()
  readonly #guard: ChildProcess

  constructor() {
    // Removes all of it when this process is gone, however that ended.
    const script = `read end; for n in $(ip netns | grep -o '^${this.#name}-[0-9]*'); do ip netns del $n; done; ip link del ${this.#name}`
    this.#guard = spawn('sh', ['-c', script], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    must('link', 'add', this.#name, 'type', 'bridge')
    must('addr', 'add', `${this.#prefix}.254/24`, 'dev', this.#name)
    must('link', 'set', this.#name, 'up')
  }

  /** The machine of a name, made when it is asked for first. */
  host(name: string): Host {
    const known = this.#hosts.get(name)
    if (known !== undefined) return known
    const place = this.#hosts.size + 1
    const [space, cable] = [this.#space(place), this.#cable(place)]
    const address = `${this.#prefix}.${place}`
    must('netns', 'add', space)
    must('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space)
    must('link', 'set', cable, 'master', this.#name, 'up')
    must('-n', space, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
    for (const link of ['lo', 'eth0']) must('-n', space, 'link', 'set', link, 'up')
    const host = { address, runs: ['ip', 'netns', 'exec', space], place }
    this.#hosts.set(name, host)
    return host
  }

  /** Nothing comes to it or from it any more, and nobody is told. */
  cut(name: string): void {
    must('link', 'set', this.#cable(this.#placeOf(name)), 'down')
  }

  /** Nothing goes from it to the others; what else it talks to it still reaches. */
  cutFrom(name: string, others: readonly string[]): void {
    for (const other of others) this.#route('add', name, other)
  }

  /** Undoes `cut`. */
  join(name: string): void {
    must('link', 'set', this.#cable(this.#placeOf(name)), 'up')
  }

  /** Undoes `cutFrom`. */
  joinWith(name: string, others: readonly string[]): void {
    for (const other of others) this.#route('del', name, other)
  }

  /** Resolves when nothing of it is left. */
  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#guard.once('exit', resolve))
    this.#guard.stdin?.end()
    await gone
  }

  #route(order: 'add' | 'del', name: string, other: string): void {
    const space = this.#space(this.#placeOf(name))
    must('-n', space, 'route', order, 'blackhole', `${this.host(other).address}/32`)
  }

  #space(place: number): string {
    return `${this.#name}-${place}`
  }

  #cable(place: number): string {
    return `${this.#name}c${place}`
  }

  #placeOf(name: string): number {
    const host = this.#hosts.get(name)
    if (host === undefined) throw new Error(`there is no machine ${name}`)
    return host.place
  }
}

function ip(...args: readonly string[]): boolean {
  return spawnSync('ip', args).status === 0
}

function must(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr}`)
}
