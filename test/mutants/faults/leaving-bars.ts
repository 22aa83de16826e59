import type { Fault } from '../fault.ts'

const CANDLES = 'src/engine/history/candles.ts'
const PAST = 'src/engine/history/past-bars.ts'
const FOLD = 'src/engine/fold/ordered-fold.ts'
const BARS_TEST = 'test/engine/history/leaving-bars.test.ts'
const UPGRADE_TEST = 'test/store/late-after-upgrade.test.ts'

/** Faults of bars that leave memory, and of what is folded in their place. */
export const LEAVING_BAR_FAULTS: readonly Fault[] = [
  {
    name: 'leaving bars: what comes behind bars that are gone counts as stored',
    file: CANDLES,
    find: 'Math.min(next, later)',
    replace: 'next',
    tests: [BARS_TEST],
  },
  {
    name: 'leaving bars: the first swap of a bar is passed over',
    file: CANDLES,
    find: 'rows.set(bar, WideBar.firstSwap, trade.index)',
    replace: 'rows.set(bar, WideBar.firstSwap, trade.index + 1)',
    tests: [BARS_TEST],
  },
  {
    name: 'leaving bars: a swap that comes last closes its bar, however old its time',
    file: CANDLES,
    find: 'time >= u32[times + 1]',
    replace: 'time >= 0',
    tests: [BARS_TEST],
  },
  {
    name: 'leaving bars: a swap that comes last opens no bar, however old its time',
    file: CANDLES,
    find: 'time < u32[times])) {',
    replace: 'time < 0)) {',
    tests: [BARS_TEST],
  },
  {
    name: 'leaving bars: an hour knows its first swap alone',
    file: CANDLES,
    find: 'u32[lane + WideBar.lastSwapPlus1] = trade.index + 1',
    replace: '',
    tests: [BARS_TEST],
  },
  {
    name: 'leaving bars: a page leaves as soon as one row of it is settled',
    file: 'src/engine/memory/rows.ts',
    find: 'this.first + ROWS_PER_PAGE <= settled',
    replace: 'this.first < settled',
    tests: [BARS_TEST],
  },
  {
    name: 'past bars: those that are remembered lack the swaps that came since',
    file: PAST,
    find: 'known?.lastPlus1 === lastPlus1 ? known',
    replace: 'known !== undefined ? known',
    tests: [BARS_TEST],
  },
  {
    name: 'past bars: the first second behind an hour is in it',
    file: PAST,
    find: 'time < to',
    replace: 'time <= to',
    tests: [BARS_TEST],
  },
  {
    name: 'past bars: trades of a second count newest first',
    file: PAST,
    find: '  f64[at] = price\n',
    replace: '',
    tests: [BARS_TEST],
  },
  {
    name: 'past bars: an hour is folded in one turn',
    file: PAST,
    find: 'if (!isSettled || budget.hasTime()) continue',
    replace: 'if (!isSettled || budget.hasTime() || true) continue',
    tests: [BARS_TEST],
  },
  {
    name: 'former bars: the undo log still names their former rows',
    file: FOLD,
    find: 'this.#takeBackAfter({ slot: Number.NEGATIVE_INFINITY, txIndex: 0, ordinal: 0 })',
    replace: '',
    tests: [UPGRADE_TEST],
  },
  {
    name: 'former bars: the bar before one stays where it was',
    file: 'src/engine/history/former-bars.ts',
    find: 'if (next !== 0) rows.set(row, Bar.previousPlus1, moved[next - 1])',
    replace: '',
    tests: [UPGRADE_TEST],
  },
  {
    name: 'former bars: nobody knows when their opens were',
    file: 'src/engine/history/former-bars.ts',
    find: '        one.rows.set(one.next - 1, openTime, time)\n',
    replace: '',
    tests: [UPGRADE_TEST],
  },
]
