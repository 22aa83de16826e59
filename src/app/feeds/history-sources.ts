import { messageOf } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import type { Engine } from '../../engine/engine.ts'
import { newestSlotlessSwaps } from '../../engine/read/swap-outtake.ts'
import type { EventSink } from '../../events/event-sink.ts'
import { NewForms } from '../../feeds/chain/transactions/new-forms.ts'
import { newFeedCounters } from '../../feeds/feed-counters.ts'
import { readCurve } from '../../feeds/hydration/account-layouts.ts'
import { NO_RECORDER } from '../../feeds/raw-frames.ts'
import { secretsOf, withoutSecrets } from '../../feeds/secrets.ts'
import { CANDLE_VENUES, priceHistory } from '../../feeds/sol-price/price-history.ts'
import { PricedSink } from '../../feeds/sol-price/priced-sink.ts'
import { RpcClient, type RpcPace } from '../../feeds/solana/rpc-client.ts'
import { RpcQuestions } from '../../feeds/solana/rpc-questions.ts'
import { TokenLife } from '../../feeds/solana/token-life.ts'
import { HistoryFeed } from '../../feeds/supervisor/history-feed.ts'
import type { OpenGap } from '../../feeds/supervisor/open-gaps.ts'
import { REMEMBERED_MAX } from '../../feeds/supervisor/reserve-trades.ts'
import { SlotLength } from '../../feeds/supervisor/slot-reach.ts'
import type { Source } from '../../feeds/supervisor/source.ts'
import { REAL_TIMERS } from '../../feeds/timers.ts'
import { givenPrices } from './feed-list.ts'
import { liveSources, onlyBackfills, resumedCursor } from './live-sources.ts'

/** Questions about the past to the RPC server under way at once. */
const QUESTIONS_MAX = 16
/** What a slot took at most, outages of the chain left out. */
const SLOT_SECONDS_MAX = 0.5

/** What tells the time before the first slot: connections of its own, so that live ones do not wait for it. */
export class HistorySources {
  readonly #config: Config
  readonly #report: (reason: string) => void
  readonly #pace: RpcPace
  readonly #sources: readonly Source[]

  constructor(config: Config, report: (reason: string) => void) {
    this.#config = config
    this.#report = report
    this.#pace = { questionsAtOnce: QUESTIONS_MAX, questionsPerSecond: config.history.rps }
    const pace = this.#pace
    const forms = new NewForms(report)
    const about = (who: string, reason: string) => report(`${who}: ${reason}`)
    const counters = newFeedCounters()
    const live = [config, NO_RECORDER, counters, about, forms, REAL_TIMERS, pace] as const
    const sources = [...liveSources(...live), ...onlyBackfills(config, counters, forms, pace)]
    this.#sources = sources.filter(({ backfill }) => backfill !== undefined)
  }

  /** Is there a server that tells old slots? */
  get canTell(): boolean {
    return this.#sources.length > 0
  }

  /** The slot of a time, in unix seconds, by the RPC server; null: none is given. */
  async slotAt(seconds: number, signal: AbortSignal): Promise<number | null> {
    const { rpcUrl } = this.#config
    if (rpcUrl === null) return null
    return new RpcQuestions(new RpcClient(rpcUrl, REAL_TIMERS)).slotAt(seconds, signal)
  }

  /** What fetches the life of one token, as fast as `HISTORY_RPS` lets it; null: no RPC server is given. */
  tokenLife(mint: string): TokenLife | null {
    const { rpcUrl } = this.#config
    if (rpcUrl === null) return null
    const secrets = secretsOf(rpcUrl)
    const report = (reason: string) => this.#report(withoutSecrets(reason, secrets))
    return new TokenLife({
      ...{ mint, report, counters: newFeedCounters(), forms: new NewForms(report) },
      questions: new RpcQuestions(new RpcClient(rpcUrl, REAL_TIMERS, this.#pace)),
      quoteOf: (curve) => readCurve(curve)?.quoteMint ?? null,
    })
  }

  /**
   * The oldest slot from which on a server delivers all again at once; null: none does.
   * @throws Error when a server that may do it does not answer
   */
  async oldestReplayed(): Promise<number | null> {
    const answers = await Promise.allSettled(
      this.#sources.map((source) => source.oldestReplayed?.() ?? null),
    )
    const slots = answers.flatMap((answer) =>
      answer.status === 'fulfilled' && answer.value !== null ? [answer.value] : [],
    )
    const failed = answers.find(({ status }) => status === 'rejected')
    if (slots.length === 0 && failed?.status === 'rejected')
      throw new Error(`what is delivered again is not known (${messageOf(failed.reason)})`)
    return slots.length === 0 ? null : Math.min(...slots)
  }

  /** The slots that the chain makes in a time, at most. */
  slotsIn(ms: number): number {
    return Math.ceil(new SlotLength().slotsIn(ms))
  }

  /**
   * The slots of a gap from one on, behind those that an engine has.
   * @param live another engine, whose events follow: what a source without slots told it counts there
   */
  feed(gap: OpenGap, from: number, engine: Engine, live = engine): HistoryFeed {
    const cursor = resumedCursor(engine.newestSlot, this.#config.lateSlots)
    const earlierReserveTrades = newestSlotlessSwaps(live.state, REMEMBERED_MAX)
    return new HistoryFeed({
      ...{ gap, from, cursor, earlierReserveTrades },
      sources: this.#sources,
      report: this.#report,
    })
  }

  /**
   * A sink that gets the prices of SOL between the events of a gap: those of SOL_PRICE, else as venues tell them of that
   * time, else the present one (0: none), which the log says.
   */
  async priced(
    sink: EventSink,
    { to, seconds }: OpenGap,
    from: number,
    presentUsd: number,
    signal: AbortSignal,
  ): Promise<EventSink> {
    const { solPrice } = this.#config
    const given = givenPrices(solPrice)
    if (given !== null) return new PricedSink(sink, given)
    const names = solPrice.kind === 'venues' ? solPrice.names : []
    const venues = CANDLE_VENUES.filter(({ name }) => names.includes(name))
    const span = { from: seconds - (to + 1 - from) * SLOT_SECONDS_MAX, to: seconds }
    const series = await priceHistory(venues, span, signal, this.#report)
    if (series !== null) return new PricedSink(sink, series)
    if (presentUsd <= 0) return sink
    this.#report(
      `no venue tells the price of SOL of that time: $${presentUsd} is taken for all of it`,
    )
    return new PricedSink(sink, [{ timestamp: 0, usd: presentUsd }])
  }
}
