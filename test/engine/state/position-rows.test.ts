import { expect, test } from 'vitest'
import { ROW_MASK, ROW_SHIFT } from '../../../src/engine/memory/rows.ts'
import { PositionLane, PositionRowLane } from '../../../src/engine/state/layout.ts'
import { PositionRecord, PositionRows } from '../../../src/engine/state/position-rows.ts'
import { UndoLog } from '../../../src/engine/state/undo-log.ts'
import { Random } from '../../oracle/random.ts'

const SEED = 20_261_130
const ROUNDS = 300
const CHANGES = 60
const POSITIONS = 6
const U64_MAX = 2n ** 64n - 1n

/** A position as it would be told by hand: amounts of tokens, then money, counts and times. */
interface Told {
  balance: bigint
  bought: bigint
  sold: bigint
  untracked: bigint
  inventory: bigint
  readonly money: [number, number, number, number, number, number, number, number, number]
  buys: number
  sells: number
  readonly times: [number, number, number, number]
  flags: number
  lastSwapPlus1: number
}

/** Places in `money`, which are the f64 lanes from `costUsdF` on. */
const MONEY = {
  cost: 0,
  realized: 2,
  bought: 4,
  sold: 5,
  boughtSol: 6,
  soldSol: 7,
  fees: 8,
} as const

test('positions are read bit for bit as they were written, taken back or not', () => {
  const forms = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const random = new Random(SEED + round)
    const undo = new UndoLog()
    const rows = new PositionRows(undo, () => {})
    const told = Array.from({ length: POSITIONS }, () => ({ row: rows.add(), is: nothing() }))
    const before: { mark: number; told: typeof told }[] = []
    for (let i = 0; i < CHANGES; i += 1) {
      if (random.chance(0.1) && before.length > 0) {
        const to = before.splice(random.integer(Math.max(0, before.length - 6), before.length - 1))
        undo.rollBackTo(to[0]?.mark ?? 0)
        for (const [place, one] of to[0]?.told.entries() ?? []) told[place] = one
      } else if (random.chance(0.03)) {
        // None that may be taken back names it.
        before.length = 0
        undo.forgetBefore(undo.mark)
        const place = random.integer(0, POSITIONS - 1)
        rows.drop(told[place]?.row ?? 0)
        told[place] = { row: rows.add(), is: nothing() }
      } else {
        const place = random.integer(0, POSITIONS - 1)
        before.push({ mark: undo.mark, told: [...told] })
        const { row, is } = told[place] ?? { row: 0, is: nothing() }
        const changed = { ...is, money: [...is.money], times: [...is.times] } as Told
        change(changed, random)
        told[place] = { row, is: changed }
        rows.save(row)
        rows.put(row, recordOf(changed))
      }
      for (const { row, is } of told) {
        const record = new PositionRecord()
        rows.copy(row, record)
        const expected = recordOf(is).u32
        expect(record.u32.join(), `seed ${SEED + round}, change ${i}`).toBe(expected.join())
        for (const lane of [PositionLane.sells, PositionLane.buys, PositionLane.soldLo])
          expect(rows.laneOf(row, lane)).toBe(expected[lane])
        forms.add(formOf(rows, row))
      }
    }
    const used = [rows, rows.sales, rows.wide].map((one) => (one.count - one.free) * one.lanes * 4)
    expect(rows.usedBytes).toBe(used.reduce((sum, bytes) => sum + bytes))
    for (const { row } of told) rows.drop(row)
    expect([rows.usedBytes, rows.sales.free, rows.wide.free]).toEqual([
      0,
      rows.sales.count,
      rows.wide.count,
    ])
  }
  expect([...forms].sort()).toEqual(['own', 'sales', 'wide'])
})

function nothing(): Told {
  const money: Told['money'] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  return {
    ...{ balance: 0n, bought: 0n, sold: 0n, untracked: 0n, inventory: 0n, money },
    ...{ buys: 0, sells: 0, times: [0, 0, 0, 0], flags: 0, lastSwapPlus1: 0 },
  }
}

/** A trade, a transfer, or proceeds that come later; some amounts need more than 32 bits. */
function change(is: Told, random: Random): void {
  const { money, times } = is
  const isFree = random.chance(0.3)
  const most = () => (isFree ? 0 : random.chance(0.1) ? 2 ** 33 : 2 ** 24)
  const usd = random.integer(0, most())
  const sol = random.integer(0, most())
  const amount =
    BigInt(random.integer(0, random.pick([9, 2 ** 20, 2 ** 40]))) *
    (random.chance(0.02) ? 2n ** 24n : 1n)
  const kind = random.pick(['buy', 'buy', 'sell', 'sell', 'out', 'proceeds', 'hand'] as const)
  is.flags = (is.flags | (1 << random.integer(0, 8))) + (random.chance(0.1) ? 1 << 10 : 0)
  if (kind === 'hand') {
    is.balance = amount
    return
  }
  if (kind === 'out') {
    const left = (is.inventory * BigInt(random.integer(0, 4))) / 4n
    const share = is.inventory === 0n ? 0 : Number(left) / Number(is.inventory)
    for (const place of [MONEY.cost, MONEY.cost + 1])
      money[place] = Math.round((money[place] ?? 0) * share)
    is.inventory = left
    is.balance = left
    return
  }
  if (kind === 'proceeds' && is.sells === 0) return
  is.lastSwapPlus1 = random.integer(1, 2 ** 32 - 1)
  money[MONEY.fees] += random.integer(0, random.chance(0.05) ? 2 ** 33 : 2 ** 20)
  const time = random.integer(1, 2 ** 32 - 1)
  if (kind === 'proceeds') {
    money[MONEY.sold] += usd
    money[MONEY.realized] += random.chance(0.8) ? usd : 0
    money[MONEY.soldSol] += sol
    money[MONEY.realized + 1] += random.chance(0.8) ? sol : 0
  } else if (kind === 'buy') {
    is.bought = atMost(is.bought + amount)
    is.inventory = atMost(is.inventory + amount)
    money[MONEY.cost] += usd
    money[MONEY.bought] += usd
    money[MONEY.cost + 1] += sol
    money[MONEY.boughtSol] += sol
    if (is.buys === 0) times[0] = time
    is.buys += 1
    times[1] = time
  } else {
    const sold =
      random.chance(0.8) && is.inventory > 0n ? is.inventory / BigInt(random.integer(1, 3)) : amount
    const tracked = sold < is.inventory ? sold : is.inventory
    const ofInventory = tracked === is.inventory ? 1 : Number(tracked) / Number(is.inventory)
    const ofSold = sold === tracked ? 1 : Number(tracked) / Number(sold)
    for (const [series, paid] of [usd, sol].entries()) {
      const part = Math.round((money[MONEY.cost + series] ?? 0) * ofInventory)
      money[MONEY.cost + series] = (money[MONEY.cost + series] ?? 0) - part
      money[MONEY.realized + series] =
        (money[MONEY.realized + series] ?? 0) + Math.round(paid * ofSold) - part
    }
    money[MONEY.sold] += usd
    money[MONEY.soldSol] += sol
    is.sold = atMost(is.sold + sold)
    is.untracked = atMost(is.untracked + sold - tracked)
    is.inventory -= tracked
    if (is.sells === 0) times[2] = time
    is.sells += 1
    times[3] = time
  }
  is.balance = is.inventory
}

function atMost(amount: bigint): bigint {
  return amount > U64_MAX ? U64_MAX : amount
}

function recordOf(is: Told): PositionRecord {
  const record = new PositionRecord()
  const amounts = new BigUint64Array(record.u32.buffer)
  for (const [place, amount] of [
    is.balance,
    is.bought,
    is.sold,
    is.untracked,
    is.inventory,
  ].entries())
    amounts[place] = amount
  record.f64.set(is.money, PositionLane.costUsdF)
  record.u32[PositionLane.buys] = is.buys
  record.u32[PositionLane.sells] = is.sells
  record.u32.set(is.times, PositionLane.firstBuyAt)
  record.u32[PositionLane.lastSwapPlus1] = is.lastSwapPlus1
  record.u32[PositionLane.flags] = is.flags & ~(1 << 9)
  return record
}

function formOf(rows: PositionRows, row: number): string {
  const p = rows.u32[row >>> ROW_SHIFT]?.subarray((row & ROW_MASK) * rows.lanes) ?? []
  if (((p[PositionRowLane.flags] ?? 0) & (1 << 9)) === 0) return 'own'
  return rows.sales.get((p[PositionRowLane.salesPlus1] ?? 0) - 1, 6) === 0 ? 'wide' : 'sales'
}
