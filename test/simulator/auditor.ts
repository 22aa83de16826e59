import type { FeedEvent, Migrated, TokenCreated } from '../../src/engine/event.ts'
import type { RecordSink } from '../../src/engine/event-sink.ts'
import { RecordBatch } from '../../src/engine/record-batch.ts'
import { F, Flag, U } from '../../src/engine/swap-record.ts'
import type { Interner } from '../../src/feeds/simulator/interner.ts'
import { AuditedToken } from './audited-token.ts'

/** Ids in order of arrival; knows the text of each. */
export class Names implements Interner {
  readonly tokens: string[] = []
  readonly wallets: string[] = []
  readonly addresses: string[] = []
  token = (mint: string): number => intern(this.tokens, this.#tokenIds, mint)
  wallet = (address: string): number => intern(this.wallets, this.#walletIds, address)
  address = (text: string): number => intern(this.addresses, this.#addressIds, text)
  readonly #tokenIds = new Map<string, number>()
  readonly #walletIds = new Map<string, number>()
  readonly #addressIds = new Map<string, number>()
}

function intern(texts: string[], ids: Map<string, number>, text: string): number {
  const known = ids.get(text)
  if (known !== undefined) return known
  ids.set(text, texts.length)
  return texts.push(text) - 1
}

/** Recomputes the market from what the simulator emits, in BigInt, and throws on any difference. */
export class Auditor implements RecordSink {
  readonly names = new Names()
  readonly tokens = new Map<string, AuditedToken>()
  readonly counts = { swaps: 0, buys: 0, amm: 0, chainFees: 0, balances: 0, agent: 0, insiders: 0 }
  readonly events_: FeedEvent[] = []
  readonly quotesSol: number[] = []
  newestSeconds = 0
  readonly #nowSeconds: () => number
  #order: readonly [number, number, number] = [-1, 0, 0]

  constructor(nowSeconds: () => number) {
    this.#nowSeconds = nowSeconds
  }

  #event(event: FeedEvent): void {
    this.events_.push(event)
    this.#time(event.timestamp)
    if ('slot' in event) this.#position(event.slot ?? -1, event.txIndex ?? -1, event.ordinal)
    if (event.type === 'token_created') this.#create(event)
    else if (event.type === 'completed') this.#known(event.mint).complete()
    else if (event.type === 'migrated') this.#migrate(event)
  }

  records(batch: RecordBatch): void {
    batch.walk(
      (from, to) => {
        for (let i = from; i < to; i++) this.#swap(batch, i)
      },
      (event) => this.#event(event),
    )
  }

  #create(event: TokenCreated): void {
    if (this.tokens.has(event.mint)) throw new Error('a mint was created twice')
    this.tokens.set(event.mint, new AuditedToken(event))
  }

  #migrate(event: Migrated): void {
    this.#known(event.mint).migrate(event.poolAmm)
  }

  #known(mint: string | undefined): AuditedToken {
    const token = this.tokens.get(mint ?? '')
    if (token === undefined) throw new Error(`unknown mint ${mint}`)
    return token
  }

  #time(seconds: number): void {
    if (seconds < this.newestSeconds) throw new Error('time went back')
    if (seconds > this.#nowSeconds()) throw new Error('an event from the future')
    this.newestSeconds = seconds
  }

  #position(slot: number, txIndex: number, ordinal: number): void {
    const [a, b, c] = this.#order
    const isLater = slot > a || (slot === a && (txIndex > b || (txIndex === b && ordinal > c)))
    if (!isLater) throw new Error(`${[slot, txIndex, ordinal]} after ${this.#order}`)
    this.#order = [slot, txIndex, ordinal]
  }

  #swap(batch: RecordBatch, index: number): void {
    const at = RecordBatch.u32At(index)
    const lane = (offset: number): number => batch.u32[at + offset] ?? 0
    const u64 = (offset: number): bigint => BigInt(lane(offset)) + (BigInt(lane(offset + 1)) << 32n)
    const flags = lane(U.flags)
    this.#position(
      batch.f64[RecordBatch.f64At(index) + F.slot] ?? 0,
      lane(U.txIndex),
      lane(U.ordinal),
    )
    this.#time(lane(U.timestamp))
    const token = this.#known(this.names.tokens[lane(U.token)])
    const signer = this.names.wallets[lane(U.wallet)] ?? ''
    token.swap({
      ...{ flags, signer, pool: this.names.addresses[lane(U.pool)] ?? '' },
      ...{ base: u64(U.baseLo), quote: u64(U.quoteLo) },
      ...{ virtualBase: u64(U.virtualBaseLo), virtualQuote: u64(U.virtualQuoteLo) },
      realBase: u64(U.realBaseLo),
      ...{ platformFee: u64(U.platformFeeLo), creatorFee: u64(U.creatorFeeLo) },
      supply: u64(U.supplyLo),
      ...{ balanceBefore: u64(U.balanceBeforeLo), balanceAfter: u64(U.balanceAfterLo) },
    })
    this.#count(flags, token)
    if (!token.isUsdc) this.quotesSol.push(Number(u64(U.quoteLo)) / 1e9)
  }

  #count(flags: number, token: AuditedToken): void {
    const { counts } = this
    counts.swaps++
    if ((flags & Flag.sell) === 0) counts.buys++
    if ((flags & Flag.amm) !== 0) counts.amm++
    if ((flags & Flag.chainFeeGiven) !== 0) counts.chainFees++
    if ((flags & Flag.balanceAfterGiven) !== 0) counts.balances++
    if ((flags & Flag.insiderValue) !== 0) counts.insiders++
    if (token.lastWasAgent) counts.agent++
  }
}
