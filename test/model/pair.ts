import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/engine/event.ts'
import { EngineAnswers } from '../../src/wire/engine-answers.ts'
import { EngineLive } from '../../src/wire/engine-live.ts'
import { Oracle } from '../oracle/oracle.ts'
import type { Counts } from '../oracle/order.ts'

/** Low enough that short histories make pro traders. */
const PRO_RULE = { trades: 6, mints: 2 }

/** More than a history has; a million would take longer to clear than to use. */
const IDENTITIES = 1 << 12
const NO_COUNTS = { duplicates: 0, lateRefused: 0, secondCreations: 0, secondMigrations: 0 }

export type Clock = 'event' | 'wall'

/** Engine and oracle side by side, fed the same events. */
export class Pair {
  readonly oracle: Oracle
  readonly engine: Engine
  readonly answers: EngineAnswers
  /** Live messages in the order in which they left the engine. */
  readonly trades: string[] = []
  readonly migrations: string[] = []
  /** The oracle's counts before the event that is checked. */
  lastCounts: Readonly<Counts> = NO_COUNTS
  readonly mints = new Set<string>()
  readonly wallets = new Set<string>()

  constructor(clock: Clock) {
    this.oracle = new Oracle({ clock, proRule: PRO_RULE })
    const rules = { proTrades: PRO_RULE.trades, proMints: PRO_RULE.mints }
    this.engine = new Engine({ clock, rules, identities: IDENTITIES })
    this.answers = new EngineAnswers(this.engine, () => {})
    const live = new EngineLive(this.engine)
    live.onTrade(
      () => true,
      (_mint, message) => this.trades.push(message),
    )
    live.onMigration((message) => this.migrations.push(message))
    live.attach()
  }

  apply(event: FeedEvent): void {
    this.oracle.apply(event)
    this.engine.accept(event)
    if (event.type !== 'sol_price') this.mints.add(event.mint)
    if (event.type === 'swap') this.wallets.add(event.signer)
  }

  /** Puts every token that may to rest: what the oracle knows nothing of, for no answer shows it. */
  rest(): void {
    const { tokens } = this.engine.state
    this.engine.dormancy.rest(Array.from({ length: tokens.count }, (_, token) => token))
  }

  setNow(seconds: number): void {
    this.oracle.setNow(seconds)
    this.engine.advance(seconds)
  }
}
