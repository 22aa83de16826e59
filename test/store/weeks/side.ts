import { Budget, within } from '../../../src/base/budget.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { RESOLUTIONS } from '../../../src/protocol/queries.ts'
import { eventFrame, type StreamChannel } from '../../../src/protocol/wire.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { EngineStreams } from '../../../src/query/engine-streams.ts'
import { EngineLive } from '../../../src/query/json/engine-live.ts'
import { LiveCandles } from '../../../src/server/live/hub/followed-candles.ts'
import { budgetOf } from '../../budgets.ts'
import { candleSnapshot } from '../../model/candle-snapshot.ts'
import type { Random } from '../../oracle/random.ts'
import { EPOCH } from '../damage/folder.ts'

/** Tables that show what the thresholds decide for every token at once. */
const TABLES = {
  type: 'all',
  filters: { graduated: { caEndsWithSuffix: true }, completing: { devSoldAll: false } },
  limit: 200,
} as const

/** An engine, and all that is told and answered out of it. */
export class Side {
  readonly engine: Engine
  readonly reads: EngineQueries
  /** What was told since somebody looked last. */
  told: string[] = []
  readonly #answers: EngineQueries
  readonly #streams: EngineStreams
  #candles: LiveCandles[] = []

  /** Told is what comes from now on: after a recovery. */
  constructor(engine: Engine) {
    this.engine = engine
    const answers = new EngineQueries(engine, () => {})
    const live = new EngineLive(engine)
    this.reads = answers
    const epoch = () => EPOCH
    this.#streams = new EngineStreams(engine, answers, epoch)
    const tell = (text: string) => this.told.push(text)
    live.onTrade((trade) => {
      const message = eventFrame('update_mint_info', trade)
      tell(`${trade.seq} ${trade.walletSeq} ${message}`)
    })
    live.onAnnounced((channel, message) => tell(eventFrame(channel, message)))
    live.onRepriced(tell)
    live.attach()
    this.reads.attach()
    this.#streams.attach()
    this.#answers = answers
  }

  /** Follows the bars of a mint; the frame that it begins with. */
  follow(mint: string, random: Random): string {
    const resolution = random.pick(RESOLUTIONS)
    const candles = new LiveCandles(mint, resolution, this.#answers, this.#streams)
    this.#candles = [candles, ...this.#candles.slice(0, 4)]
    const service = { answers: this.#answers, streams: this.#streams }
    return candleSnapshot(candles, 50, service)
  }

  /** A restart ends what was followed. */
  leaveAll(): void {
    this.#candles = []
  }

  /** Frames of what is followed. */
  advance(): string {
    return this.#candles.map((candles) => String(candles.advance())).join('\n')
  }

  /** Goes some of the way towards answers, as a route does that leaves off in the middle. */
  comeNear(mint: string, wallet: string, looks: number): void {
    const budget = budgetOf(looks)
    const plain = { continuous: false, fill: 'none', countback: 0, udf: false } as const
    const to = this.engine.state.now
    const answers = this.#answers
    const chart = { mint, from: 0, to, resolution: '1S', ...plain } as const
    const traders = { page: 1, limit: 20, orderBy: 'pnl', direction: 'desc' } as const
    within(budget, () => answers.beginChart(chart, budget))
    within(budget, () => answers.walletTokens(wallet, traders, budget))
    within(budget, () => answers.swaps(mint, wallet, { page: 1, limit: 20 }, budget))
    within(budget, () => answers.swaps(mint, null, { page: 5, limit: 60 }, budget))
  }

  /** What is said of one mint and one wallet beside `everyRead`, page behind page. */
  answers(mint: string, wallet: string): string {
    const page = { page: 1, limit: 30 }
    const { reads } = this
    const texts = [reads.holders(mint, page), reads.firstBuyers(mint, page), reads.detail(mint)]
    texts.push(this.#answers.tables(TABLES), this.#answers.search('mint'))
    for (const whose of [null, wallet]) {
      const first = reads.swapsFrom(mint, whose, { after: null, limit: 9 })
      texts.push(first, this.#pageBehind(mint, whose, first ?? '{}'))
    }
    return texts.join('\n')
  }

  #pageBehind(mint: string, wallet: string | null, text: string): string | null {
    const next: unknown = JSON.parse(text).next_cursor
    if (typeof next !== 'string') return null
    const [index, ordinal, word] = next.split('-').map(Number)
    return this.reads.swapsFrom(mint, wallet, { after: { index, ordinal, word }, limit: 200 })
  }

  /** Messages behind an earlier one, and the snapshot; null where they are too old to be had. */
  resumed(channel: StreamChannel, key: string, missed: number): string | null {
    const source = this.#streams.sources[channel]
    const head = source.head(key)
    const frames = source.since(key, Math.max(0, head - missed), missed)
    if (frames === 'too_old') return null
    const text = typeof frames === 'string' ? frames : frames.join('\n')
    return `${head}\n${text}\n${source.snapshot(key, false, Budget.unlimited)}`
  }
}
