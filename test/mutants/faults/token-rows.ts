import type { Fault } from '../fault.ts'

const ROWS = 'test/engine/state/token-rows.test.ts'
const UPGRADED = 'test/store/tokens-after-upgrade.test.ts'
const CROWDS = 'src/engine/state/token-rows.ts'
const FORMER = 'src/engine/state/former-tokens.ts'
const STATE = 'src/engine/state/state.ts'

/** Faults of what few tokens have, of what they share, and of tokens of former snapshots. */
export const TOKEN_ROW_FAULTS: readonly Fault[] = [
  {
    name: 'token rows: a sum of balances has two lanes',
    file: CROWDS,
    find: '    if (carryOf(high) !== 0) this.#countTop(token, of, carryOf(high))\n',
    replace: '',
    tests: [ROWS],
  },
  {
    name: 'token rows: the low lane of a sum carries nothing',
    file: CROWDS,
    find: ' + carryOf(low)',
    replace: '',
    tests: [ROWS],
  },
  {
    name: 'token rows: the third lane of a sum stays when it is taken back',
    file: CROWDS,
    find: '    this.tops.save(crowd)\n',
    replace: '',
    tests: [ROWS],
  },
  {
    name: 'token rows: the row of a third lane is lost when its sum is taken back',
    file: CROWDS,
    find: 'unsaved: [CrowdLane.tops]',
    replace: 'unsaved: []',
    tests: [ROWS],
  },
  {
    name: 'token rows: holders of classes stay when they are taken back',
    file: STATE,
    find: '    this.crowds.save(token)\n',
    replace: '',
    tests: [ROWS],
  },
  {
    name: 'token rows: the row of classes is lost when its first holder is taken back',
    file: STATE,
    find: '    TokenLane.crowd,\n',
    replace: '',
    tests: [ROWS],
  },
  {
    name: 'token rows: a row that was taken keeps what is taken back',
    file: 'src/engine/state/token-rows.ts',
    find: '    this.#undo.save(this.#id, row)\n    return row',
    replace: '    return row',
    tests: [ROWS],
  },
  {
    name: 'token rows: bars stay those of before they were taken back',
    file: STATE,
    find: '    this.barHeads.save(token)\n',
    replace: '',
    tests: ['test/store/late-after-upgrade.test.ts', UPGRADED],
  },
  {
    name: 'token rows: a migration stays where it was when it is taken back',
    file: STATE,
    find: '    this.seldom.save(token)\n',
    replace: '',
    tests: ['test/engine/fold/late-migration.test.ts', ROWS],
  },
  {
    name: 'token rows: what one token becomes all become that shared its profile',
    file: 'src/engine/state/token-rows.ts',
    find: '    change(this.#draft)\n',
    replace: '    change(this.pageOf(token).subarray(at, at + ProfileLane.lanes))\n',
    tests: [ROWS],
  },
  {
    name: 'token rows: equal profiles have rows of their own',
    file: 'src/engine/state/token-rows.ts',
    find: '    this.#slots.add(hash, row)\n    return row',
    replace: '    return row',
    tests: [ROWS],
  },
  {
    name: 'token rows: sums of a window are given back and still named',
    file: 'src/engine/state/token-rows.ts',
    find: '    this.#rowOf.set(token, 0)\n',
    replace: '',
    tests: ['test/engine/fold/caught-up-clock.test.ts', 'model'],
  },
  {
    name: 'token rows: a former snapshot’s window without buys is left behind',
    file: 'src/engine/state/token-rows.ts',
    find: 'lanes[WindowLane.buys] + lanes[WindowLane.sells] > 0',
    replace: 'lanes[WindowLane.buys] > 0',
    tests: [ROWS],
  },
  {
    name: 'token rows: former sums of snipers are those of bundlers',
    file: FORMER,
    find: '[any, sniper, bundle,',
    replace: '[any, bundle, sniper,',
    tests: [UPGRADED],
  },
  {
    name: 'token rows: former images of classes are left behind',
    file: FORMER,
    find: '        if (rows.crowd !== 0) put(NEW_IDS.crowds, rows.crowd, rows.classes)\n',
    replace: '',
    tests: [UPGRADED],
  },
  {
    name: 'token rows: former images of bars are left behind',
    file: FORMER,
    find: '        if (rows.head !== 0) put(NEW_IDS.barHeads, rows.head, rows.heads)\n',
    replace: '',
    tests: [UPGRADED],
  },
  {
    name: 'token rows: former migrations are one lane off',
    file: FORMER,
    find: '[16, SeldomLane.graduatedSlotF, 6]',
    replace: '[17, SeldomLane.graduatedSlotF, 6]',
    tests: [UPGRADED],
  },
  {
    name: 'token rows: former supplies of swaps from before one was known are forgotten',
    file: FORMER,
    find: '  [22, ProfileLane.passedSupplyLo, 2],\n',
    replace: '',
    tests: [ROWS],
  },
  {
    name: 'token rows: marks of a former log lead where its images were',
    file: 'src/engine/state/undo-log.ts',
    find: 'marks.set(start, this.#head)',
    replace: 'marks.set(start, start)',
    tests: [ROWS],
  },
  {
    name: 'token rows: events of a former snapshot keep the marks of before',
    file: 'src/engine/engine.ts',
    find: 'this.#reorder.moveMarks(undo.bringUp(images))',
    replace: 'undo.bringUp(images)',
    tests: [UPGRADED],
  },
  {
    name: 'token rows: no row is taken for what only images have',
    file: 'src/engine/state/undo-log.ts',
    find: '    for (const { id, row, lanes } of images) former.get(id)?.foresee(row, lanes)\n',
    replace: '',
    tests: [ROWS],
  },
]
