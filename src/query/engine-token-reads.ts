import { Budget } from '../base/budget.ts'
import type { Engine } from '../engine/engine.ts'
import { markOf } from '../engine/history/swap-chains.ts'
import { CreatorTokens } from '../engine/index/creator-tokens.ts'
import type { MintTraders, TraderPart } from '../engine/index/trader-columns.ts'
import { ranked } from '../engine/memory/ranked.ts'
import type { MemoryPart } from '../engine/memory/state-part.ts'
import { Chart } from '../engine/read/chart.ts'
import { PositionReader } from '../engine/read/position-reader.ts'
import { TokenReader } from '../engine/read/token-reader.ts'
import { isNeverHolder, positionLane } from '../engine/state/lanes.ts'
import { PositionLane, TokenLane } from '../engine/state/layout.ts'
import type { Positions } from '../engine/state/position-lists.ts'
import type { Page, SwapCursor, TokenReads } from '../protocol/queries.ts'
import { cursorText } from '../protocol/requests/pages.ts'
import { swapJson } from './json/swap-json.ts'
import { creatorTokenJson, tokenDetailJson } from './json/token-json.ts'
import { knownSwaps, knownToken } from './known.ts'
import {
  byWallet,
  FIRST_BUYER_PARTS,
  firstBuyersPage,
  HOLDER_PARTS,
  holdersPage,
  pageJson,
  traderPage,
} from './traders/trader-column-pages.ts'
import { traderJson } from './traders/trader-json.ts'

/** Tokens of a creator that a detail lists. */
export const CREATOR_TOKENS_MAX = 50

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
    this.#chart = new Chart(state, engine.chartTrades, engine.bars)
    this.#creators = new CreatorTokens(state, engine.announcements.launches)
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

  detail(mint: string, budget = Budget.unlimited): string | null {
    this.#tick()
    const token = knownToken(this.#engine.state, mint)
    if (token < 0) return null
    const { state } = this.#engine
    const high = this.#chart.allTimeHigh(token, budget)
    const listed = this.#creators.ofCreatorOf(token, CREATOR_TOKENS_MAX, budget)
    const tokens = listed.map((one) => creatorTokenJson(this.#token.at(one)))
    return tokenDetailJson(this.#token.at(token), {
      high,
      swaps: state.tokens.get(token, TokenLane.swaps),
      traders: state.tokens.get(token, TokenLane.traders),
      creatorTokens: tokens,
    })
  }

  symbol(mint: string): { name: string; symbol: string; priceUsd: number } | null {
    this.#tick()
    const token = knownToken(this.#engine.state, mint)
    if (token < 0) return null
    const { name, symbol, priceUsd } = this.#token.at(token)
    return { name, symbol, priceUsd }
  }

  holders(mint: string, page: Page, budget = Budget.unlimited): string {
    this.#tick()
    const trader = this.#trader
    const columns = this.#columns(mint, HOLDER_PARTS, budget)
    if (columns !== null) return holdersPage(columns, trader, page)
    const held: number[] = []
    for (const position of this.#positions(mint)) if (this.#isHolder(position)) held.push(position)
    const keys = byWallet(trader, (position) => -trader.at(position).holding)
    return traderPage(trader, held, keys, page)
  }

  firstBuyers(mint: string, page: Page, budget = Budget.unlimited): string {
    this.#tick()
    const columns = this.#columns(mint, FIRST_BUYER_PARTS, budget)
    if (columns !== null) return firstBuyersPage(columns, this.#trader, page)
    const { state } = this.#engine
    const bought: number[] = []
    for (const position of this.#positions(mint))
      if (positionLane(state, position, PositionLane.buys) > 0) bought.push(position)
    // The newest come first in the list: of two in one second the one that came first is behind.
    const places = bought.map((_, place) => place)
    const keys = {
      levels: [
        (place: number) => positionLane(state, bought[place], PositionLane.firstBuyAt),
        (place: number) => -place,
      ],
      text: () => '',
    }
    const from = (page.page - 1) * page.limit
    const shown = ranked(places, keys, from, from + page.limit)
    const items = shown.map((place) => traderJson(this.#trader.at(bought[place]), page.extra))
    return pageJson(bought.length, page, items)
  }

  swapsFrom(
    mint: string,
    wallet: string | null,
    { after, limit, extra }: SwapCursor,
    budget = Budget.unlimited,
  ): string | null {
    this.#tick()
    const { state, chains } = this.#engine
    const of = knownSwaps(state, mint, wallet)
    if (of === null)
      return after === null ? `{"total":0,"limit":${limit},"items":[],"next_cursor":null}` : null
    const behind = chains.behind(of, after, limit, budget)
    if (behind === null) return null
    const { swaps, hasMore } = behind
    const items = swaps.map((index) => swapJson(state, index, extra))
    const last = swaps.at(-1)
    const next =
      hasMore && last !== undefined ? `"${cursorText(markOf(state.tape, last))}"` : 'null'
    return `{"total":${chains.total(of)},"limit":${limit},"items":[${items.join(',')}],"next_cursor":${next}}`
  }

  #columns(mint: string, parts: readonly TraderPart[], budget: Budget): MintTraders | null {
    const token = knownToken(this.#engine.state, mint)
    return token < 0 ? null : this.#engine.traders.of(token, parts, budget)
  }

  #positions(mint: string): Positions {
    const token = knownToken(this.#engine.state, mint)
    return token < 0 ? [] : this.#engine.positions.ofToken(token)
  }

  #isHolder(position: number): boolean {
    const { state } = this.#engine
    const balance =
      positionLane(state, position, PositionLane.balanceLo) |
      positionLane(state, position, PositionLane.balanceLo + 1)
    if (balance === 0) return false
    const token = positionLane(state, position, PositionLane.token)
    return !isNeverHolder(state, token, positionLane(state, position, PositionLane.wallet))
  }
}
