import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startProgram } from '../process/program.ts'
import { ROOT } from '../tidy/source-files.ts'
import type { Attack, Besieged } from './attack.ts'
import { answersOf, startBareService } from './bare-service.ts'
import { COSTLY_REQUESTS } from './costly-requests.ts'
import { disconnects, messageFlood, subscribeFlood, unreadAnswers } from './live-floods.ts'
import { takePlaces } from './places.ts'
import { recordedTrades } from './recorded-trades.ts'
import {
  idleSockets,
  slowBodies,
  slowHeaders,
  slowLiveReaders,
  slowReaders,
  tornPipelines,
} from './slow-clients.ts'

export const ATTACKS: readonly Attack[] = [
  slowHeaders,
  slowBodies,
  slowReaders,
  tornPipelines,
  slowLiveReaders,
  unreadAnswers,
  idleSockets,
  disconnects,
  subscribeFlood,
  messageFlood,
  ...COSTLY_REQUESTS,
]

/** How often the service's figures are read during an attack. */
const LOOK_MS = 250

/** How long the client warms the service, at most; a program that has just started is slow by itself. */
const WARM_UP_MS = 3000

/** What a client that behaves met meanwhile. */
export interface Measured {
  readonly answers: number
  /** Status or code of each request that was refused or cut. */
  readonly failures: readonly string[]
  readonly p50Ms: number
  readonly p99Ms: number
  /** How late the client was by itself, p99: what it says of the service is no finer than that. */
  readonly ownP99Ms: number
}

export interface Effect {
  readonly before: Measured
  readonly during: Measured
  /** Bytes more than before that the process held at most. */
  readonly memoryBytes: number
  /** Longest delay of the service's loop while it lasted. */
  readonly stallMs: number
}

/** Lines of its log that tell why a process has ended. */
const LAST_LINES = 20

/** A process under attack and, beside it, a client that behaves. */
export class Siege {
  readonly #besieged: Besieged
  readonly #client: ReturnType<typeof fork>

  private constructor(besieged: Besieged) {
    this.#besieged = besieged
    const file = join(ROOT, 'test/attacks/good-client-process.ts')
    this.#client = fork(file, [String(besieged.victim.port)])
  }

  /** Of the real program. */
  static async begin(tokens: number, swapsPerSecond: number): Promise<Siege> {
    const program = await startProgram({
      SIM_TOKENS: String(tokens),
      SIM_RATE: String(swapsPerSecond),
      TRUST_PROXY: '127.0.0.1',
      // Every answer made twice would be the tests' own attack.
      CHECK_CACHE: '0',
      ADMIN_PORT: '0',
    })
    const admin = /"port":(\d+)/.exec(await program.seen(/admin surface/))?.[1]
    const port = Number(new URL(program.url).port)
    const mints = await someMints(program.url)
    return new Siege({
      pid: program.child.pid ?? 0,
      victim: { port, mints },
      metrics: `http://127.0.0.1:${admin}/metrics`,
      defects: () => program.lines.filter((line) => line.includes('A route threw')),
      end: () => program.end('SIGTERM'),
      lastLines: () => program.lines.slice(-LAST_LINES).join('\n'),
    })
  }

  /** Of uWebSockets.js alone, which answers with the bytes that this one answers with now, and tells its trades. */
  async beginBare(): Promise<Siege> {
    const { victim } = this.#besieged
    const trades = await recordedTrades(victim)
    return new Siege(await startBareService(victim, await answersOf(victim.port), trades))
  }

  /** How its log ends, where it has one. */
  get lastLines(): string {
    return this.#besieged.lastLines?.() ?? ''
  }

  /** Log lines of defects so far. */
  get defects(): readonly string[] {
    return this.#besieged.defects()
  }

  /** Separates attacker, client and service; false where the machine does not allow it. */
  separate(): boolean {
    const client = this.#client.pid ?? 0
    return takePlaces({ service: this.#besieged.pid, client, attacker: process.pid })
  }

  /** The client is measured for `quietMs`, then for `durationMs` of the attack. */
  async attack(
    attack: Attack,
    size: number,
    durationMs: number,
    quietMs = durationMs,
  ): Promise<Effect> {
    await this.#measure(() => pause(Math.min(durationMs, WARM_UP_MS)))
    const before = await this.#measure(() => pause(quietMs))
    const startBytes = (await this.#figures(['rss_bytes'])).rss_bytes
    let mostBytes = startBytes
    let stallMs = 0
    const endsAtMs = performance.now() + durationMs
    const isOver = () => performance.now() >= endsAtMs
    const look = async () => {
      const figures = await this.#figures(['rss_bytes', 'loop_delay_now_seconds'])
      mostBytes = Math.max(mostBytes, figures.rss_bytes)
      stallMs = Math.max(stallMs, figures.loop_delay_now_seconds * 1000)
    }
    // Between two looks something else may fail first: the last look says it then.
    const watch = setInterval(() => look().catch(() => {}), LOOK_MS)
    const during = await this.#measure(() => attack.run(this.#besieged.victim, size, isOver))
    clearInterval(watch)
    await look()
    return { before, during, memoryBytes: mostBytes - startBytes, stallMs }
  }

  async end(): Promise<number | null> {
    this.#client.disconnect()
    return this.#besieged.end()
  }

  async #measure(work: () => Promise<void>): Promise<Measured> {
    this.#client.send('start')
    await work()
    const measured = new Promise<Measured>((resolve) => this.#client.once('message', resolve))
    this.#client.send('stop')
    return measured
  }

  async #figures<N extends string>(names: readonly N[]): Promise<Record<N, number>> {
    const { metrics } = this.#besieged
    const text = metrics === null ? '' : await (await fetch(metrics)).text()
    const figureOf = (name: string) =>
      Number(new RegExp(`^mintfeed_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
    const pairs = names.map((name) => [name, figureOf(name)] as const)
    return Object.fromEntries(pairs) as Record<N, number>
  }
}

async function someMints(url: string): Promise<string[]> {
  const response = await fetch(`${url}/api/v2/meme`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"limit":200}',
  })
  const tables = (await response.json()) as Record<string, { mint: string }[]>
  return Object.values(tables).flatMap((rows) => rows.map(({ mint }) => mint))
}
