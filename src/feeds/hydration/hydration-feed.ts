/**
 * feeds/hydration: what the chain itself knows of tokens whose creation was not seen. In: events of live feeds. Out:
 * `token_state` and `balance` events. `HydrationQueue` says of which mint is asked next, `account-layouts` reads accounts,
 * `hydration-events` makes events of them. Invariants: at most `perSecond` questions a second, one at a time, 429 is
 * obeyed, no answer stands ahead of the feed, and nothing here throws (decision 42).
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FeedEvent } from '../../events/event.ts'
import type { EventSink, Feed } from '../../events/event-sink.ts'
import { Backoff } from '../backoff.ts'
import {
  associatedTokenAddress,
  bondingCurveAddress,
  metadataAddress,
} from '../chain/layouts/program-address.ts'
import { TOKEN_PROGRAM } from '../chain/layouts/programs.ts'
import { RefusalReport } from '../refusal-report.ts'
import { RpcClient, RpcError } from '../solana/rpc-client.ts'
import {
  ACCOUNTS_MAX,
  isInvalidParams,
  isUnknownMethod,
  LARGEST_MAX,
  RpcQuestions,
} from '../solana/rpc-questions.ts'
import { LastingRefusals } from '../supervisor/lasting-refusals.ts'
import { type Timers, waitFor } from '../timers.ts'
import { factsEvents, holdersEvents, textsEvents } from './hydration-events.ts'
import { type HydrationJob, HydrationQueue, type Stage } from './hydration-queue.ts'

/** Mints that one question is about: two accounts of each, or its largest accounts, its own and the creator's. */
const LIMITS: Readonly<Record<Stage, number>> = {
  facts: ACCOUNTS_MAX / 2,
  texts: ACCOUNTS_MAX / 2,
  largest: 1,
  holders: Math.floor(ACCOUNTS_MAX / (LARGEST_MAX + 2)),
}
/** How often waiting answers are looked at, when nothing is asked, and at what clients want. */
const LOOK_MS = 200
/** An answer waits this long for the feed to reach its slot. */
const HELD_MS = 30_000
/** So many answers wait, and for so long; past it nothing is asked, since the feed is behind the chain. */
const HELD_MAX = 500
const HELD_ASKING_MS = 5_000
/** A method that the server lacks is asked for again after this time. */
const METHOD_OFF_MS = 600_000

/** What is known of tokens, and of those who read them. */
export interface HydrationMarket {
  /** Is it a token whose creation is unknown, and of which the chain has not told everything? */
  isUnknown(mint: string): boolean
  /** Mints that clients read, the most wanted first; bounded. */
  wanted(): readonly string[]
}

/** Asks the chain for tokens whose creation was not seen. It observes events of live feeds once they are folded. */
export class HydrationFeed implements Feed {
  readonly name = 'hydration'
  readonly #market: HydrationMarket
  readonly #perSecond: number
  readonly #lateSlots: number
  readonly #timers: Timers
  readonly #client: RpcClient
  readonly #questions: RpcQuestions
  readonly #queue: HydrationQueue
  readonly #refusals: { readonly accounts: LastingRefusals; readonly largest: LastingRefusals }
  readonly #failures: RefusalReport<string>
  readonly #backoff: Backoff
  readonly #stopping = new AbortController()
  /** Answers whose events may be handed over once the feed has come to their slot. */
  readonly #held = new Set<{
    readonly job: HydrationJob
    readonly slot: number
    readonly events: readonly FeedEvent[]
    /** What is asked behind it; null: nothing more. */
    readonly next: Stage | null
    readonly sinceMs: number
  }>()
  #wanted: readonly string[] = []
  #wantedAtMs = Number.NEGATIVE_INFINITY
  /** Whether holders were asked for last: names and holders take turns. */
  #wasOfHolders = false
  /** The next question may be asked then. */
  #nextAtMs = 0
  #largestOffUntilMs = Number.NEGATIVE_INFINITY
  /** The feed's newest slot (null: its events have none) and its newest time. */
  #newestSlot: number | null = null
  #newestSeconds = 0
  readonly #counters = { states: 0, balances: 0, unreadable: 0, stale: 0 }

  constructor(options: {
    readonly rpcUrl: string
    /** Questions a second. */
    readonly perSecond: number
    /** Slots that an event may be late. */
    readonly lateSlots: number
    readonly market: HydrationMarket
    /** Takes a sentence about what failed, at most once a minute. */
    readonly report: (sentence: string) => void
    readonly timers: Timers
    /** A number in [0, 1), for waits. */
    readonly random?: () => number
  }) {
    const { rpcUrl, timers, market, report, random } = options
    this.#market = market
    this.#perSecond = options.perSecond
    this.#lateSlots = options.lateSlots
    this.#timers = timers
    // A question that is asked again would count against the limit too.
    this.#client = new RpcClient(rpcUrl, timers, { rateLimitedTriesMax: 0 })
    this.#questions = new RpcQuestions(this.#client)
    this.#queue = new HydrationQueue((mint) => market.isUnknown(mint))
    this.#refusals = { accounts: new LastingRefusals(timers), largest: new LastingRefusals(timers) }
    this.#backoff = new Backoff(random)
    this.#failures = new RefusalReport((count, last) => {
      const more = count > 1 ? ` (${count} times since the last report)` : ''
      report(`What the chain knows of tokens could not be asked for: ${last}${more}.`)
    }, timers)
  }

  async start(sink: EventSink): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      this.#release(sink)
      this.#lookAtWanted()
      const pauseMs = Math.max(this.#client.pauseMs, this.#nextAtMs - this.#timers.nowMs())
      const hasAsked = pauseMs <= 0 && (await this.#ask())
      if (!hasAsked)
        await waitFor(this.#timers, pauseMs > 0 ? Math.min(pauseMs, LOOK_MS) : LOOK_MS, signal)
    }
    this.#failures.sumUp()
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Events that are folded already; never throws. */
  observe(events: readonly FeedEvent[]): void {
    const nowMs = this.#timers.nowMs()
    for (const event of events) {
      if (!('slot' in event)) continue
      this.#newestSeconds = Math.max(this.#newestSeconds, event.timestamp)
      if (event.slot !== null) this.#newestSlot = Math.max(this.#newestSlot ?? 0, event.slot)
      if (event.type === 'token_created') this.#queue.settle(event.mint, nowMs)
      else if (event.type === 'swap' || event.type === 'completed' || event.type === 'migrated')
        this.#queue.traded(event.mint, nowMs)
    }
  }

  figures(): Readonly<Record<string, number>> {
    const { requests, rateLimited, errors } = this.#client.counters
    const { states, balances, unreadable, stale } = this.#counters
    return {
      hydration_waiting: this.#queue.length,
      hydration_questions_total: requests,
      hydration_rate_limited_total: rateLimited,
      hydration_errors_total: errors - rateLimited,
      hydration_states_total: states,
      hydration_balances_total: balances,
      hydration_unreadable_accounts_total: unreadable,
      hydration_stale_total: stale,
      hydration_gave_up_total: this.#queue.gaveUp,
      hydration_dropped_total: this.#queue.dropped,
    }
  }

  /** Tokens that clients read need not trade. */
  #lookAtWanted(): void {
    const nowMs = this.#timers.nowMs()
    if (nowMs < this.#wantedAtMs + LOOK_MS) return
    this.#wantedAtMs = nowMs
    this.#wanted = this.#market.wanted()
    // The most wanted one last, so that it is dropped last.
    for (const mint of [...this.#wanted].reverse()) this.#queue.want(mint, nowMs)
  }

  /** One question at most, false: nothing is to be asked; never rejects. */
  async #ask(): Promise<boolean> {
    const jobs = this.#next()
    const [first] = jobs
    if (first === undefined) return false
    try {
      await this.#questionOf(first.stage, jobs)
      this.#refusals[methodOf(first.stage)].succeeded()
      this.#backoff.succeeded()
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#failed(error, first.stage, jobs)
    }
    return true
  }

  /** The mints that are asked for now, all of one stage. */
  #next(): readonly HydrationJob[] {
    const nowMs = this.#timers.nowMs()
    // Before the first event of the feed nothing could be handed over.
    if (this.#newestSeconds === 0 || this.#held.size >= HELD_MAX) return []
    const [oldest] = this.#held
    if (oldest !== undefined && nowMs - oldest.sinceMs > HELD_ASKING_MS) return []
    const ready = this.#queue.ready(this.#wanted, LIMITS, nowMs)
    const isLargestOff = nowMs < this.#largestOffUntilMs
    if (isLargestOff)
      for (const { mint } of ready.largest) this.#queue.settle(mint, nowMs, METHOD_OFF_MS)
    const names = ready.facts.length > 0 ? ready.facts : ready.texts
    const holders = isLargestOff ? ready.holders : holdersOf(ready)
    const isOfHolders = holders.length > 0 && (names.length === 0 || !this.#wasOfHolders)
    this.#wasOfHolders = isOfHolders
    return isOfHolders ? holders : names
  }

  async #questionOf(stage: Stage, jobs: readonly HydrationJob[]): Promise<void> {
    if (stage === 'facts') await this.#askFacts(jobs)
    else if (stage === 'texts') await this.#askTexts(jobs)
    else if (stage === 'largest') await this.#askLargest(jobs)
    else await this.#askHolders(jobs)
  }

  async #askFacts(jobs: readonly HydrationJob[]): Promise<void> {
    const curves = await inTurns(jobs, ({ mint }) => bondingCurveAddress(mint))
    const asked = jobs.flatMap((job, i) => {
      const curve = curves[i] ?? null
      if (curve !== null) return { job, curve }
      this.#refuse(job)
      return []
    })
    if (asked.length === 0) return
    const { slot, accounts } = await this.#accounts(
      asked.flatMap(({ job, curve }) => [job.mint, curve]),
    )
    for (const [i, { job, curve }] of asked.entries()) {
      const [mintAccount = null, curveAccount = null] = accounts.slice(2 * i)
      const read = factsEvents({ mint: job.mint, slot }, mintAccount, curve, curveAccount)
      if (read === null) {
        this.#refuse(job)
        continue
      }
      Object.assign(job, { facts: read.facts, creator: read.creator, curve: read.curve })
      const { tokenProgram, texts } = read.facts
      const isLegacy = texts === null && tokenProgram === TOKEN_PROGRAM
      this.#hold(job, slot, read.events, isLegacy ? 'texts' : 'largest')
    }
  }

  async #askTexts(jobs: readonly HydrationJob[]): Promise<void> {
    const addresses = await inTurns(jobs, ({ mint }) => [mint, metadataAddress(mint) ?? mint])
    const { slot, accounts } = await this.#accounts(addresses.flat())
    for (const [i, job] of jobs.entries()) {
      const [mintAccount = null, metadataAccount = null] = accounts.slice(2 * i)
      const events = textsEvents({ mint: job.mint, slot }, mintAccount, metadataAccount)
      if (events.length === 0 && metadataAccount !== null) this.#counters.unreadable += 1
      this.#hold(job, slot, events, 'largest')
    }
  }

  async #askLargest(jobs: readonly HydrationJob[]): Promise<void> {
    for (const job of jobs) {
      this.#setPace()
      job.accounts = await this.#questions.largestTokenAccounts(job.mint, this.#stopping.signal)
      job.stage = 'holders'
    }
  }

  async #askHolders(jobs: readonly HydrationJob[]): Promise<void> {
    const asked = await inTurns(jobs, (job) => {
      const { mint, creator, facts, accounts } = job
      const own =
        creator === '' || facts === null
          ? null
          : associatedTokenAddress(creator, facts.tokenProgram, mint)
      const others = accounts.filter((address) => address !== own)
      return { job, addresses: [mint, ...others, ...(own === null ? [] : [own])] }
    })
    const answer = await this.#accounts(asked.flatMap(({ addresses }) => addresses))
    let at = 0
    for (const { job, addresses } of asked) {
      const [mintAccount = null, ...accounts] = answer.accounts.slice(at, at + addresses.length)
      at += addresses.length
      const read = holdersEvents({ mint: job.mint, slot: answer.slot }, mintAccount, accounts, job)
      if (read === null) this.#refuse(job)
      else {
        this.#counters.unreadable += read.unreadable
        this.#hold(job, answer.slot, read.events, null)
      }
    }
  }

  /** A question goes out now. */
  #setPace(): void {
    this.#nextAtMs = this.#timers.nowMs() + 1_000 / this.#perSecond
  }

  #accounts(addresses: readonly string[]) {
    this.#setPace()
    return this.#questions.accountsAtSlot(addresses, this.#stopping.signal)
  }

  /** The account of a mint is none, or not there yet. */
  #refuse(job: HydrationJob): void {
    this.#counters.unreadable += 1
    this.#queue.failed(job, this.#timers.nowMs())
  }

  #failed(error: unknown, stage: Stage, jobs: readonly HydrationJob[]): void {
    if (this.#client.pauseMs > 0) return
    const nowMs = this.#timers.nowMs()
    const reason = error instanceof Error ? error.message : String(error)
    this.#failures.note(reason.replace(/\.$/, ''))
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs + this.#backoff.nextMs())
    if (isUnknownMethod(error)) {
      if (!this.#refusals[methodOf(stage)].refused(true)) return
      if (stage === 'largest') this.#largestOffUntilMs = nowMs + METHOD_OFF_MS
      else this.#nextAtMs = nowMs + METHOD_OFF_MS
      return
    }
    // Others may be of the server alone; a mint that it always fails at must not keep the rest waiting.
    if (error instanceof RpcError && (stage === 'largest' || isInvalidParams(error)))
      for (const job of jobs) this.#queue.failed(job, nowMs)
  }

  #hold(job: HydrationJob, slot: number, events: readonly FeedEvent[], next: Stage | null): void {
    job.isHeld = true
    this.#held.add({ job, slot, events, next, sinceMs: this.#timers.nowMs() })
  }

  /** Hands over the answers whose slot the feed has reached, in the order of their slots. */
  #release(sink: EventSink): void {
    const nowMs = this.#timers.nowMs()
    const batch: FeedEvent[] = []
    for (const held of [...this.#held].sort((a, b) => a.slot - b.slot)) {
      const { job } = held
      const aheadSlots = this.#newestSlot === null ? 0 : held.slot - this.#newestSlot
      if (aheadSlots > 0 && nowMs - held.sinceMs < HELD_MS) continue
      this.#held.delete(held)
      job.isHeld = false
      if (aheadSlots > 0 || -aheadSlots > this.#lateSlots) {
        this.#counters.stale += 1
        this.#queue.retry(job, nowMs)
        continue
      }
      for (const event of held.events) batch.push(this.#placed(event))
      if (held.next === null) this.#queue.settle(job.mint, nowMs)
      else job.stage = held.next
    }
    if (batch.length === 0) return
    for (const { type } of batch)
      this.#counters[type === 'token_state' ? 'states' : 'balances'] += 1
    sink.events(batch)
  }

  /** With the newest time of the feed, and without a slot where the feed has none. */
  #placed(event: FeedEvent): FeedEvent {
    if (!('slot' in event)) return event
    const timestamp = this.#newestSeconds
    return this.#newestSlot === null ? { ...event, timestamp, slot: null } : { ...event, timestamp }
  }
}

/** To derive an address takes a millisecond: the loop is free between two of them. */
async function inTurns<T, Made>(items: readonly T[], make: (item: T) => Made): Promise<Made[]> {
  const made: Made[] = []
  for (const item of items) {
    made.push(make(item))
    await nextTurn()
  }
  return made
}

function methodOf(stage: Stage): 'accounts' | 'largest' {
  return stage === 'largest' ? 'largest' : 'accounts'
}

/** Owners are asked for when a question is full of them, or no mint waits for its accounts. */
function holdersOf({
  largest,
  holders,
}: ReturnType<HydrationQueue['ready']>): readonly HydrationJob[] {
  return largest.length === 0 || holders.length >= LIMITS.holders ? holders : largest
}
