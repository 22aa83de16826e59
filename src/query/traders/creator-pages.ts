import { LRUCache } from 'lru-cache'
import type { Budget } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import type { CreatorTokens } from '../../engine/index/creator-tokens.ts'
import { widened } from '../../engine/memory/views.ts'
import { PositionReader } from '../../engine/read/position-reader.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import { isCompleting, positionLane } from '../../engine/state/lanes.ts'
import { PositionLane, TokenLane } from '../../engine/state/layout.ts'
import { percentOf } from '../../engine/state/money.ts'
import { SwapLane } from '../../events/swap-record.ts'
import type { Page } from '../../protocol/queries.ts'
import { jsonNumber, jsonString, timeText } from '../../protocol/wire.ts'
import { medianOf } from './wallet-summary.ts'

/** Tokens whose lives are remembered, of all creators; the creator that was asked for longest ago goes. */
const LIVES_MAX = 1 << 20
/** Tokens that are read between two looks at the budget. */
const TOKENS_A_LOOK = 256

/** What the tokens of a creator came to, the oldest in front. */
class Lives {
  tokens: readonly number[] = []
  /** From the creation to the last trade. */
  seconds = new Float64Array(0)
  isGraduated = new Uint8Array(0)
  /** Changes of a token when it was read, + 1; 0: it was not. */
  readAt = new Float64Array(0)

  /** These are its tokens by now, the oldest in front; of those up to the first that is new here, what was read stays. */
  follow(tokens: readonly number[]): void {
    let same = 0
    while (same < this.tokens.length && this.tokens[same] === tokens[same]) same += 1
    this.tokens = tokens
    const { length } = tokens
    this.seconds = widened(new Float64Array(length), this.seconds.subarray(0, same))
    this.isGraduated = widened(new Uint8Array(length), this.isGraduated.subarray(0, same))
    this.readAt = widened(new Float64Array(length), this.readAt.subarray(0, same))
  }
}

/** What creators made of their tokens (docs/live.md, `GET /api/v2/creators/:wallet`). */
export class CreatorPages {
  readonly #engine: Engine
  readonly #creators: CreatorTokens
  readonly #token: TokenReader
  readonly #trader: PositionReader
  /** By wallet row of the creator. The last trade of each token may be a read of the disk. */
  readonly #lives = new LRUCache<number, Lives>({
    maxSize: LIVES_MAX,
    sizeCalculation: ({ tokens }) => Math.min(LIVES_MAX, tokens.length + 1),
  })

  constructor(engine: Engine, creators: CreatorTokens) {
    this.#engine = engine
    this.#creators = creators
    const { state, top, links } = engine
    this.#token = new TokenReader(state, top, links)
    this.#trader = new PositionReader(state, new TokenReader(state, top, links))
  }

  /**
   * The keys of a creator's answer behind its label, without the first comma; row -1 is a wallet that nobody knows.
   * @throws OutOfTime before the last trades of all of its tokens are read
   */
  keys(wallet: number, page: Page, budget: Budget): string {
    const lives = wallet < 0 ? new Lives() : this.#livesOf(wallet, budget)
    const { tokens } = lives
    const graduated = lives.isGraduated.reduce((sum, one) => sum + one, 0)
    const end = Math.max(0, tokens.length - (page.page - 1) * page.limit)
    const begin = Math.max(0, end - page.limit)
    const shown = tokens.slice(begin, end)
    const positions = this.#positionsOf(wallet, new Set(shown), budget)
    const items = shown.map((token, place) => {
      const seconds = lives.seconds[begin + place]
      return this.#itemJson(token, seconds, positions.get(token) ?? null)
    })
    return (
      `"graduated":${graduated},"graduated_pct":${jsonNumber(percentOf(graduated, tokens.length))}` +
      `,"median_life_seconds":${jsonNumber(medianOf(lives.seconds))}` +
      `,"total":${tokens.length},"page":${page.page},"limit":${page.limit},"items":[${items.reverse().join(',')}]`
    )
  }

  /** Those of now: each is read once, and again after a change of its token. */
  #livesOf(wallet: number, budget: Budget): Lives {
    const lives = this.#lives.get(wallet) ?? new Lives()
    const tokens = this.#creators.of(wallet, budget)
    if (tokens.length > lives.tokens.length) {
      lives.follow(tokens.reverse())
      // The cache does not measure a known one again.
      this.#lives.delete(wallet)
      this.#lives.set(wallet, lives)
    }
    const { changes } = this.#engine.state
    let read = 0
    for (const [place, token] of lives.tokens.entries()) {
      if (lives.readAt[place] === changes.of(token) + 1) continue
      const isOnDisk = this.#read(lives, place, token)
      if (isOnDisk || ++read % TOKENS_A_LOOK === 0) budget.throwIfSpent()
    }
    return lives
  }

  /** Returns whether the disk was read. */
  #read(lives: Lives, place: number, token: number): boolean {
    const { changes, tape, tokens } = this.#engine.state
    const reader = this.#token.at(token)
    const lastPlus1 = tokens.get(token, TokenLane.lastSwapPlus1)
    const seconds =
      lastPlus1 === 0 ? 0 : tape.u32Of(lastPlus1 - 1)[tape.at(lastPlus1 - 1) + SwapLane.timestamp]
    lives.seconds[place] = lastPlus1 === 0 ? 0 : Math.max(0, seconds - reader.createdAt)
    lives.isGraduated[place] = Number(reader.isGraduated)
    lives.readAt[place] = changes.of(token) + 1
    return lastPlus1 !== 0 && lastPlus1 <= tape.firstInMemory
  }

  /** The creator's own positions in some tokens, by token. Who created none of them may have any number of others. */
  #positionsOf(
    wallet: number,
    tokens: ReadonlySet<number>,
    budget: Budget,
  ): ReadonlyMap<number, number> {
    const found = new Map<number, number>()
    if (tokens.size === 0) return found
    const { positions, state } = this.#engine
    for (const position of positions.ofWallet(wallet, budget)) {
      const token = positionLane(state, position, PositionLane.token)
      if (tokens.has(token)) found.set(token, position)
    }
    return found
  }

  #itemJson(token: number, lifeSeconds: number, position: number | null): string {
    const { state } = this.#engine
    const reader = this.#token.at(token)
    const { migratedAt } = reader
    const outcome = reader.isGraduated
      ? 'graduated'
      : isCompleting(state, token)
        ? 'completing'
        : 'new'
    const own = position === null ? null : this.#trader.at(position)
    return (
      `{"mint":${jsonString(reader.mint)},"name":${jsonString(reader.name)}` +
      `,"symbol":${jsonString(reader.symbol)},"timestamp":"${timeText(reader.createdAt)}"` +
      `,"outcome":"${outcome}","migration_timestamp":${timeOrNull(migratedAt)}` +
      `,"life_seconds":${lifeSeconds},"market_cap":${jsonNumber(reader.marketCapUsd)}` +
      `,"creator_bought_pct":${jsonNumber(own?.boughtPercent ?? 0)},"creator_sold_pct":${jsonNumber(own?.soldPercent ?? 0)}` +
      `,"creator_holding_pct":${jsonNumber(reader.creatorPercent)}` +
      `,"creator_sold_all":${reader.hasCreatorSoldAll}` +
      `,"creator_first_sell":${timeOrNull(own?.firstSellAt ?? null)}` +
      `,"creator_last_sell":${timeOrNull(own?.lastSellAt ?? null)}}`
    )
  }
}

function timeOrNull(seconds: number | null): string {
  return seconds === null ? 'null' : `"${timeText(seconds)}"`
}
