import type { FeedEvent } from '../../src/events/event.ts'
import type { ServerOptions } from '../../src/server/server.ts'
import { EngineServer } from '../server/engine-server.ts'
import { GateProxy } from './gate-proxy.ts'
import { Witness } from './witness.ts'

/** One engine that folds the events of a set, behind an address that stays. */
export class SetReplica {
  readonly proxy: GateProxy
  /** Why it says that it is not ready. */
  reason: string | null = null
  readonly #events: readonly FeedEvent[]
  #service: EngineServer
  #fed = 0

  private constructor(events: readonly FeedEvent[], service: EngineServer, proxy: GateProxy) {
    this.#events = events
    this.#service = service
    this.proxy = proxy
  }

  static async start(events: readonly FeedEvent[], epoch: string): Promise<SetReplica> {
    const about: { replica: SetReplica | null } = { replica: null }
    const state: ServerOptions['state'] = {
      isStarting: () => false,
      notReady: () => about.replica?.reason ?? null,
      figures: () => ({}),
    }
    const service = await EngineServer.start(epoch, undefined, { state })
    const proxy = await GateProxy.start(service.server.url)
    about.replica = new SetReplica(events, service, proxy)
    return about.replica
  }

  get url(): string {
    return this.proxy.url
  }

  /** Folds the events that it has not yet, but the last `behind`. */
  catchUp(behind = 0): void {
    const to = Math.max(this.#fed, this.#events.length - behind)
    this.#service.feed(this.#events.slice(this.#fed, to))
    this.#fed = to
  }

  /** A new process with the same state takes its place. */
  async restart(): Promise<void> {
    this.#service = await this.#service.restarted()
    this.proxy.aim(this.#service.server.url)
  }

  /** Ends as a service does: it says goodbye to every connection. */
  async stop(): Promise<void> {
    await this.#service.server.stop()
    await this.proxy.stop()
  }
}

/** Replicas of one stream of events, each of which folds it when it is told to; and who knows what it has to tell. */
export class ReplicaSet {
  readonly witness = new Witness()
  readonly replicas: readonly SetReplica[]
  readonly #events: FeedEvent[]
  readonly #source: Iterator<FeedEvent, never>
  readonly #reference: EngineServer

  private constructor(
    events: FeedEvent[],
    source: Iterator<FeedEvent, never>,
    reference: EngineServer,
    replicas: readonly SetReplica[],
  ) {
    this.#events = events
    this.#source = source
    this.#reference = reference
    this.replicas = replicas
    this.witness.listen(reference)
  }

  static async start(
    source: Iterator<FeedEvent, never>,
    epochs: readonly string[],
  ): Promise<ReplicaSet> {
    const events: FeedEvent[] = []
    const replicas = await Promise.all(epochs.map((epoch) => SetReplica.start(events, epoch)))
    return new ReplicaSet(events, source, await EngineServer.start(), replicas)
  }

  get urls(): readonly string[] {
    return this.replicas.map(({ url }) => url)
  }

  /** The next events of the stream; the replicas take them in when they are told to. */
  append(count: number): void {
    const added = Array.from({ length: count }, () => this.#source.next().value)
    this.#events.push(...added)
    this.#reference.feed(added)
  }

  async stop(): Promise<void> {
    for (const replica of this.replicas) await replica.stop()
    await this.#reference.server.stop()
  }
}
