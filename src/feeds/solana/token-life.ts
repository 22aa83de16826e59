import { type FeedEvent, gapEvent } from '../../events/event.ts'
import { Backoff } from '../backoff.ts'
import { bondingCurveAddress, canonicalPoolAddress } from '../chain/layouts/program-address.ts'
import { WRAPPED_SOL_MINT } from '../chain/layouts/programs.ts'
import { ChainNormaliser } from '../chain/normalise.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import type { ChainTransaction } from '../chain/transactions/transaction.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { reasonOf } from '../supervisor/source.ts'
import { REAL_TIMERS, type Timers, waitFor } from '../timers.ts'
import { PoolResolver } from './pool-resolver.ts'
import { RpcError } from './rpc-client.ts'
import {
  BlockGone,
  BlockWithoutEvents,
  isInvalidParams,
  isLastingRefusal,
  isUnknownMethod,
  type OwnedAccount,
  type RpcBlock,
  type RpcQuestions,
} from './rpc-questions.ts'

/** Transactions of one token at most: the list of their signatures stays in memory, some 250 bytes each. */
const SIGNATURES_MAX = 500_000
/** Transactions that are fetched ahead of the one that is handed over, those of one slot at least. */
const AHEAD_MAX = 64
/** Times a question is asked of a server that does not answer, some 30 s in all. */
const TRIES_MAX = 8
/** Times a transaction is asked for that the server lists and does not give: others behind its address may have it. */
const LOST_TRIES_MAX = 4
/** Wait before the next of these, times those that were in vain. */
const LOST_PAUSE_MS = 300
/** Lost transactions that are told one by one. */
const LOST_TOLD_MAX = 10

const TOO_MANY =
  `the token has more than ${SIGNATURES_MAX.toLocaleString('en-US')} transactions, too many for one list: fetch the slots ` +
  'of its life by --from and --to'
const NO_LIST =
  'the RPC server lacks getSignaturesForAddress, which lists the transactions of one token: set SOLANA_RPC_URL to one that ' +
  'has it, or fetch the slots of its life by --from and --to'
const NO_CREATION =
  'the RPC server does not list the creation of the token: what was before its oldest transaction there is missing, so set ' +
  'SOLANA_RPC_URL to one that keeps the whole chain, and begin in an empty folder'

const DISORDER = 'the RPC server lists transactions in another order than that of the chain'

type Listed = Awaited<ReturnType<RpcQuestions['signatures']>>[number]

/**
 * All that the chain did to one token, by the signatures of its curve and its pool: events in the order of the chain,
 * with the places and values that a reader of whole blocks gives them. What the token is elsewhere is no part of it: a
 * coin that another is quoted in changes hands in trades of that one.
 */
export class TokenLife {
  readonly #questions: RpcQuestions
  readonly #mint: string
  readonly #quoteOf: (curve: OwnedAccount | null) => string | null
  readonly #counters: FeedCounters
  readonly #report: (reason: string) => void
  readonly #timers: Timers
  readonly #normaliser: ChainNormaliser
  readonly #resolver: PoolResolver
  /** Curve and pool. */
  #addresses: readonly string[] = []
  /** What is listed and not read yet, by slot. */
  readonly #listed = new Map<number, Listed[]>()
  #from = 0
  #to = 0
  #isCreated = false
  #isEnded = false
  #lost = 0
  /** Lost slots of which the next batch tells. */
  #gaps: { readonly from: number; readonly to: number }[] = []
  /** Transactions that were handed over or are lost. */
  done = 0

  constructor(options: {
    readonly questions: RpcQuestions
    readonly mint: string
    /** What a curve is quoted in, by its account; "" or null: SOL. */
    readonly quoteOf: (curve: OwnedAccount | null) => string | null
    readonly counters: FeedCounters
    /** Reports events that no layout knows. */
    readonly forms?: NewForms
    /** Takes why something is missing, in one sentence. */
    readonly report: (reason: string) => void
    readonly timers?: Timers
  }) {
    const { questions, counters, forms, timers = REAL_TIMERS } = options
    this.#questions = questions
    this.#mint = options.mint
    this.#quoteOf = options.quoteOf
    this.#counters = counters
    this.#report = options.report
    this.#timers = timers
    this.#normaliser = new ChainNormaliser(counters, forms)
    this.#resolver = new PoolResolver(questions, this.#normaliser.pools, timers)
  }

  /** Was everything handed over, from the token's creation or the slot asked for to the newest one? */
  get isWhole(): boolean {
    return this.#isEnded && this.#lost === 0 && (this.#isCreated || this.#from > 0)
  }

  /**
   * Lists what there is to fetch from a slot on, 0 for all of it: its slots, the time of the newest (unix seconds; 0: not
   * told) and how many transactions. Null: nothing can be fetched, which the report says.
   */
  async list(from: number, signal: AbortSignal) {
    this.#from = from
    try {
      this.#to = await this.#asked(() => this.#questions.newestSlot(signal), signal)
      this.#addresses = await this.#addressesOf(signal)
      const found = new Set<string>()
      for (const address of this.#addresses) await this.#listOf(address, found, signal)
      const slots = [...this.#listed.keys()]
      if (slots.length === 0) {
        this.#isEnded = true
        if (from === 0) this.#report('the RPC server lists no transaction of the token')
        return null
      }
      const first = slots.reduce((a, b) => Math.min(a, b))
      const last = slots.reduce((a, b) => Math.max(a, b))
      if (from === 0 && first > 0) this.#gaps.push({ from: 0, to: first - 1 })
      const times = (this.#listed.get(last) ?? []).map(({ seconds }) => seconds ?? 0)
      return { from: first, to: last, seconds: Math.max(...times), transactions: found.size }
    } catch (error) {
      if (!signal.aborted) this.#report(reasonOf(error))
      return null
    }
  }

  /**
   * The events of what is listed, slot by slot, oldest first; slots of which some are lost, and those before the token's
   * first one, are told as gaps. Ends early, with a report, where the server gives no more.
   */
  async *events(signal: AbortSignal): AsyncGenerator<readonly FeedEvent[]> {
    const unwanted = new AbortController()
    const wanted = AbortSignal.any([signal, unwanted.signal])
    let seconds = 0
    try {
      for await (const { slot, listed, transactions, lost } of this.#read(wanted)) {
        for (const signature of lost) this.#lose(slot, signature)
        const events: FeedEvent[] = []
        for (const transaction of transactions)
          events.push(...(await this.#eventsOf(transaction, wanted)))
        wanted.throwIfAborted()
        this.#note(slot, events)
        this.done += listed
        const [first] = events
        if (first === undefined) continue
        seconds = first.timestamp
        yield [...this.#gapsTold(seconds), ...events]
      }
      if (this.#gaps.length > 0) yield this.#gapsTold(seconds)
      this.#isEnded = true
      if (!this.#isCreated && this.#from === 0) this.#report(NO_CREATION)
    } catch (error) {
      if (!signal.aborted) this.#report(reasonOf(error))
    } finally {
      unwanted.abort()
      if (this.#lost > LOST_TOLD_MAX) this.#report(`${this.#lost} transactions are missing in all`)
    }
  }

  /** Throws what cannot change; asks again, later and later, while the server does not answer. */
  async #asked<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const backoff = new Backoff()
    for (let tries = 1; ; tries++) {
      try {
        return await ask()
      } catch (error) {
        if (signal.aborted || tries >= TRIES_MAX || isFinal(error)) throw error
        await waitFor(this.#timers, backoff.nextMs(), signal)
      }
    }
  }

  async #addressesOf(signal: AbortSignal): Promise<readonly string[]> {
    const curve = bondingCurveAddress(this.#mint)
    if (curve === null) throw new Error(`${this.#mint} is no address of a token`)
    const ask = () => this.#questions.accountsAtSlot([curve], signal)
    const { accounts } = await this.#asked(ask, signal)
    const quote = this.#quoteOf(accounts[0] ?? null) || WRAPPED_SOL_MINT
    const pool = canonicalPoolAddress(this.#mint, quote)
    if (pool === null) return [curve]
    // A run behind another one does not see the migration.
    this.#normaliser.pools.learnCreated(pool, this.#mint, quote)
    return [curve, pool]
  }

  async #listOf(address: string, found: Set<string>, signal: AbortSignal): Promise<void> {
    let before: string | null = null
    let newest = Number.POSITIVE_INFINITY
    for (;;) {
      const last: string | null = before
      const ask = () => this.#questions.signatures(address, last, signal)
      const page: readonly Listed[] = await this.#asked(ask, signal).catch((error: unknown) => {
        throw isUnknownMethod(error) ? new Error(NO_LIST) : error
      })
      before = page.at(-1)?.signature ?? null
      if (before === null) return
      // A server that turns in circles would be asked without end.
      if (before === last) throw new Error(DISORDER)
      for (const listed of page) {
        if (listed.slot > newest) throw new Error(DISORDER)
        newest = listed.slot
        if (!this.#isWanted(listed) || found.has(listed.signature)) continue
        if (found.size >= SIGNATURES_MAX) throw new Error(TOO_MANY)
        found.add(listed.signature)
        const ofSlot = this.#listed.get(listed.slot)
        if (ofSlot === undefined) this.#listed.set(listed.slot, [listed])
        else ofSlot.push(listed)
      }
      if (newest < this.#from) return
    }
  }

  /** What came while the lists were read stands in one of them perhaps. */
  #isWanted({ slot, failed }: Listed): boolean {
    return !failed && slot >= this.#from && slot <= this.#to
  }

  /** The slots with their transactions, oldest first. */
  async *#read(signal: AbortSignal) {
    const slots = [...this.#listed].sort(([a], [b]) => a - b)
    this.#listed.clear()
    const reads: Promise<{
      readonly slot: number
      readonly transactions: readonly ChainTransaction[]
      /** Signatures of what the server lists and does not give. */
      readonly lost: readonly string[]
      /** Transactions of the slot in the list. */
      readonly listed: number
    }>[] = []
    let ahead = 0
    let next = 0
    for (const [, { length }] of slots) {
      for (const [slot, listed] of slots.slice(next, next + AHEAD_MAX)) {
        if (reads.length > 0 && ahead >= AHEAD_MAX) break
        const read = this.#slot(slot, listed, signal)
        // Behind one that failed nobody hears of it.
        read.catch(() => {})
        reads.push(read)
        ahead += listed.length
        next++
      }
      const read = await reads.shift()
      ahead -= length
      if (read !== undefined) yield read
    }
  }

  /** Those of one slot by their index, which the block tells where nothing else does. */
  async #slot(slot: number, listed: readonly Listed[], signal: AbortSignal) {
    const given = await Promise.all(listed.map((one) => this.#transaction(one, signal)))
    const isShort = given.some((transaction) => (transaction?.txIndex ?? null) === null)
    const block = isShort ? await this.#block(slot, signal) : null
    const inBlock = new Map(block?.transactions.map((one) => [one.signature, one]))
    const transactions: ChainTransaction[] = []
    const lost: string[] = []
    for (const [n, { signature }] of listed.entries()) {
      const own = given[n] ?? null
      const found = (own?.txIndex ?? null) === null ? (inBlock.get(signature) ?? null) : own
      if (found !== null) transactions.push(found)
      // A block that could be read whole has no events of what it does not name as one of the programs.
      else if (block === null || block.unreadable > 0) lost.push(signature)
    }
    transactions.sort((a, b) => (a.txIndex ?? 0) - (b.txIndex ?? 0))
    return { slot, listed: listed.length, transactions, lost }
  }

  /** null: the server lists it and does not give it. */
  async #transaction(
    { signature, slot, txIndex }: Listed,
    signal: AbortSignal,
  ): Promise<ChainTransaction | null> {
    const ask = () => this.#questions.transaction(signature, signal).catch(nullOfRefusal)
    for (let tries = 1; tries <= LOST_TRIES_MAX; tries++) {
      if (tries > 1) await waitFor(this.#timers, LOST_PAUSE_MS * (tries - 1), signal)
      const found = await this.#asked(ask, signal)
      if (found?.signature !== signature || found.slot !== slot) continue
      if (found.selfCpi === null && found.logs === null)
        throw new BlockWithoutEvents(
          'the RPC server keeps neither logs nor inner instructions of transactions',
        )
      return { ...found, txIndex: found.txIndex ?? txIndex }
    }
    return null
  }

  /** null: it cannot be had. */
  #block(slot: number, signal: AbortSignal): Promise<RpcBlock | null> {
    const ask = () =>
      this.#questions
        .block(slot, signal)
        .catch((error: unknown) => (error instanceof BlockGone ? null : nullOfRefusal(error)))
    return this.#asked(ask, signal)
  }

  async #eventsOf(
    transaction: ChainTransaction,
    signal: AbortSignal,
  ): Promise<readonly FeedEvent[]> {
    const decoded = this.#normaliser.decode(transaction)
    // Those of other tokens too: a route through them says who traded this one.
    const unknown = this.#normaliser.unknownPools(decoded, transaction)
    if (unknown.length > 0) await this.#resolver.resolve(unknown, signal)
    const events = this.#normaliser.eventsOf(decoded, transaction)
    return events.filter((event) => 'mint' in event && event.mint === this.#mint)
  }

  #note(slot: number, events: readonly FeedEvent[]): void {
    this.#counters.events += events.length
    for (const event of events) {
      if (event.type === 'token_created') this.#isCreated = true
      if (event.type !== 'migrated' || this.#addresses.includes(event.poolAmm)) continue
      const pool = event.poolAmm
      this.#report(`the trades in the pool ${pool} are missing: it is none that was expected`)
      this.#lost++
      this.#gaps.push({ from: slot, to: Math.max(slot, this.#to) })
    }
  }

  #lose(slot: number, signature: string): void {
    this.#lost++
    this.#gaps.push({ from: slot, to: slot })
    if (this.#lost <= LOST_TOLD_MAX)
      this.#report(
        `the RPC server lists transaction ${signature} of slot ${slot} and does not give it: its events are missing`,
      )
  }

  /** @param seconds time of the first event behind them */
  #gapsTold(seconds: number): readonly FeedEvent[] {
    const gaps = this.#gaps.map((range) => gapEvent('lost', { ...range, seconds }))
    this.#gaps = []
    return gaps
  }
}

/** Would the answer be the same another time? */
function isFinal(error: unknown): boolean {
  return isLastingRefusal(error) || isInvalidParams(error)
}

/** What a server answers about one transaction or block alone is no reason to ask for no other. */
function nullOfRefusal(error: unknown): null {
  if (error instanceof RpcError && !isFinal(error)) return null
  throw error
}
