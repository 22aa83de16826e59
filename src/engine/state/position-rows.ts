import { copyU64, isZeroAt, numberAt, subtractU64 } from '../../base/u64.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import type { StatePart } from '../memory/state-part.ts'
import {
  NARROW_ROWS,
  PositionFlag,
  PositionLane,
  PositionRowLane,
  SalesLane,
  WideLane,
} from './layout.ts'
import { type FormerImages, imageOf, NEW_IDS, type UndoLog } from './undo-log.ts'

/** Lanes of a record that a row has as they are, and where. */
const KEPT = [
  [PositionLane.balanceLo, PositionRowLane.balanceLo],
  [PositionLane.balanceLo + 1, PositionRowLane.balanceLo + 1],
  [PositionLane.boughtLo, PositionRowLane.boughtLo],
  [PositionLane.boughtLo + 1, PositionRowLane.boughtLo + 1],
  [PositionLane.token, PositionRowLane.token],
  [PositionLane.wallet, PositionRowLane.wallet],
  [PositionLane.nextInMintPlus1, PositionRowLane.nextInMintPlus1],
  [PositionLane.flags, PositionRowLane.flags],
  [PositionLane.buys, PositionRowLane.buys],
  [PositionLane.firstBuyAt, PositionRowLane.firstBuyAt],
  [PositionLane.lastBuyAt, PositionRowLane.lastBuyAt],
  [PositionLane.lastSwapPlus1, PositionRowLane.lastSwapPlus1],
] as const

/** By lane of a record: the row's, or -1. */
const ROW_LANES = Int8Array.from({ length: PositionLane.lanes }, (_, lane) => {
  const kept = KEPT.find(([of]) => of === lane)
  return kept === undefined ? -1 : kept[1]
})

/** A position as the lanes of `PositionLane`, from lane 0 on. */
export class PositionRecord {
  readonly u32 = new Uint32Array(PositionLane.lanes)
  readonly f64 = new Float64Array(this.u32.buffer)
}

/**
 * Positions of tokens that are not dormant. Most have no sale: what was bought is what they hold, at what it cost, and a
 * row of 64 bytes says all. Others have a row of sales, from which inventory and results follow; where they do not
 * (tokens that came or left without a trade, amounts of 2^32 and more), a wide row says them. `write` takes the
 * narrowest form that gives back each bit.
 *
 * Rolling back restores what is in the rows, never which rows a position has: these are given back with it.
 */
export class PositionRows extends Rows {
  readonly sales = new Rows(SalesLane.lanes)
  readonly wide = new Rows(WideLane.lanes)
  readonly #undo: UndoLog
  readonly #undoId: number
  readonly #inventory = new Uint32Array(2)
  readonly #record = new PositionRecord()

  constructor(undo: UndoLog, onRestored: (row: number) => void) {
    super(PositionRowLane.lanes)
    this.#undo = undo
    const { nextInMintPlus1, salesPlus1 } = PositionRowLane
    this.#undoId = undo.register(this, [nextInMintPlus1, salesPlus1])
    undo.onRestored(this.#undoId, onRestored)
    undo.register(this.sales, [SalesLane.widePlus1], NEW_IDS.positionSales)
    undo.register(this.wide, [], NEW_IDS.widePositions)
  }

  /** Bytes of the rows in use. */
  get usedBytes(): number {
    return [this, this.sales, this.wide].reduce(
      (sum, { count, free, lanes }) => sum + (count - free) * lanes * 4,
      0,
    )
  }

  /** Saves a position for the undo log. */
  save(row: number): void {
    this.#undo.save(this.#undoId, row)
    const sales = this.#salesOf(row)
    if (sales < 0) return
    this.#undo.save(NEW_IDS.positionSales, sales)
    if (this.sales.get(sales, SalesLane.sells) !== 0) return
    this.#undo.save(NEW_IDS.widePositions, this.sales.get(sales, SalesLane.widePlus1) - 1)
  }

  /** Gives back all rows of a position. */
  drop(row: number): void {
    const sales = this.get(row, PositionRowLane.salesPlus1) - 1
    const wide = sales < 0 ? -1 : this.sales.get(sales, SalesLane.widePlus1) - 1
    if (wide >= 0) this.wide.giveBack(wide)
    if (sales >= 0) this.sales.giveBack(sales)
    this.giveBack(row)
  }

  /** One lane of `PositionLane`. */
  laneOf(row: number, lane: number): number {
    if (ROW_LANES[lane] >= 0) return this.get(row, ROW_LANES[lane])
    this.read(row, this.#record)
    return this.#record.u32[lane]
  }

  /** Copies all lanes of a position. */
  copy(row: number, record: PositionRecord): void {
    const p = this.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * PositionRowLane.lanes
    for (let i = 0; i < KEPT.length; i++) record.u32[KEPT[i][0]] = p[at + KEPT[i][1]]
    record.u32[PositionLane.flags] &= ~PositionFlag.hasSales
    this.read(row, record)
  }

  /** Makes a position what a record says, but for its place: mint, wallet and chain. */
  put(row: number, record: PositionRecord): void {
    const { token, wallet, nextInMintPlus1 } = PositionLane
    for (const [from, to] of KEPT)
      if (from !== token && from !== wallet && from !== nextInMintPlus1)
        this.set(row, to, record.u32[from])
    this.write(row, record)
  }

  /** Reads what the row has not as lanes: amounts but what was bought, money, sales. */
  read(row: number, { u32, f64 }: PositionRecord): void {
    const p = this.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * PositionRowLane.lanes
    const boughtUsd = p[at + PositionRowLane.boughtUsd]
    const boughtSol = p[at + PositionRowLane.boughtSol]
    const sales = this.#salesOf(row)
    const s = sales < 0 ? p : this.sales.u32[sales >>> ROW_SHIFT]
    const sAt = (sales & ROW_MASK) * SalesLane.lanes
    if (sales >= 0) {
      copyU64(u32, PositionLane.soldLo, s, sAt + SalesLane.soldLo)
      u32[PositionLane.firstSellAt] = s[sAt + SalesLane.firstSellAt]
      u32[PositionLane.lastSellAt] = s[sAt + SalesLane.lastSellAt]
      if (s[sAt + SalesLane.sells] === 0) {
        this.#readWide(s[sAt + SalesLane.widePlus1] - 1, u32)
        return
      }
    } else {
      u32[PositionLane.soldLo] = 0
      u32[PositionLane.soldLo + 1] = 0
      u32[PositionLane.firstSellAt] = 0
      u32[PositionLane.lastSellAt] = 0
    }
    const costUsd = sales < 0 ? boughtUsd : s[sAt + SalesLane.costUsd]
    const costSol = sales < 0 ? boughtSol : s[sAt + SalesLane.costSol]
    const soldUsd = sales < 0 ? 0 : s[sAt + SalesLane.soldUsd]
    const soldSol = sales < 0 ? 0 : s[sAt + SalesLane.soldSol]
    u32[PositionLane.untrackedLo] = 0
    u32[PositionLane.untrackedLo + 1] = 0
    copyU64(u32, PositionLane.inventoryLo, p, at + PositionRowLane.boughtLo)
    if (sales >= 0) subtractU64(u32, PositionLane.inventoryLo, u32, PositionLane.soldLo)
    f64[PositionLane.costUsdF] = costUsd
    f64[PositionLane.costSolF] = costSol
    f64[PositionLane.realizedUsdF] = soldUsd - boughtUsd + costUsd
    f64[PositionLane.realizedSolF] = soldSol - boughtSol + costSol
    f64[PositionLane.boughtUsdF] = boughtUsd
    f64[PositionLane.soldUsdF] = soldUsd
    f64[PositionLane.boughtSolF] = boughtSol
    f64[PositionLane.soldSolF] = soldSol
    f64[PositionLane.feesF] = p[at + PositionRowLane.fees]
    u32[PositionLane.sells] = sales < 0 ? 0 : s[sAt + SalesLane.sells]
  }

  /** Writes what `read` reads. */
  write(row: number, record: PositionRecord): void {
    const { u32, f64 } = record
    const p = this.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * PositionRowLane.lanes
    const follows = this.#follows(p, at + PositionRowLane.boughtLo, record)
    p[at + PositionRowLane.boughtUsd] = follows ? f64[PositionLane.boughtUsdF] : 0
    p[at + PositionRowLane.boughtSol] = follows ? f64[PositionLane.boughtSolF] : 0
    p[at + PositionRowLane.fees] = follows ? f64[PositionLane.feesF] : 0
    // Without a sale nothing was realised, so what it cost is what was paid.
    if (follows && u32[PositionLane.sells] === 0) {
      p[at + PositionRowLane.flags] &= ~PositionFlag.hasSales
      return
    }
    p[at + PositionRowLane.flags] |= PositionFlag.hasSales
    if (p[at + PositionRowLane.salesPlus1] === 0)
      p[at + PositionRowLane.salesPlus1] = this.sales.add() + 1
    const sales = p[at + PositionRowLane.salesPlus1] - 1
    const s = this.sales.u32[sales >>> ROW_SHIFT]
    const sAt = (sales & ROW_MASK) * SalesLane.lanes
    copyU64(s, sAt + SalesLane.soldLo, u32, PositionLane.soldLo)
    s[sAt + SalesLane.soldUsd] = follows ? f64[PositionLane.soldUsdF] : 0
    s[sAt + SalesLane.soldSol] = follows ? f64[PositionLane.soldSolF] : 0
    s[sAt + SalesLane.costUsd] = follows ? f64[PositionLane.costUsdF] : 0
    s[sAt + SalesLane.costSol] = follows ? f64[PositionLane.costSolF] : 0
    s[sAt + SalesLane.sells] = follows ? u32[PositionLane.sells] : 0
    s[sAt + SalesLane.firstSellAt] = u32[PositionLane.firstSellAt]
    s[sAt + SalesLane.lastSellAt] = u32[PositionLane.lastSellAt]
    if (follows) return
    if (s[sAt + SalesLane.widePlus1] === 0) s[sAt + SalesLane.widePlus1] = this.wide.add() + 1
    this.#writeWide(s[sAt + SalesLane.widePlus1] - 1, u32)
  }

  /** Does all follow from what the narrow rows have? No amount is ever -0: sums begin at 0, and nothing below it is added. */
  #follows(p: Uint32Array, boughtAt: number, { u32, f64 }: PositionRecord): boolean {
    const boughtUsd = f64[PositionLane.boughtUsdF]
    const boughtSol = f64[PositionLane.boughtSolF]
    const soldUsd = f64[PositionLane.soldUsdF]
    const soldSol = f64[PositionLane.soldSolF]
    const costUsd = f64[PositionLane.costUsdF]
    const costSol = f64[PositionLane.costSolF]
    const inventory = this.#inventory
    copyU64(inventory, 0, p, boughtAt)
    subtractU64(inventory, 0, u32, PositionLane.soldLo)
    return (
      isZeroAt(u32, PositionLane.untrackedLo) &&
      u32[PositionLane.inventoryLo] === inventory[0] &&
      u32[PositionLane.inventoryLo + 1] === inventory[1] &&
      isNarrow(boughtUsd) &&
      isNarrow(boughtSol) &&
      isNarrow(soldUsd) &&
      isNarrow(soldSol) &&
      isNarrow(costUsd) &&
      isNarrow(costSol) &&
      isNarrow(f64[PositionLane.feesF]) &&
      f64[PositionLane.realizedUsdF] === soldUsd - boughtUsd + costUsd &&
      f64[PositionLane.realizedSolF] === soldSol - boughtSol + costSol
    )
  }

  /** Row of its sales, if in use; else -1. */
  #salesOf(row: number): number {
    const p = this.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * PositionRowLane.lanes
    const isUsed = (p[at + PositionRowLane.flags] & PositionFlag.hasSales) !== 0
    return isUsed ? p[at + PositionRowLane.salesPlus1] - 1 : -1
  }

  #readWide(row: number, u32: Uint32Array): void {
    const w = this.wide.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * WideLane.lanes
    for (let i = 0; i < WideLane.sells; i++) u32[PositionLane.untrackedLo + i] = w[at + i]
    u32[PositionLane.sells] = w[at + WideLane.sells]
  }

  #writeWide(row: number, u32: Uint32Array): void {
    const w = this.wide.u32[row >>> ROW_SHIFT]
    const at = (row & ROW_MASK) * WideLane.lanes
    for (let i = 0; i < WideLane.sells; i++) w[at + i] = u32[PositionLane.untrackedLo + i]
    w[at + WideLane.sells] = u32[PositionLane.sells]
  }

  /** The parts of the state. */
  get parts(): StatePart[] {
    const part = this.reusedPart('positions')
    const former = (version: number) => (version < NARROW_ROWS ? this.#formerPart(part) : null)
    const added = ([name, rows]: readonly [string, Rows]): StatePart => ({
      ...rows.reusedPart(name),
      former: (version) => (version < NARROW_ROWS ? rows.part(name) : null),
    })
    const others = [
      ['position sales', this.sales],
      ['wide positions', this.wide],
    ] as const
    return [{ ...part, former }, ...others.map(added)]
  }

  /** Rows of all lanes. */
  #formerPart({ name }: StatePart): StatePart {
    const former = new Rows(PositionLane.lanes)
    const settle = () => {
      for (const rows of [this.sales, this.wide]) rows.reset(0)
      this.reset(former.count)
      this.freePlus1 = former.freePlus1
      this.free = former.free
      for (let row = 0; row < former.count; row++) this.#writeAll(row, imageOf(former, row))
    }
    return { ...former.reusedPart(name), settle }
  }

  /** By id of the undo log, images of rows of all lanes, as snapshots before `NARROW_ROWS` have them. */
  get formerImages(): ReadonlyMap<number, FormerImages> {
    const convert: FormerImages['convert'] = (row, image, put) => {
      const now = new PositionRecord()
      this.copy(row, now)
      this.#writeAll(row, image)
      put(this.#undoId, row, imageOf(this, row))
      const sales = this.#salesOf(row)
      if (sales >= 0) put(NEW_IDS.positionSales, sales, imageOf(this.sales, sales))
      const isWide = sales >= 0 && this.sales.get(sales, SalesLane.sells) === 0
      const wide = isWide ? this.sales.get(sales, SalesLane.widePlus1) - 1 : -1
      if (wide >= 0) put(NEW_IDS.widePositions, wide, imageOf(this.wide, wide))
      this.#writeAll(row, now.u32)
    }
    return new Map([[this.#undoId, { lanes: PositionLane.lanes, foresee() {}, convert }]])
  }

  /** Writes all lanes of a position. */
  #writeAll(row: number, lanes: Uint32Array): void {
    this.#record.u32.set(lanes)
    for (const [from, to] of KEPT) this.set(row, to, lanes[from])
    this.write(row, this.#record)
  }
}

function isNarrow(amount: number): boolean {
  return amount === amount >>> 0
}

/**
 * Weighted-average cost (contract section 5). Costs are integers; a part of a cost is rounded to the nearest. The fold
 * does this once for each swap, a read of days does it again for the swaps of one position.
 */

/** Takes the sold share out of the cost; returns what was realised. */
export function realize(
  costs: Float64Array,
  at: number,
  value: number,
  ofInventory: number,
  ofSold: number,
): number {
  const cost = costs[at]
  const part = ofInventory === 1 ? cost : Math.round(cost * ofInventory)
  costs[at] = cost - part
  return shareOf(value, ofSold) - part
}

/** Part of an amount of money, to the nearest integer. */
export function shareOf(value: number, share: number): number {
  return share === 1 ? value : Math.round(value * share)
}

/** The inventory of a position becomes `to`, which is less; its costs go down with it. */
export function clampInventory({ u32, f64 }: PositionRecord, to: Uint32Array): void {
  const isEmpty = isZeroAt(to, 0)
  const share = isEmpty ? 0 : numberAt(to, 0) / numberAt(u32, PositionLane.inventoryLo)
  f64[PositionLane.costUsdF] = isEmpty ? 0 : Math.round(f64[PositionLane.costUsdF] * share)
  f64[PositionLane.costSolF] = isEmpty ? 0 : Math.round(f64[PositionLane.costSolF] * share)
  copyU64(u32, PositionLane.inventoryLo, to, 0)
}
