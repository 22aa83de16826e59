import { createHash } from 'node:crypto'
import type { FeedEvent } from '../../src/events/event.ts'
import { RESOLUTIONS, TRADER_ORDERS } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { randomChart, randomTables } from '../model/random-queries.ts'
import type { Random } from '../oracle/random.ts'
import { QUERIES } from '../oracle/samples.ts'
import type { SimulatedProcess } from './process.ts'
import { insist } from './violation.ts'
import type { Witness } from './witness.ts'

/** Pairs of mint and wallet that somebody asks for. */
export interface Names {
  readonly mints: readonly [string, ...string[]]
  readonly wallets: readonly [string, ...string[]]
}

/** Reads of the API at random moments, and what they were answered. */
export class Reads {
  count = 0
  readonly #names: Names
  readonly #random: Random
  readonly #answered = new Map<string, string>()

  constructor(names: Names, random: Random) {
    this.#names = names
    this.#random = random
  }

  /** One read: as the reference answers, and as it was answered at the same place before. */
  read(process: SimulatedProcess, witness: Witness): void {
    const { engine } = process.service
    const { name, ask } = this.#question(engine.state.now)
    this.count += 1
    const answer = ask(process.answers)
    const expected = witness.reference.engine
    expected.advance(engine.state.now)
    const told = ask(new EngineQueries(expected, () => {}))
    insist(answer === told, () => `${name}: ${answer} instead of ${told}`)
    const place = `${process.epoch} ${engine.seq} ${engine.state.now} ${name}`
    const digest = createHash('sha256').update(answer).digest('base64')
    const before = this.#answered.get(place)
    insist(before === undefined || before === digest, () => `${place} was answered otherwise`)
    this.#answered.set(place, digest)
  }

  #question(now: number): { name: string; ask: (answers: EngineQueries) => string } {
    const random = this.#random
    const mint = random.pick(this.#names.mints)
    const wallet = random.pick(this.#names.wallets)
    const page = { page: random.integer(1, 2), limit: random.pick([1, 20, 200]) }
    const direction = random.pick(['asc', 'desc'] as const)
    const traders = { ...page, orderBy: random.pick(TRADER_ORDERS), direction }
    const tables = randomTables(random)
    const chart = { ...randomChart(random, mint, now), resolution: random.pick(RESOLUTIONS) }
    const query = random.pick(QUERIES)
    const whose = random.chance(0.5) ? wallet : null
    return random.pick([
      {
        name: `swaps ${mint} ${whose} ${JSON.stringify(page)}`,
        ask: (a) => a.swaps(mint, whose, page),
      },
      { name: `data ${mint}`, ask: (a) => a.marketData([mint]) },
      {
        name: `traders ${mint} ${JSON.stringify(traders)}`,
        ask: (a) => a.tokenTraders(mint, traders),
      },
      {
        name: `tokens ${wallet} ${JSON.stringify(traders)}`,
        ask: (a) => a.walletTokens(wallet, traders),
      },
      { name: `tables ${JSON.stringify(tables)}`, ask: (a) => a.tables(tables) },
      { name: `chart ${JSON.stringify(chart)}`, ask: (a) => a.chart(chart) },
      { name: `search ${query}`, ask: (a) => a.search(query) },
    ])
  }
}

/** Every mint and wallet of a story, and one of each that is in none. */
export function namesIn(story: readonly FeedEvent[]): Names {
  const mints = new Set(story.flatMap((event) => ('mint' in event ? [event.mint] : [])))
  const wallets = new Set(story.flatMap((event) => (event.type === 'swap' ? [event.signer] : [])))
  return { mints: ['unknown', ...mints], wallets: ['nobody', ...wallets] }
}
