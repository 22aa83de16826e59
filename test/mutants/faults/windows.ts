import type { Fault } from '../fault.ts'

const WINDOWS = ['test/engine/history/trade-windows.test.ts'] as const
const COLUMNS = ['test/query/tables/window-columns.test.ts'] as const
const TRENDING = ['test/server/live/hub/trending.test.ts'] as const

/** Faults of the windows of a token's trades, and of what is ordered by them. */
export const WINDOW_FAULTS: readonly Fault[] = [
  {
    name: 'windows: a trade stays a second longer',
    file: 'src/engine/history/trade-windows.ts',
    find: 'seconds >= WINDOW_SECONDS[age]',
    replace: 'seconds > WINDOW_SECONDS[age]',
    tests: WINDOWS,
  },
  {
    name: 'windows: what leaves one is in no other',
    file: 'src/engine/history/trade-windows.ts',
    find: 'this.#sum(index, window + 1, 1)',
    replace: 'this.#sum(index, window, 0)',
    tests: WINDOWS,
  },
  {
    name: 'windows: a fold after a load changes what nobody has made',
    file: 'src/engine/history/trade-windows.ts',
    find: '    if (this.#isStale) return\n    try {\n      if (change',
    replace: '    try {\n      if (change',
    tests: WINDOWS,
  },
  {
    name: 'windows: they are not made before a service answers',
    file: 'src/app/service.ts',
    find: 'yield* this.engine.window.trades.begin()',
    replace: '',
    tests: ['test/engine/fold/caught-up-clock.test.ts'],
  },
  {
    name: 'windows: a high that has left stays',
    file: 'src/engine/history/trade-windows.ts',
    find: 'if (price >= wf[atF + Row.highUsdF])',
    replace: 'if (price > wf[atF + Row.highUsdF])',
    tests: WINDOWS,
  },
  {
    name: 'windows: prices of another pricing stay',
    file: 'src/engine/history/trade-windows.ts',
    find: 'this.#w[this.#at + Row.stale] = ALL_STALE',
    replace: 'this.#w[this.#at + Row.stale] |= 0',
    tests: ['test/model/histories-1.test.ts', 'test/model/live-states.test.ts'],
  },
  {
    name: 'windows: a swap ahead of the clock has no price yet',
    file: 'src/engine/history/trade-windows.ts',
    find: 'this.#recent.passOver(index, -age > this.#chains.aheadSecondsMax ? 0 : timestamp)\n    // It has a price that is the newest, whether it counts or not.\n    this.#state.windowChanges.note(token)',
    replace: 'this.#recent.passOver(index, -age > this.#chains.aheadSecondsMax ? 0 : timestamp)',
    tests: WINDOWS,
  },
  {
    name: 'traders: who comes in behind newer trades counts twice',
    file: 'src/engine/history/recent-swaps.ts',
    find: 'if (this.#markOf(next - 1) === Mark.none) this.#mark(next - 1, Mark.passedOver)',
    replace: 'if (this.#markOf(next - 1) === Mark.latest) this.#mark(next - 1, Mark.latest)',
    tests: WINDOWS,
  },
  {
    name: 'traders: an earlier time supersedes a later one',
    file: 'src/engine/history/recent-swaps.ts',
    find: 'mark === Mark.latest && this.timeOf(before) <= timestamp',
    replace: 'mark === Mark.latest',
    tests: WINDOWS,
  },
  {
    name: 'traders: a trade that is taken back leaves nobody',
    file: 'src/engine/history/recent-swaps.ts',
    find: 'moved(timestamp, this.timeOf(before))',
    replace: 'moved(timestamp, null)',
    tests: WINDOWS,
  },
  {
    name: 'window columns: what leaves a window is noted of the next one',
    file: 'src/engine/history/trade-windows.ts',
    find: 'this.#state.windowChanges.note(token, window)',
    replace: 'this.#state.windowChanges.note(token, window + 1)',
    tests: COLUMNS,
  },
  {
    name: 'window columns: what changes in all windows is passed over',
    file: 'src/engine/state/change-logs.ts',
    find: 'return of === 0 || of === window + 1 ?',
    replace: 'return of === window + 1 ?',
    tests: COLUMNS,
  },
  {
    name: 'window columns: changes of another window are read in their place',
    file: 'src/query/tables/window-columns.ts',
    find: 'return this.state.windowChanges.tokenAt(place, this.#window)',
    replace: 'return this.state.windowChanges.tokenAt(place, 0)',
    tests: COLUMNS,
  },
  {
    name: 'trending: changes of another window are read in their place',
    file: 'src/query/tables/trending.ts',
    find: 'windowChanges.tokenAt(at, this.#window)',
    replace: 'windowChanges.tokenAt(at, 0)',
    tests: COLUMNS,
  },
  {
    name: 'trending: a token without trades stays',
    file: 'src/query/tables/trending.ts',
    find: 'const isListed = trades[token] > 0',
    replace: 'const isListed = trades[token] > 0 || wasListed',
    tests: TRENDING,
  },
  {
    name: 'order of tables: equal ones stand backwards',
    file: 'src/query/tables/trending.ts',
    find: 'boolean = () => false',
    replace: 'boolean = () => true',
    tests: ['test/model/histories-1.test.ts'],
  },
  {
    name: 'windows: what was read of them stays when they cannot be kept',
    file: 'src/engine/history/trade-windows.ts',
    find: '    this.#isStale = true\n    this.#state.windowChanges.noteAll(this.#state.tokens.count)\n',
    replace: '    this.#isStale = true\n',
    tests: ['test/query/tables/window-columns.test.ts'],
  },
  {
    name: 'trending: equal tokens of one slot stand by their rows',
    file: 'src/engine/index/token-order.ts',
    find: 'if (txIndex !== other.txIndex) return txIndex > other.txIndex',
    replace: '',
    tests: ['test/query/tables/window-columns.test.ts'],
  },
  {
    name: 'trending: equal tokens of one transaction stand by their mints',
    file: 'src/engine/index/token-order.ts',
    find: 'if (ordinal !== other.ordinal) return ordinal > other.ordinal',
    replace: '',
    tests: ['test/query/tables/window-columns.test.ts'],
  },
  {
    name: 'trending: equal tokens behind the last are passed over',
    file: 'src/query/tables/trending.ts',
    find: 'placed[token] < placed[tokens[limit - 1]]',
    replace: 'placed[token] <= placed[tokens[limit - 1]]',
    tests: ['test/query/tables/window-columns.test.ts'],
  },
]
