import type { Fault } from '../fault.ts'

const CANDIDATES = 'src/query/tables/candidates.ts'
const CANDIDATES_TEST = 'test/query/tables/candidates.test.ts'
const SCAN = 'src/query/tables/column-scan.ts'
const SCAN_TEST = 'test/query/tables/table-scan.test.ts'
const COLUMNS = 'src/query/tables/table-columns.ts'
const COLUMNS_TEST = 'test/query/tables/table-columns.test.ts'
const ROWS = 'src/query/json/row-cache.ts'
const ROWS_TEST = 'test/query/json/row-cache.test.ts'
const KEPT_TEST = 'test/properties/kept-tables.test.ts'
const MARKET_CAPS = 'src/query/tables/market-cap-column.ts'

/** Faults of filters whose tokens are narrowed to candidates, and of what is spared where little is to be done. */
export const CANDIDATE_FAULTS: readonly Fault[] = [
  {
    name: 'candidates: those behind the last token stay',
    file: CANDIDATES,
    find: 'if (rest > 0) this.#bits[words - 1] = 2 ** rest - 1',
    replace: '',
    tests: [CANDIDATES_TEST],
  },
  {
    name: 'candidates: the least count is rounded down',
    file: CANDIDATES,
    find: 'Math.max(0, Math.ceil(min))',
    replace: 'Math.max(0, Math.floor(min))',
    tests: [CANDIDATES_TEST],
  },
  {
    name: 'candidates: bounds without a count let all pass',
    file: CANDIDATES,
    find: 'if (span < 0) this.#bits.fill(0)',
    replace: '',
    tests: [CANDIDATES_TEST],
  },
  {
    name: 'candidates: narrow columns outlive their memory',
    file: CANDIDATES,
    find: 'for (const column of this.#columns) Object.assign(column, new NarrowColumn())',
    replace: '',
    tests: [CANDIDATES_TEST],
  },
  {
    name: 'candidates: narrow columns take what memory there is',
    file: CANDIDATES,
    find: 'if (memory === null || end > BYTES_MAX) return null',
    replace: 'if (memory === null) return null',
    tests: [CANDIDATES_TEST],
  },
  {
    name: 'candidates: tokens that came behind a table stand in it',
    file: CANDIDATES,
    find: 'lent.u8.fill(0, lists.length, this.count)',
    replace: '',
    tests: [CANDIDATES_TEST],
  },
  {
    name: 'candidates: a filter copies tokens that are none',
    file: CANDIDATES,
    find: 'kept.set(batch.subarray(first, count), end - (count - first))',
    replace: 'kept.set(batch.subarray(0, count - first), end - (count - first))',
    tests: [CANDIDATES_TEST],
  },
  {
    name: 'candidates: tokens that were found before are found again',
    file: SCAN,
    find: 'table?.lastFirst(passed).subarray(given).every(found)',
    replace: 'table?.lastFirst(passed).every(found)',
    tests: [SCAN_TEST],
  },
  {
    name: 'candidates: they are taken for tokens that pass',
    file: SCAN,
    find: 'const passed = kept.subarray(filteredBy(stats, 0, kept, from))',
    replace: 'const passed = kept.subarray(from)',
    tests: [SCAN_TEST],
  },
  {
    name: 'candidates: a column is narrowed that is not settled',
    file: SCAN,
    find: '        column.settle()\n        column.narrow(candidates, predicate)',
    replace: '        column.narrow(candidates, predicate)',
    tests: [SCAN_TEST],
  },
  {
    name: 'candidates: tokens of other tables stand in this one',
    file: SCAN,
    find: 'if (!candidates.keepMembers(table.lists, table.list)) return null',
    replace: '',
    tests: [SCAN_TEST],
  },
  {
    name: 'candidates: few tokens come in the order of their rows',
    file: 'src/engine/index/token-order.ts',
    find: 'tokens.sort((a, b) => this.#compare(b, a))',
    replace: 'tokens',
    tests: [COLUMNS_TEST],
  },
  {
    name: 'candidates: a narrow column keeps the values of before',
    file: 'src/query/tables/number-column.ts',
    find: 'if (this.#narrow !== null) this.#narrow.f32[token] = value',
    replace: '',
    tests: [COLUMNS_TEST],
  },
  {
    name: 'candidates: a narrow market cap keeps the price of SOL of before',
    file: MARKET_CAPS,
    find: '    this.#areWeighed = true\n    if (this.#narrow !== null) this.#fillNarrow(this.#narrow)',
    replace: '    this.#areWeighed = true',
    tests: [COLUMNS_TEST],
  },
  {
    name: 'candidates: a narrow market cap does not see a trade',
    file: MARKET_CAPS,
    find: 'if (this.#narrow !== null) this.#narrow.f32[token] = usd',
    replace: '',
    tests: [COLUMNS_TEST],
  },
  {
    name: 'candidates: a narrow count of a creator stays',
    file: COLUMNS,
    find: 'if (this.#narrowCounts !== null) this.#narrowCounts.u32[creator] = count',
    replace: '',
    tests: [COLUMNS_TEST],
  },
  {
    name: 'candidates: ages are those of some seconds ago',
    file: COLUMNS,
    find: 'min > 0 ? now - min * 60 + 1 : Number.POSITIVE_INFINITY',
    replace: 'now - min * 60 - 30',
    tests: [COLUMNS_TEST],
  },
  {
    name: 'candidates: market caps do not see the price of their coin',
    file: MARKET_CAPS,
    find: 'if (this.#isCoin[log.at(place)] === 1) return true',
    replace: '',
    tests: [COLUMNS_TEST, 'test/engine/state/quote-coins.test.ts'],
  },
  {
    name: 'looked rows: one that was compared does not see a later trade',
    file: ROWS,
    find: '        this.#forget(firstPlace(token))\n',
    replace: '',
    tests: [ROWS_TEST, KEPT_TEST],
  },
  {
    name: 'looked rows: one that was compared does not see the price of SOL',
    file: ROWS,
    find: ' || solPriceUsd !== this.#solPriceUsd',
    replace: '',
    tests: [ROWS_TEST, KEPT_TEST],
  },
  {
    name: 'looked rows: one that was compared does not see its creator',
    file: ROWS,
    find: ' || creatorChanges.end !== this.#creatorsTo',
    replace: '',
    tests: [ROWS_TEST, KEPT_TEST],
  },
  {
    name: 'looked rows: one that was compared does not see the price of its coin',
    file: ROWS,
    find: 'token.quote < Quote.other ? this.#look : 0',
    replace: 'this.#look',
    tests: [ROWS_TEST, KEPT_TEST],
  },
  {
    name: 'looked rows: the second place of a token is that of another',
    file: ROWS,
    find: 'const isThere = heads[head + Head.length] !== 0 && heads[head + Head.token] === token.token',
    replace: 'const isThere = heads[head + Head.length] !== 0',
    tests: [ROWS_TEST, KEPT_TEST],
  },
  {
    name: 'plain bodies: bounds may be infinite',
    file: 'src/protocol/requests/tables.ts',
    find: 'Number.isFinite(range[key])',
    replace: "typeof range[key] === 'number'",
    tests: ['test/protocol/requests/plain-tables.test.ts'],
  },
]
