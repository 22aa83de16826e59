import { LRUCache } from 'lru-cache'
import type { Budget } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import type { CreatorTokens } from '../../engine/index/creator-tokens.ts'
import { PositionReader } from '../../engine/read/position-reader.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import { isCompleting, positionLane } from '../../engine/state/lanes.ts'
import { PositionLane, TokenLane } from '../../engine/state/layout.ts'
import { percentOf } from '../../engine/state/money.ts'
import { SwapLane } from '../../events/swap-record.ts'
import type { Page } from '../../protocol/queries.ts'
import { jsonNumber, jsonString, timeText } from '../../protocol/wire.ts'
import { medianOf } from './wallet-summary.ts'

/** Tokens whose last trade is remembered; the one read longest ago goes. */
const LAST_TRADES_MAX = 1 << 16

/** What creators made of their tokens (docs/live.md, `GET /api/v2/creators/:wallet`). */
export class CreatorPages {
  readonly #engine: Engine
  readonly #creators: CreatorTokens
  readonly #token: TokenReader
  readonly #trader: PositionReader
  /** By token: unix seconds of its last trade, as of a count of its changes. Each may be a read of the disk. */
  readonly #lastTrades = new LRUCache<number, { changes: number; seconds: number }>({
    max: LAST_TRADES_MAX,
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
    const tokens = wallet < 0 ? [] : this.#creators.ofCreator(wallet, budget)
    const lives = tokens.map((token) => this.#lifeOf(token, budget))
    const graduated = tokens.filter((token) => this.#token.at(token).isGraduated).length
    const from = (page.page - 1) * page.limit
    const shown = tokens.slice(from, from + page.limit)
    const positions = this.#positionsOf(wallet, new Set(shown), budget)
    const items = shown.map((token, place) => {
      const life = lives[from + place] ?? 0
      return this.#itemJson(token, life, positions.get(token) ?? null)
    })
    return (
      `"graduated":${graduated},"graduated_pct":${jsonNumber(percentOf(graduated, tokens.length))}` +
      `,"median_life_seconds":${jsonNumber(medianOf(lives))}` +
      `,"total":${tokens.length},"page":${page.page},"limit":${page.limit},"items":[${items.join(',')}]`
    )
  }

  /** Seconds from the creation to the last trade. */
  #lifeOf(token: number, budget: Budget): number {
    const { changes, tape, tokens } = this.#engine.state
    const lastPlus1 = tokens.get(token, TokenLane.lastSwapPlus1)
    if (lastPlus1 === 0) return 0
    const known = this.#lastTrades.get(token)
    let seconds = known?.changes === changes.of(token) ? known.seconds : -1
    if (seconds < 0) {
      seconds = tape.u32Of(lastPlus1 - 1)[tape.at(lastPlus1 - 1) + SwapLane.timestamp] ?? 0
      this.#lastTrades.set(token, { changes: changes.of(token), seconds })
      if (lastPlus1 <= tape.firstInMemory) budget.throwIfSpent()
    }
    return Math.max(0, seconds - this.#token.at(token).createdAt)
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
