import type { Budget } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import { ranked } from '../../engine/memory/ranked.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../../engine/memory/rows.ts'
import { growingPart, type MemoryPart } from '../../engine/memory/state-part.ts'
import { PositionRowLane } from '../../engine/state/layout.ts'
import {
  type WALLET_RANKINGS,
  WALLET_WINDOWS,
  type WalletRanksQuery,
  type WalletWindow,
} from '../../protocol/queries.ts'
import { labelJson, type WalletLabels } from '../../protocol/wallet-labels.ts'
import { jsonNumber, jsonString } from '../../protocol/wire.ts'
import { figuresOf, type WalletSummaries } from './wallet-summary.ts'

/** Wallets between two looks at the budget. */
const WALLETS_A_LOOK = 64
/** Tokens that a wallet sold off in a window for its share of wins to count: one of one says nothing. */
export const RANKED_CLOSED_MIN = 5

/** Lanes of one window; a row has those of all windows, one behind the other. */
const Lane = { realizedUsdF: 0, volumeUsdF: 1, trades: 4, wins: 5, losses: 6, lanes: 8 } as const
/** The UTC day that the figures of a row are of, + 1; 0: they are not made. */
const MADE_ON = 7
const LANES = Lane.lanes * WALLET_WINDOWS.length

const FIRST_LANES: { readonly [W in WalletWindow]: number } = {
  ...{ '1d': 0, '7d': Lane.lanes, '30d': 2 * Lane.lanes },
  all: 3 * Lane.lanes,
}

/** The value of the window at a lane; NaN: the wallet is not in the ranking. */
type ReadValue = (u32: Uint32Array, f64: Float64Array, at: number) => number

const RANKED_VALUES: { readonly [B in By]: ReadValue } = {
  realized_pnl: (u32, f64, at) =>
    u32[at + Lane.trades] === 0 ? Number.NaN : f64[(at >>> 1) + Lane.realizedUsdF],
  volume: (u32, f64, at) =>
    u32[at + Lane.trades] === 0 ? Number.NaN : f64[(at >>> 1) + Lane.volumeUsdF],
  trades: (u32, _f64, at) => u32[at + Lane.trades] || Number.NaN,
  win_rate: (u32, _f64, at) => {
    const [wins, losses] = [u32[at + Lane.wins], u32[at + Lane.losses]]
    return wins + losses < RANKED_CLOSED_MIN ? Number.NaN : winRateOf(wins, losses)
  },
}

function winRateOf(wins: number, losses: number): number {
  return wins + losses === 0 ? 0 : (wins * 100) / (wins + losses)
}

type By = (typeof WALLET_RANKINGS)[number]

/**
 * The ranking of wallets: the figures of every wallet by window, made in pieces at the first question and kept up by
 * the log of changed positions. Derived, and no part of the state: nothing of it is made, and nothing costs, until
 * somebody asks.
 */
export class WalletRanks {
  readonly #engine: Engine
  readonly #summaries: WalletSummaries
  readonly #rows = new Rows(LANES)
  /** Wallets before this one are made. */
  #made = 0
  #today = -1
  readonly #changed = new Set<number>()
  #readTo = -1

  constructor(engine: Engine, summaries: WalletSummaries) {
    this.#engine = engine
    this.#summaries = summaries
  }

  get memory(): MemoryPart {
    return growingPart('wallet_ranks', this.#rows)
  }

  /**
   * The answer as of now.
   * @throws OutOfTime before the figures of all wallets are made
   */
  json({ window, by, limit }: WalletRanksQuery, labels: WalletLabels, budget: Budget): string {
    this.#load(budget)
    const items = this.#first(window, by, limit).map((wallet, place) => {
      const text = this.#engine.state.book.walletText(wallet)
      const value = this.#valueOf(window, by, wallet)
      return (
        `{"rank":${place + 1},"value":${jsonNumber(value)},"wallet":${jsonString(text)}` +
        `,"label":${labelJson(labels.of(text))},${this.#figuresJson(window, wallet)}}`
      )
    })
    return `{"window":"${window}","by":"${by}","items":[${items.join(',')}]}`
  }

  #load(budget: Budget): void {
    if (this.#readTo < 0) {
      const { coldStore, facts, state } = this.#engine
      this.#readTo = state.positionChanges.end
      // The log holds the newest changes only, by rows: they are taken out as they come.
      facts.on('trade', () => this.#noteChanges())
      coldStore.beforeEvicted.push(() => this.#noteChanges())
    }
    this.#noteChanges()
    const { today } = this.#summaries.sums
    if (today !== this.#today) {
      this.#today = today
      this.#made = 0
    }
    const { count } = this.#engine.state.wallets
    while (this.#rows.count < count) this.#rows.add()
    for (let steps = 1; this.#made < count; steps++) {
      if (this.#mustMake(this.#made)) this.#make(this.#made, budget)
      this.#made += 1
      if (steps % WALLETS_A_LOOK === 0) budget.throwIfSpent()
    }
    let steps = 1
    for (const wallet of this.#changed) {
      this.#make(wallet, budget)
      this.#changed.delete(wallet)
      if (steps++ % WALLETS_A_LOOK === 0) budget.throwIfSpent()
    }
  }

  #noteChanges(): void {
    const { positionChanges: log, positions } = this.#engine.state
    if (!log.reaches(this.#readTo)) {
      for (let wallet = 0; wallet < this.#rows.count; wallet++) this.#rows.set(wallet, MADE_ON, 0)
      this.#made = 0
      this.#readTo = log.end
      return
    }
    for (; this.#readTo < log.end; this.#readTo++) {
      const wallet = positions.get(log.at(this.#readTo), PositionRowLane.wallet)
      if (wallet < this.#made) this.#changed.add(wallet)
      else if (wallet < this.#rows.count) this.#rows.set(wallet, MADE_ON, 0)
    }
  }

  /** Of another day only the windows change, of those that have some in them. */
  #mustMake(wallet: number): boolean {
    const madeOn = this.#rows.get(wallet, MADE_ON)
    if (madeOn === 0) return true
    return madeOn !== this.#today + 1 && this.#countOf('30d', wallet, Lane.trades) > 0
  }

  #make(wallet: number, budget: Budget): void {
    const sums = this.#summaries.sums.of(wallet, budget)
    const slice = sums.budgetOf(budget)
    const f64 = this.#rows.f64[wallet >>> ROW_SHIFT]
    for (const window of WALLET_WINDOWS) {
      const { realizedUsd, volumeUsd, trades, wins, losses } = figuresOf(sums, window, slice)
      const at = laneOf(window, 0)
      f64?.set([realizedUsd, volumeUsd], ((wallet & ROW_MASK) * LANES + at) >>> 1)
      this.#rows.set(wallet, at + Lane.trades, trades)
      this.#rows.set(wallet, at + Lane.wins, wins)
      this.#rows.set(wallet, at + Lane.losses, losses)
    }
    sums.isTold = true
    this.#rows.set(wallet, MADE_ON, this.#today + 1)
  }

  /** Rows of the first wallets; equal ones by address. All are looked at in one go, and few are ranked. */
  #first(window: WalletWindow, by: By, limit: number): readonly number[] {
    const { book, wallets } = this.#engine.state
    const orderOf = (wallet: number) => book.orderOf(book.addressOfWallet(wallet))
    const keys = {
      levels: [(wallet: number) => -this.#valueOf(window, by, wallet), orderOf],
      text: (wallet: number) => book.walletText(wallet),
    }
    const read = RANKED_VALUES[by]
    const first = laneOf(window, 0)
    let kept: number[] = []
    let least = Number.NEGATIVE_INFINITY
    let leastOrder = Number.POSITIVE_INFINITY
    for (let wallet = 0; wallet < wallets.count; wallet++) {
      const page = wallet >>> ROW_SHIFT
      const at = (wallet & ROW_MASK) * LANES + first
      const value = read(this.#rows.u32[page], this.#rows.f64[page], at)
      // Not above, when it is none.
      if (!(value >= least) || (value === least && orderOf(wallet) > leastOrder)) continue
      if (kept.push(wallet) < 4 * limit) continue
      kept = [...ranked(kept, keys, 0, limit)]
      const last = kept[limit - 1] ?? 0
      least = this.#valueOf(window, by, last)
      leastOrder = orderOf(last)
    }
    return ranked(kept, keys, 0, limit)
  }

  #valueOf(window: WalletWindow, by: By, wallet: number): number {
    const page = wallet >>> ROW_SHIFT
    const at = (wallet & ROW_MASK) * LANES + laneOf(window, 0)
    return RANKED_VALUES[by](this.#rows.u32[page], this.#rows.f64[page], at)
  }

  #countOf(window: WalletWindow, wallet: number, lane: number): number {
    return this.#rows.get(wallet, laneOf(window, lane))
  }

  #moneyOf(window: WalletWindow, wallet: number, laneF: number): number {
    const at = ((wallet & ROW_MASK) * LANES + laneOf(window, 0)) >>> 1
    return this.#rows.f64[wallet >>> ROW_SHIFT]?.[at + laneF] ?? 0
  }

  #figuresJson(window: WalletWindow, wallet: number): string {
    const count = (lane: number) => this.#countOf(window, wallet, lane)
    return (
      `"realized_pnl_usd":${jsonNumber(this.#moneyOf(window, wallet, Lane.realizedUsdF))}` +
      `,"volume_usd":${jsonNumber(this.#moneyOf(window, wallet, Lane.volumeUsdF))}` +
      `,"trades":${count(Lane.trades)},"wins":${count(Lane.wins)},"losses":${count(Lane.losses)}` +
      `,"win_rate_pct":${jsonNumber(winRateOf(count(Lane.wins), count(Lane.losses)))}`
    )
  }
}

/** Lane of a row for a lane of a window. */
function laneOf(window: WalletWindow, lane: number): number {
  return FIRST_LANES[window] + lane
}
