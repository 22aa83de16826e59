import { Engine, type EngineOptions } from '../../src/engine/engine.ts'
import { PositionLane } from '../../src/engine/state/layout.ts'
import { TAPE_BLOCK_RECORDS } from '../../src/engine/state/tape.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { eventFrame } from '../../src/protocol/wire.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { EngineLive } from '../../src/query/json/engine-live.ts'
import { copyParts } from '../../src/store/recovery/recovery.ts'
import { Oracle } from '../oracle/oracle.ts'
import type { Counts } from '../oracle/order.ts'
import { MemoryArchive } from '../store/memory-archive.ts'

/** Low enough that short histories make pro traders. */
const PRO_RULE = { trades: 6, mints: 2 }

/** More than a history has; a million would take longer to clear than to use. */
const IDENTITIES = 1 << 12
const NO_COUNTS = { duplicates: 0, lateRefused: 0, secondCreations: 0, secondMigrations: 0 }

export type Clock = 'event' | 'wall'

/** What a long history needs other than a short one. */
type Sizes = Pick<EngineOptions, 'identities' | 'keptBars'>
type PairOptions = Sizes & { readonly clock: Clock }

/** Engine and oracle side by side, fed the same events. */
export class Pair {
  readonly oracle: Oracle
  engine: Engine
  answers: EngineQueries
  /** Live messages in the order in which they left the engine. */
  readonly trades: string[] = []
  readonly migrations: string[] = []
  /** Of the run that fills a gap: what was taken, which is told when the run has ended. */
  readonly filled: FeedEvent[] = []
  /** The oracle's counts before the event that is checked. */
  lastCounts: Readonly<Counts> = NO_COUNTS
  readonly mints = new Set<string>()
  readonly wallets = new Set<string>()
  readonly #options: PairOptions
  readonly #swaps = new MemoryArchive()
  readonly #resting = new MemoryArchive(PositionLane.lanes)

  constructor(clock: Clock, sizes: Sizes = {}) {
    this.#options = { clock, ...sizes }
    this.oracle = new Oracle({ clock, proRule: PRO_RULE })
    this.engine = engineOf(this.#options)
    this.answers = this.#attached()
  }

  /** Reads and live messages of the engine, as after a start. */
  #attached(): EngineQueries {
    const live = new EngineLive(this.engine)
    live.onTrade((trade) => this.trades.push(eventFrame('update_mint_info', trade)))
    live.onAnnounced((channel, message) => {
      if (channel === 'mint_migration') this.migrations.push(eventFrame(channel, message))
    })
    live.attach()
    const answers = new EngineQueries(this.engine, () => {})
    answers.attach()
    return answers
  }

  apply(event: FeedEvent): void {
    this.oracle.apply(event)
    this.engine.accept(event)
    if ('mint' in event) this.mints.add(event.mint)
    if (event.type === 'swap') this.wallets.add(event.signer)
    if (event.type === 'balance') this.wallets.add(event.wallet)
  }

  /** Puts every token that may to rest: what the oracle knows nothing of, for no answer shows it. */
  rest(): void {
    const { tokens } = this.engine.state
    this.engine.coldStore.evict(Array.from({ length: tokens.count }, (_, token) => token))
  }

  /** Whole chunks of swaps that are settled, and of resting positions, leave memory. */
  leaveMemory(): void {
    const { tape } = this.engine.state.dormant
    this.#swaps.takeFrom(this.engine)
    this.#resting.take(tape, tape.count)
  }

  /** Another engine goes on with the state, as a start does with a snapshot. */
  restart(): void {
    this.leaveMemory()
    const next = engineOf(this.#options)
    copyParts(this.engine.parts, next.parts)
    next.state.tape.archive = this.#swaps
    next.state.dormant.tape.archive = this.#resting
    this.engine = next
    this.answers = this.#attached()
  }

  setNow(seconds: number): void {
    this.oracle.setNow(seconds)
    this.engine.advance(seconds)
  }
}

/** Few records a chunk, so that short histories have some. */
function engineOf(options: PairOptions): Engine {
  const rules = { proTrades: PRO_RULE.trades, proMints: PRO_RULE.mints }
  const tapeChunkRecords = TAPE_BLOCK_RECORDS
  return new Engine({ rules, identities: IDENTITIES, tapeChunkRecords, ...options })
}
