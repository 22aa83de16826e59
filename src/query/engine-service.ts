import type { Engine } from '../engine/engine.ts'
import type { MemoryPart } from '../engine/memory/state-part.ts'
import { EngineLive } from './engine-live.ts'
import { EngineQueries } from './engine-queries.ts'
import { EngineStreams } from './engine-streams.ts'
import { EngineTokenReads } from './engine-token-reads.ts'

/** Everything that a server asks of an engine and is told by it. */
export class EngineService {
  readonly answers: EngineQueries
  readonly live: EngineLive
  readonly streams: EngineStreams
  readonly reads: EngineTokenReads

  /** `tick` brings the engine's now up to date before a read; `epoch` is asked when it is known. */
  constructor(engine: Engine, tick: () => void, epoch: () => string) {
    this.answers = new EngineQueries(engine, tick)
    this.live = new EngineLive(engine)
    this.reads = new EngineTokenReads(engine, tick)
    const { answers, reads } = this
    this.streams = new EngineStreams({ engine, answers, reads, epoch })
  }

  /** The same as plain values, for the options of a server. */
  get ports() {
    const { answers, live, streams, reads } = this
    return { answers, live, streams, reads }
  }

  /** What is kept beside the engine, part by part. */
  get memory(): readonly MemoryPart[] {
    return [...this.answers.memory, this.reads.memory, this.streams.memory]
  }

  /** Begins to tell and to note what happens: after the recovery, whose events were told before. */
  attach(): void {
    this.streams.attach()
    this.reads.attach()
    this.live.attach()
  }
}
