import type { Engine } from '../../src/engine/engine.ts'
import { AHEAD_OF_WALL_SECONDS_MAX } from '../../src/events/event.ts'
import { RESOLUTIONS } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { type Check, firstDifference } from '../model/difference.ts'
import { randomTables, wholeChart } from '../model/random-queries.ts'
import { Oracle } from '../oracle/oracle.ts'
import type { Random } from '../oracle/random.ts'
import { QUERIES } from '../oracle/samples.ts'
import type { Plan } from './plan.ts'
import { type Arrival, hasNoEvents, PRO_RULE } from './reference.ts'

const TRADERS = { page: 1, limit: 200, orderBy: 'pnl', direction: 'desc' } as const

/** The naive oracle over what arrived; it is made anew when something of that was lost. */
export class OracleCheck {
  readonly #plan: Plan
  #oracle: Oracle
  #taken = 0
  #newest: Arrival | undefined

  constructor(plan: Plan) {
    this.#plan = plan
    this.#oracle = this.#newOracle()
  }

  /** A sentence about the first answer that is not the oracle's; null when all are. */
  difference(engine: Engine, arrivals: readonly Arrival[], random: Random): string | null {
    this.#takeIn(arrivals)
    this.#oracle.setNow(engine.state.now)
    return firstDifference(this.#checks(new EngineQueries(engine, () => {}), engine, random))
  }

  #takeIn(arrivals: readonly Arrival[]): void {
    if (arrivals[this.#taken - 1] !== this.#newest) {
      this.#oracle = this.#newOracle()
      this.#taken = 0
    }
    for (const { kind, now, events } of arrivals.slice(this.#taken))
      for (const event of hasNoEvents(kind) ? [] : events) {
        const isAhead = event.timestamp > now + AHEAD_OF_WALL_SECONDS_MAX
        if (this.#plan.clock === 'event' || !isAhead) this.#oracle.apply(event)
      }
    this.#taken = arrivals.length
    this.#newest = arrivals.at(-1)
  }

  #newOracle(): Oracle {
    return new Oracle({ clock: this.#plan.clock, proRule: PRO_RULE })
  }

  *#checks(answers: EngineQueries, engine: Engine, random: Random): Generator<Check> {
    const oracle = this.#oracle
    const mints = oracle.mints()
    yield {
      name: 'market data',
      actual: answers.marketData(mints),
      expected: oracle.marketData(mints),
    }
    const tables = randomTables(random)
    yield {
      name: `tables ${JSON.stringify(tables)}`,
      actual: answers.tables(tables),
      expected: oracle.tables(tables),
    }
    const query = random.pick(QUERIES)
    yield {
      name: `search ${query}`,
      actual: answers.search(query),
      expected: oracle.search(query),
    }
    const mint = mints[random.integer(0, mints.length - 1)] ?? 'unknown'
    yield {
      name: `swaps of ${mint}`,
      actual: answers.swaps(mint, null, { page: 1, limit: 200 }),
      expected: oracle.swaps(mint, null, 1, 200),
    }
    yield {
      name: `traders of ${mint}`,
      actual: answers.tokenTraders(mint, TRADERS),
      expected: oracle.tokenTraders(mint, TRADERS),
    }
    const chart = wholeChart(mint, engine.state.now, random.pick(RESOLUTIONS))
    yield {
      name: `chart ${chart.resolution} of ${mint}`,
      actual: answers.chart(chart),
      expected: oracle.chart(chart),
    }
  }
}
