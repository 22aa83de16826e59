import type { Fault } from '../fault.ts'

const ROWS = 'src/engine/state/position-rows.ts'
const ROWS_TEST = 'test/engine/state/position-rows.test.ts'
const FORMER_TEST = 'test/store/former-positions.test.ts'
const UPGRADE_TEST = 'test/store/tokens-after-upgrade.test.ts'

/** Faults of positions whose rows say no more than they must. */
export const NARROW_POSITION_FAULTS: readonly Fault[] = [
  {
    name: 'narrow positions: any whole number fits 32 bits',
    file: ROWS,
    find: 'return amount === amount >>> 0',
    replace: 'return Number.isInteger(amount)',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: fees are not looked at',
    file: ROWS,
    find: '      isNarrow(f64[PositionLane.feesF]) &&\n',
    replace: '',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: tokens that left without a sale are there again',
    file: ROWS,
    find: '      u32[PositionLane.inventoryLo] === inventory[0] &&\n',
    replace: '',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: what was sold without being bought was bought',
    file: ROWS,
    find: 'isZeroAt(u32, PositionLane.untrackedLo) &&',
    replace: '',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: a result in SOL follows wherever that in dollars does',
    file: ROWS,
    find: ' &&\n      f64[PositionLane.realizedSolF] === soldSol - boughtSol + costSol',
    replace: '',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: what was sold stays in the inventory',
    file: ROWS,
    find: 'if (sales >= 0) subtractU64(u32, PositionLane.inventoryLo, u32, PositionLane.soldLo)\n',
    replace: '\n',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: a result leaves out what is held at cost',
    file: ROWS,
    find: 'f64[PositionLane.realizedUsdF] = soldUsd - boughtUsd + costUsd',
    replace: 'f64[PositionLane.realizedUsdF] = soldUsd - boughtUsd',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: the wide row has no sales',
    file: ROWS,
    find: '    w[at + WideLane.sells] = u32[PositionLane.sells]\n',
    replace: '',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: a wide row ends before the fees',
    file: ROWS,
    find: 'for (let i = 0; i < WideLane.sells; i++) w[at + i]',
    replace: 'for (let i = 0; i < WideLane.sells - 2; i++) w[at + i]',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: sales that were taken back are still there',
    file: ROWS,
    find: '    return isUsed ? p[at + PositionRowLane.salesPlus1] - 1 : -1',
    replace:
      '    return isUsed || p[at + PositionRowLane.salesPlus1] > 0 ? p[at + PositionRowLane.salesPlus1] - 1 : -1',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: sales are no part of what is taken back',
    file: ROWS,
    find: '    this.#undo.save(NEW_IDS.positionSales, sales)\n',
    replace: '',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: wide rows are no part of what is taken back',
    file: ROWS,
    find: '    this.#undo.save(NEW_IDS.widePositions, this.sales.get(sales, SalesLane.widePlus1) - 1)\n',
    replace: '',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: rolling back takes the row of sales from its position',
    file: ROWS,
    find: 'this.#undoId = undo.register(this, [nextInMintPlus1, salesPlus1])',
    replace: 'this.#undoId = undo.register(this, [nextInMintPlus1, salesPlus1].slice(0, 1))',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: a position that goes keeps its wide row',
    file: ROWS,
    find: '    if (wide >= 0) this.wide.giveBack(wide)\n',
    replace: '',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: a record on the tape says that it has a row of sales',
    file: ROWS,
    find: '    record.u32[PositionLane.flags] &= ~PositionFlag.hasSales\n',
    replace: '',
    tests: [ROWS_TEST],
  },
  {
    name: 'narrow positions: who only sold never traded',
    file: 'src/engine/state/lanes.ts',
    find: 'p[at + PositionRowLane.buys] > 0 || hasSales',
    replace: 'p[at + PositionRowLane.buys] > 0',
    tests: ['model'],
  },
  {
    name: 'narrow positions: what a swap did is not written',
    file: 'src/engine/fold/swap-fold.ts',
    find: '    this.#state.positions.write(swap.position, swap.amounts)\n',
    replace: '',
    tests: ['model'],
  },
  {
    name: 'narrow positions: an eviction counts the rows of positions alone',
    file: ROWS,
    find: 'return [this, this.sales, this.wide].reduce(',
    replace: 'return [this].reduce(',
    tests: [ROWS_TEST],
  },
  {
    name: 'former positions: their images are taken for those of narrow rows',
    file: 'src/engine/engine.ts',
    find: 'new Map([...former.images, ...positions.formerImages])',
    replace: 'new Map([...former.images])',
    tests: [UPGRADE_TEST],
  },
  {
    name: 'former positions: an image of one stays in its rows',
    file: ROWS,
    find: '      this.#writeAll(row, now.u32)\n',
    replace: '',
    tests: [UPGRADE_TEST],
  },
  {
    name: 'former positions: sales are not among what is taken back',
    file: ROWS,
    find: '      if (sales >= 0) put(NEW_IDS.positionSales, sales, imageOf(this.sales, sales))\n',
    replace: '',
    tests: [UPGRADE_TEST],
  },
  {
    name: 'former positions: wide rows are not among what is taken back',
    file: ROWS,
    find: '      if (wide >= 0) put(NEW_IDS.widePositions, wide, imageOf(this.wide, wide))\n',
    replace: '',
    tests: [UPGRADE_TEST],
  },
  {
    name: 'former positions: rows that were given back are forgotten',
    file: ROWS,
    find: '      this.freePlus1 = former.freePlus1\n      this.free = former.free\n',
    replace: '',
    tests: [FORMER_TEST],
  },
  {
    name: 'former positions: only what was bought is brought along',
    file: ROWS,
    find: '    for (const [from, to] of KEPT) this.set(row, to, lanes[from])\n    this.write(row, this.#record)\n',
    replace: '    for (const [from, to] of KEPT) this.set(row, to, lanes[from])\n',
    tests: [FORMER_TEST],
  },
]
