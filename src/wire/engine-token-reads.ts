import { allTimeHigh } from '../engine/all-time-high.ts'
import { Chart } from '../engine/chart.ts'
import { CreatorTokens } from '../engine/creator-tokens.ts'
import type { Engine } from '../engine/engine.ts'
import { isNeverHolder } from '../engine/exclusion.ts'
import { positionLane, tokenLane } from '../engine/lanes.ts'
import { P, T } from '../engine/layout.ts'
import type { MemoryPart } from '../engine/memory/memory-part.ts'
import { positionIn, positionsOfToken } from '../engine/position-lists.ts'
import { PositionReader } from '../engine/position-reader.ts'
import { swapsBehind } from '../engine/tape-reader.ts'
import { TokenReader } from '../engine/token-reader.ts'
import type { Page } from './answers.ts'
import { cursorText, type SwapCursor } from './requests/swaps-cursor.ts'
import { swapJson, swapPlace } from './swap-json.ts'
import { creatorTokenJson, tokenDetailJson } from './token-detail-json.ts'
import type { TokenReads } from './token-reads.ts'
import { traderJson } from './trader-json.ts'

/** Tokens of a creator that a detail lists. */
const CREATOR_TOKENS_MAX = 50

/** The additive reads, out of the engine's state. */
export class EngineTokenReads implements TokenReads {
  readonly #engine: Engine
  readonly #tick: () => void
  readonly #token: TokenReader
  readonly #trader: PositionReader
  readonly #chart: Chart
  readonly #creators: CreatorTokens

  /** `tick` brings the engine's now up to date before a read. */
  constructor(engine: Engine, tick: () => void) {
    this.#engine = engine
    this.#tick = tick
    const { state, top, links } = engine
    this.#token = new TokenReader(state, top, links)
    this.#trader = new PositionReader(state, new TokenReader(state, top, links))
    this.#chart = new Chart(state, engine.candles)
    this.#creators = new CreatorTokens(state)
  }

  /** Begins to note creations: after the recovery. */
  attach(): void {
    this.#engine.facts.on('created', (token) => this.#creators.created(token))
  }

  get memory(): MemoryPart {
    return this.#creators.memory
  }

  now(): number {
    this.#tick()
    return this.#engine.state.now
  }

  detail(mint: string): string | null {
    this.#tick()
    const token = this.#find(mint)
    if (token < 0) return null
    const { state } = this.#engine
    const listed = this.#creators.ofCreatorOf(token, CREATOR_TOKENS_MAX)
    const tokens = listed.map((one) => creatorTokenJson(this.#token.at(one)))
    const high = allTimeHigh(this.#chart, token, state.now)
    return tokenDetailJson(this.#token.at(token), {
      high,
      swaps: tokenLane(state, token, T.swaps),
      traders: tokenLane(state, token, T.traders),
      creatorTokens: tokens,
    })
  }

  symbol(mint: string): { name: string; symbol: string; priceUsd: number } | null {
    this.#tick()
    const token = this.#find(mint)
    if (token < 0) return null
    const { name, symbol, priceUsd } = this.#token.at(token)
    return { name, symbol, priceUsd }
  }

  holders(mint: string, page: Page): string {
    this.#tick()
    const held = this.#positions(mint).filter((position) => this.#isHolder(position))
    return this.#page(held, page, (position) => -this.#trader.at(position).holding, true)
  }

  firstBuyers(mint: string, page: Page): string {
    this.#tick()
    const { state } = this.#engine
    const bought = this.#positions(mint).filter((one) => positionLane(state, one, P.buys) > 0)
    return this.#page(bought, page, (one) => positionLane(state, one, P.firstBuyAt), false)
  }

  swapsFrom(mint: string, wallet: string | null, cursor: SwapCursor): string | null {
    this.#tick()
    const { state } = this.#engine
    const token = this.#find(mint)
    const row = wallet === null ? -1 : state.book.findWallet(wallet)
    const position = token < 0 || row < 0 ? null : positionIn(state, token, row)
    const isNobody = token < 0 || (wallet !== null && position === null)
    if (isNobody)
      return cursor.after === null
        ? `{"total":0,"limit":${cursor.limit},"items":[],"next_cursor":null}`
        : null
    const found = swapsBehind(state, { token, position }, cursor.after, cursor.limit)
    if (found === null) return null
    const items = found.swaps.map((index) => swapJson(state, index))
    const last = found.swaps.at(-1)
    const next =
      found.hasMore && last !== undefined ? `"${cursorText(swapPlace(state, last))}"` : 'null'
    const { total } = found
    return `{"total":${total},"limit":${cursor.limit},"items":[${items.join(',')}],"next_cursor":${next}}`
  }

  #find(mint: string): number {
    const { state } = this.#engine
    const token = state.book.findToken(mint)
    if (token < 0 || token >= state.tokens.count) return -1
    return this.#token.at(token).exists ? token : -1
  }

  #positions(mint: string): number[] {
    const token = this.#find(mint)
    return token < 0 ? [] : positionsOfToken(this.#engine.state, token)
  }

  #isHolder(position: number): boolean {
    const { state } = this.#engine
    const [token, wallet] = [P.token, P.wallet].map((lane) => positionLane(state, position, lane))
    const balance =
      positionLane(state, position, P.balanceLo) | positionLane(state, position, P.balanceLo + 1)
    return balance !== 0 && !isNeverHolder(state, token, wallet)
  }

  /** Ascending by `key`; ties by wallet, or by who came first: the list begins with the newest. */
  #page(
    positions: readonly number[],
    page: Page,
    key: (position: number) => number,
    byWallet: boolean,
  ): string {
    const keyed = positions.map((position, place) => ({ position, place, key: key(position) }))
    const walletOf = (position: number) => this.#trader.at(position).wallet
    keyed.sort((a, b) => {
      if (a.key !== b.key) return a.key - b.key
      if (!byWallet) return b.place - a.place
      return walletOf(a.position) < walletOf(b.position) ? -1 : 1
    })
    const start = (page.page - 1) * page.limit
    const items = keyed
      .slice(start, start + page.limit)
      .map(({ position }) => traderJson(this.#trader.at(position)))
    const total = positions.length
    return `{"total":${total},"page":${page.page},"limit":${page.limit},"items":[${items.join(',')}]}`
  }
}
