import type { Fault } from '../fault.ts'

const MODEL = ['wallets'] as const
const SUMS = ['test/query/traders/wallet-sums.test.ts'] as const
const ROUTES = ['test/server/routes/wallets.test.ts'] as const
const TAGS = ['test/query/tables/tagged-holders.test.ts'] as const
const TAGGED = 'src/query/tables/tagged-holders.ts'
const HISTORY = 'src/query/traders/holder-history.ts'
const DAYS = 'src/engine/read/position-days.ts'
const TRADES = 'src/engine/history/position-trades.ts'

/** Faults of wallets by window and day, and of their ranking. */
export const WALLET_FAULTS: readonly Fault[] = [
  {
    name: 'wallets: a position of two days counts for the first one',
    file: DAYS,
    find: 'isKnownAt(p, pAt, first, last) && dayOf(last) === day',
    replace: 'isKnownAt(p, pAt, first, last)',
    tests: ROUTES,
  },
  {
    name: 'wallets: a clamp within a transaction is not undone',
    file: DAYS,
    find: 'if (this.#hasEarlier) p.set(this.#unclamped)',
    replace: 'if (false) p.set(this.#unclamped)',
    tests: MODEL,
  },
  {
    name: 'wallets: what transfers took is in no day',
    file: DAYS,
    find: 'if (found !== realized) add(',
    replace: 'if (false) add(',
    tests: MODEL,
  },
  {
    name: 'wallets: a sale on a route brings what the middle coin was worth',
    file: TRADES,
    find: 'if (own.isSell && own.hop === Hop.first) return this.#proceeds(index, own)',
    replace: '',
    tests: MODEL,
  },
  {
    name: 'wallets: a swap is copied while its transaction goes on',
    file: 'src/query/traders/wallet-sums.ts',
    find: '() => engine.coldStore.reach()',
    replace: '() => engine.settledSwaps',
    tests: MODEL,
  },
  {
    name: 'wallets: sums outlive a trade of the wallet',
    file: 'src/query/traders/wallet-sums.ts',
    find: 'PositionLane.wallet) === wallet) return undefined',
    replace: 'PositionLane.wallet) === wallet) continue',
    tests: SUMS,
  },
  {
    name: 'wallets: open positions are valued in one go',
    file: 'src/query/traders/position-results.ts',
    find: 'if (++read % most === 0) budget',
    replace: 'if (++read % most === -1) budget',
    tests: SUMS,
  },
  {
    name: 'wallets: a position keeps the price that it was valued at first',
    file: 'src/query/traders/position-results.ts',
    find: 'if (this.#readAt[place] === changes.of(this.#tokens[place]) + 1) continue',
    replace: 'if (this.#readAt[place] > 0) continue',
    tests: SUMS,
  },
  {
    name: 'wallets: a token that was bought again is a win',
    file: 'src/query/traders/wallet-sums.ts',
    find: 'if (balance !== 0 || p[at',
    replace: 'if (p[at',
    tests: ROUTES,
  },
  {
    name: 'wallets: a ranking keeps the windows of yesterday',
    file: 'src/query/traders/wallet-ranks.ts',
    find: 'if (today !== this.#today) {',
    replace: 'if (this.#today < 0) {',
    tests: SUMS,
  },
  {
    name: 'wallets: a ranking misses what the log lost',
    file: 'src/query/traders/wallet-ranks.ts',
    find: 'if (!log.reaches(this.#readTo)) {',
    replace: 'if (!log.reaches(this.#readTo) && this.#readTo < 0) {',
    tests: SUMS,
  },
  {
    name: 'creators: a life ends at the last trade that was read first',
    file: 'src/query/traders/creator-pages.ts',
    find: 'known?.changes === changes.of(token)',
    replace: 'known !== undefined',
    tests: ['test/server/routes/creators.test.ts'],
  },
  {
    name: 'ranking: what changed in a row that is another position by now is lost',
    file: 'src/query/traders/wallet-ranks.ts',
    find: 'coldStore.beforeEvicted.push(() => this.#noteChanges())',
    replace: '',
    tests: ['test/query/traders/wallet-ranks.test.ts'],
  },
  {
    name: 'creators: positions are read for no token',
    file: 'src/query/traders/creator-pages.ts',
    find: 'if (tokens.size === 0) return found',
    replace: '',
    tests: ['test/query/traders/creator-pages.test.ts'],
  },
  {
    name: 'creators: what it bought is what it sold',
    file: 'src/engine/read/position-reader.ts',
    find: 'return this.#percent(PositionLane.soldLo)',
    replace: 'return this.#percent(PositionLane.boughtLo)',
    tests: ['test/server/routes/creators.test.ts'],
  },
  {
    name: 'holders over time: a coin that passed through a route is held',
    file: HISTORY,
    find: 'if (hopOf(r, at) === Hop.passed) return before',
    replace: '',
    tests: MODEL,
  },
  {
    name: 'holders over time: the curve holds',
    file: HISTORY,
    find: 'if (classes === NEVER) return',
    replace: '',
    tests: MODEL,
  },
  {
    name: 'holders over time: a fold goes on after a trade that came late',
    file: HISTORY,
    find: 'known?.changes === changes && known',
    replace: 'known !== undefined && known',
    tests: ['test/query/traders/holder-history.test.ts'],
  },
  {
    name: 'holders over time: an answer is folded in one go',
    file: HISTORY,
    find: '&& !isLast) budget.throwIfSpent()',
    replace: '&& !isLast) budget.hasTime()',
    tests: ['test/query/traders/holder-history.test.ts'],
  },
  {
    name: 'holders over time: the classes of very many traders are read in one go',
    file: HISTORY,
    find: 'isAwake && state.metadata.get(token, MetadataLane.positions) > DORMANT_TRADERS_MAX',
    replace: 'false',
    tests: ['test/query/traders/holder-history.test.ts'],
  },
  {
    name: 'holders over time: bars that an answer has go too',
    file: HISTORY,
    find: 'points.splice(0, BARS_MAX)',
    replace: 'points.splice(0)',
    tests: ['test/query/traders/holder-history.test.ts'],
  },
  {
    name: 'holders over time: very many traders have no classes',
    file: HISTORY,
    find: 'addTrader(reading, wallet, position < 0 ? 0 :',
    replace: 'addTrader(reading, wallet, position > -2 ? 0 :',
    tests: ['test/query/traders/holder-history.test.ts'],
  },
  {
    name: 'labels: a tag keeps those who sold',
    file: TAGGED,
    find: 'else pairs.delete(pair)',
    replace: 'else return',
    tests: TAGS,
  },
  {
    name: 'labels: a row that was moved is taken for the position before',
    file: TAGGED,
    find: 'holdings.moves === this.#moves && log',
    replace: 'log',
    tests: TAGS,
  },
  {
    name: 'labels: a changed file leaves the holders of a tag',
    file: TAGGED,
    find: 'column === undefined || column.version !== this.#labels.version',
    replace: 'column === undefined',
    tests: TAGS,
  },
  {
    name: 'labels: one that trades later is never found',
    file: TAGGED,
    find: 'if (!isSame || this.#findWallets()) {',
    replace: 'if (!isSame) {',
    tests: TAGS,
  },
  {
    name: 'labels: each use of a tag looks for all of its addresses that never traded',
    file: TAGGED,
    find: 'wallets.count - this.#seenWallets > this.#unknown.size',
    replace: 'this.#unknown.size > 0',
    tests: TAGS,
  },
  {
    name: 'labels: tags that nobody has push out those that somebody has',
    file: TAGGED,
    find: "const name = addresses.length === 0 ? '' : tag",
    replace: 'const name = tag',
    tests: TAGS,
  },
  {
    name: 'labels: of many new wallets none is looked for',
    file: TAGGED,
    find: 'for (const address of this.#unknown) this.#found(address, this.#rowOf(address))',
    replace: '{}',
    tests: TAGS,
  },
  {
    name: 'labels: a broken file takes those before away',
    file: 'src/app/label-file.ts',
    find: "if (typeof found === 'string') {\n      if (found",
    replace:
      "if (typeof found === 'string') {\n      this.#labels.replace(new Map())\n      if (found",
    tests: ['test/app/label-file.test.ts'],
  },
  {
    name: 'labels: a long file is read in one go',
    file: 'src/app/label-file.ts',
    find: 'if (count % LABELS_A_TURN === 0) yield',
    replace: '',
    tests: ['test/app/label-file.test.ts'],
  },
]
