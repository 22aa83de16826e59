import type { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { EngineService } from '../../src/query/engine-service.ts'
import type { AlertHistory } from '../../src/query/engine-streams.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/server.ts'
import { copyParts } from '../../src/store/recovery/recovery.ts'
import { engineOf } from '../store/restoring.ts'
import { leased } from './leased.ts'

const IDENTITIES = 1 << 14
const silent = () => {}

/** An engine behind a real server, without a journal: events are given to it by hand. */
export class EngineServer {
  engine: Engine
  readonly wired: EngineService
  readonly server: RunningServer
  readonly #about: { epoch: string }

  private constructor(
    engine: Engine,
    wired: EngineService,
    server: RunningServer,
    about: { epoch: string },
  ) {
    this.#about = about
    this.engine = engine
    this.wired = wired
    this.server = server
  }

  static async start(
    epoch = 'e1',
    engine = engineOf('event', IDENTITIES),
    changes: Partial<ServerOptions> = {},
    alerts?: AlertHistory,
  ): Promise<EngineServer> {
    const about = { epoch }
    const wired = new EngineService(engine, silent, () => about.epoch, undefined, alerts)
    const answers = leased(wired.answers)
    const live = leased(wired.live)
    const streams = leased(wired.streams)
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      answers: answers.value,
      live: live.value,
      streams: streams.value,
      reads: answers.value,
      state: { isStarting: () => false, notReady: () => null, figures: () => ({}) },
      position: { epoch: () => about.epoch, seq: () => streams.value.position() },
      clock: Date.now,
      checksCache: true,
      rateLimit: null,
      trustProxy: [],
      corsOrigin: '*',
      log: { info: silent, warn: silent, error: silent },
      ...changes,
    })
    wired.attach()
    const stop = async () => {
      await server.stop()
      for (const lease of [answers, live, streams]) lease.end()
    }
    return new EngineServer(engine, wired, { ...server, stop }, about)
  }

  /** Another engine takes the place of this one, as when a history is in. */
  replaced(engine: Engine, epoch: string): void {
    this.engine = engine
    this.#about.epoch = epoch
    this.wired.use(engine)
    this.server.renew()
  }

  /** A new process that recovered this one's state, under the same epoch unless another is given. */
  async restarted(epoch = 'e1'): Promise<EngineServer> {
    await this.server.stop()
    const engine = engineOf('event', IDENTITIES)
    copyParts(this.engine.parts, engine.parts)
    return EngineServer.start(epoch, engine)
  }

  feed(events: Iterable<FeedEvent>): void {
    for (const event of events) this.engine.accept(event)
    this.engine.order.keepUp()
  }

  async text(path: string): Promise<string> {
    const response = await fetch(this.server.url + path)
    return response.text()
  }

  async json(path: string, init: RequestInit = {}): Promise<unknown> {
    const response = await fetch(this.server.url + path, init)
    const body: unknown = await response.json()
    return body
  }
}
