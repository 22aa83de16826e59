import type { Engine } from '../engine/engine.ts'
import type { MemoryPart } from '../engine/memory/state-part.ts'
import { WalletLabels } from '../protocol/wallet-labels.ts'
import { EngineQueries } from './engine-queries.ts'
import { EngineStreams } from './engine-streams.ts'
import { EngineLive } from './json/engine-live.ts'

/** Everything that a server reads from an engine, and what the engine publishes. */
export class EngineService {
  /** Labels of wallets, which the user's file may change at any time. */
  readonly labels: WalletLabels
  readonly answers: EngineQueries
  readonly live: EngineLive
  readonly streams: EngineStreams

  /** `tick` brings the engine's now up to date before a read; `epoch` is called once it is known. */
  constructor(
    engine: Engine,
    tick: () => void,
    epoch: () => string,
    labels = new WalletLabels(),
    alerts?: ConstructorParameters<typeof EngineStreams>[4],
  ) {
    this.labels = labels
    this.answers = new EngineQueries(engine, tick, this.labels)
    this.live = new EngineLive(engine, this.labels)
    this.streams = new EngineStreams(engine, this.answers, epoch, this.labels, alerts)
  }

  /** The same as plain values, for the options of a server. */
  get ports() {
    const { answers, live, streams } = this
    return { answers, live, streams, reads: answers }
  }

  /** Memory beside the engine, part by part. */
  get memory(): readonly MemoryPart[] {
    return [...this.answers.memory, this.streams.memory]
  }

  /** Reads and publishes another engine from now on, whose events until now were folded unpublished. */
  use(engine: Engine): void {
    this.answers.use(engine)
    this.streams.use(engine)
    this.live.use(engine)
    this.attach()
  }

  /** Begins to publish and to note events: after the recovery, whose events were published before the stop. */
  attach(): void {
    this.streams.attach()
    this.answers.attach()
    this.live.attach()
  }
}
