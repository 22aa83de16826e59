import { isZeroAt, numberAt } from '../../base/u64.ts'
import type { Engine } from '../../engine/engine.ts'
import { linkOf } from '../../engine/history/swap-chains.ts'
import { ROW_MASK, ROW_SHIFT } from '../../engine/memory/rows.ts'
import { isHolderRow } from '../../engine/state/lanes.ts'
import {
  LifecycleLane,
  PositionRowLane,
  ProfileLane,
  TokenFlag,
  TokenLane,
} from '../../engine/state/layout.ts'
import type { State } from '../../engine/state/state.ts'
import { Flag, SwapLane, walletOf } from '../../events/swap-record.ts'
import type { HeldMarket, HeldToken } from '../../feeds/simulator/take-up.ts'

/** Swaps looked at between two pauses. */
const SWAPS_A_STEP = 64
/** Swaps of a curve that are added up at most; the simulator's are complete or dead long before. */
const ADDED_SWAPS_MAX = 20_000
/** Newest swaps of a token that are looked at for what its fees are. */
const FEE_SWAPS = 16
/** Newest positions of a token that are looked at for who can sell. */
const LOOKED_AT_POSITIONS = 256

/** Reads the market of an engine for the simulator. */
export class EngineMarket implements HeldMarket {
  readonly #engine: Engine
  readonly #state: State

  constructor(engine: Engine) {
    this.#engine = engine
    this.#state = engine.state
  }

  get seq(): number {
    return this.#engine.seq
  }

  get newestSlot(): number {
    return this.#engine.newestSlot
  }

  get newestEventSeconds(): number {
    return this.#engine.newestEventSeconds
  }

  get solPriceUsd(): number {
    return this.#state.solPriceUsd
  }

  get tokenCount(): number {
    return this.#state.tokens.count
  }

  boardTokens(rows: number): number[] {
    const { order } = this.#engine
    const tables = [order.new, order.graduated, order.completing]
    return tables.flatMap(({ tokens }) => tokens.slice(-rows))
  }

  *recentAttention(most: number): ReturnType<HeldMarket['recentAttention']> {
    const { tape } = this.#state
    const tokens = new Map<number, number>()
    const wallets = new Map<number, number>()
    const from = Math.max(tape.firstInMemory, tape.count - most)
    for (let index = from; index < tape.count; index++) {
      const u32 = tape.u32Of(index)
      const at = tape.at(index)
      const token = u32[at + SwapLane.token]
      if (token !== undefined) count(tokens, token)
      count(wallets, walletOf(u32, at))
      if (index % SWAPS_A_STEP === 0) yield
    }
    return { tokens, wallets }
  }

  tokenOfQuote(quote: number): number {
    return this.#state.quotes.tokenOf(quote)
  }

  read(token: number): HeldToken | null {
    const state = this.#state
    const { book, profiles, texts } = state
    const t = state.tokens.u32[token >>> ROW_SHIFT]
    const b = state.births.u32[token >>> ROW_SHIFT]
    if (t === undefined || b === undefined) return null
    const at = (token & ROW_MASK) * TokenLane.lanes
    const bAt = (token & ROW_MASK) * LifecycleLane.lanes
    const birth = (lane: number) => b[bAt + lane] ?? 0
    const flags = t[at + TokenLane.flags] ?? 0
    const creatorPlus1 = birth(LifecycleLane.creatorPlus1)
    const curvePlus1 = birth(LifecycleLane.bondingCurvePlus1)
    if ((flags & TokenFlag.creationKnown) === 0 || creatorPlus1 === 0 || curvePlus1 === 0)
      return null
    const poolPlus1 = t[at + TokenLane.poolAmmPlus1] ?? 0
    return {
      token,
      mint: book.mintOf(token),
      bondingCurve: book.text(curvePlus1 - 1),
      creator: book.walletText(creatorPlus1 - 1),
      creatorWallet: creatorPlus1 - 1,
      decimals: profiles.get(token, ProfileLane.decimals),
      uri: texts.get(birth(LifecycleLane.uri)),
      quote: profiles.get(token, ProfileLane.quote),
      isMayhem: (flags & TokenFlag.mayhem) !== 0,
      isComplete: (flags & TokenFlag.complete) !== 0,
      isMigrated: (flags & TokenFlag.graduated) !== 0,
      poolAmm: poolPlus1 === 0 ? '' : book.text(poolPlus1 - 1),
      virtualBase: numberAt(t, at + TokenLane.virtualBaseLo),
      virtualQuote: numberAt(t, at + TokenLane.virtualQuoteLo),
      realBase: numberAt(t, at + TokenLane.realBaseLo),
      supply: numberAt(t, at + TokenLane.supplyLo),
      swaps: t[at + TokenLane.swaps] ?? 0,
    }
  }

  paidIn(token: number): number {
    const { tape } = this.#state
    let paid = 0
    const isSeen = this.#walk(token, ADDED_SWAPS_MAX, (index) => {
      const u32 = tape.u32Of(index)
      const at = tape.at(index)
      const quote = numberAt(u32, at + SwapLane.quoteLo)
      paid += (u32[at + SwapLane.flags] ?? 0) & Flag.sell ? -quote : quote
    })
    return isSeen ? paid : -1
  }

  paysBack(token: number): boolean {
    const { tape } = this.#state
    let paysBack = false
    this.#walk(token, FEE_SWAPS, (index) => {
      paysBack ||= !isZeroAt(tape.u32Of(index), tape.at(index) + SwapLane.cashbackLo)
    })
    return paysBack
  }

  balanceOf(token: number, wallet: number): number {
    const row = this.#state.findPosition(token, wallet)
    const p = this.#state.positions.u32[row >>> ROW_SHIFT]
    if (row < 0 || p === undefined) return 0
    return numberAt(p, (row & ROW_MASK) * PositionRowLane.lanes + PositionRowLane.balanceLo)
  }

  holdersOf(token: number, most: number): ReturnType<HeldMarket['holdersOf']> {
    const { positions } = this.#state
    const found: ReturnType<HeldMarket['holdersOf']> = []
    let rowPlus1 = this.#state.tokens.get(token, TokenLane.positionsPlus1)
    for (let i = 0; i < LOOKED_AT_POSITIONS && rowPlus1 !== 0 && found.length < most; i++) {
      const p = positions.u32[(rowPlus1 - 1) >>> ROW_SHIFT]
      const at = ((rowPlus1 - 1) & ROW_MASK) * PositionRowLane.lanes
      const wallet = p?.[at + PositionRowLane.wallet]
      if (p === undefined || wallet === undefined) break
      rowPlus1 = p[at + PositionRowLane.nextInMintPlus1] ?? 0
      if (isHolderRow(p, at))
        found.push({ wallet, balance: numberAt(p, at + PositionRowLane.balanceLo) })
    }
    return found
  }

  /** Shows up to `most` swaps of a token, the newest first; false: there are more, or they have left memory. */
  #walk(token: number, most: number, look: (index: number) => void): boolean {
    const { tape } = this.#state
    let nextPlus1 = this.#state.tokens.get(token, TokenLane.lastSwapPlus1)
    for (let i = 0; i < most && nextPlus1 > tape.firstInMemory; i++) {
      look(nextPlus1 - 1)
      nextPlus1 = linkOf(this.#state, nextPlus1 - 1, SwapLane.previousInMint)
    }
    return nextPlus1 === 0
  }
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
