import type { Fault } from '../fault.ts'

const LINES = 'src/events/event-lines.ts'
const LINES_TEST = 'test/events/event-lines.test.ts'
const EXPORT = 'test/commands/export.test.ts'
const RECORD = 'src/events/swap-record.ts'
const RECORD_TEST = 'test/engine/read/swap-outtake.test.ts'
const FOLDED = 'src/store/upgrades/format-upgrades.ts'
const FOLDED_TEST = 'test/store/upgrades/folded-records.test.ts'
const CHUNK = 'src/store/snapshot/tape-chunk.ts'
const ENTRY = 'src/engine/order/event-position.ts'
const RINGS = 'test/store/rings.test.ts'

/** Faults of how lines, journal, snapshots and chunks have what came in October 2026. */
export const OCTOBER_FILES_FAULTS: readonly Fault[] = [
  {
    name: 'lines: a fee of 0 is told where there is none',
    file: LINES,
    find: 'if (lpFeeRaw !== 0n) event.lpFeeRaw = lpFeeRaw',
    replace: 'event.lpFeeRaw = lpFeeRaw',
    tests: [LINES_TEST],
  },
  {
    name: 'lines: cashback is taken for the fee of liquidity providers',
    file: LINES,
    find: 'const cashbackRaw = BigInt(line.cashback_raw ?? 0)',
    replace: 'const cashbackRaw = BigInt(line.lp_fee_raw ?? 0)',
    tests: [LINES_TEST],
  },
  {
    name: 'lines: decimals of the quote of a creation are lost',
    file: LINES,
    find: '  if (line.quote_decimals != null) event.quoteDecimals = line.quote_decimals + 0\n  return event\n',
    replace: '  return event\n',
    tests: [LINES_TEST],
  },
  {
    name: 'lines: halves of characters in a uri stay',
    file: LINES,
    find: ' && uri.isWellFormed()',
    replace: '',
    tests: [LINES_TEST],
  },
  {
    name: 'export: halves of characters are written',
    file: 'src/store/journal/journal-fold.ts',
    find: 'return wellFormedLine(JSON.stringify(line))',
    replace: 'return JSON.stringify(line)',
    tests: [EXPORT],
  },
  {
    name: 'record: decimals that there is no room for write over the order of arrival',
    file: RECORD,
    find: 'quoteDecimals >= 0 && quoteDecimals < QUOTE_DECIMALS_MASK',
    replace: 'quoteDecimals >= 0',
    tests: [RECORD_TEST],
  },
  {
    name: 'record: a hop above 7 is another one',
    file: RECORD,
    find: 'route > 0 && route <= ROUTE_MASK',
    replace: 'route > 0',
    tests: [RECORD_TEST],
  },
  {
    name: 'upgrade: a price that stood is one that was given',
    file: FOLDED,
    find: 'if (!isGiven && isAbove0(',
    replace: 'if (isGiven && isAbove0(',
    tests: [FOLDED_TEST],
  },
  {
    name: 'upgrade: no price has a sign',
    file: FOLDED,
    find: 'if (!isGiven && isAbove0(lanes, at + USED_SOL_PRICE))',
    replace: 'if (!isGiven)',
    tests: [FOLDED_TEST],
  },
  {
    name: 'upgrade: a price that was given is cashback',
    file: FOLDED,
    find: '    clear(lanes, at + GIVEN_SOL_PRICE)\n',
    replace: '',
    tests: [FOLDED_TEST],
  },
  {
    name: 'upgrade: the real base of a curve goes too',
    file: FOLDED,
    find: 'if (((lanes[at + FLAGS] ?? 0) & AMM) !== 0) clear(',
    replace: 'clear(',
    tests: [FOLDED_TEST],
  },
  {
    name: 'upgrade: the first record alone',
    file: FOLDED,
    find: 'at + RECORD_LANES <= lanes.length; at += RECORD_LANES',
    replace: 'at < RECORD_LANES; at += RECORD_LANES',
    tests: [FOLDED_TEST],
  },
  {
    name: 'upgrade: blocks of older chunks are read as they are',
    file: CHUNK,
    find: 'if (!table.hasOldSwaps) return true',
    replace: 'if (table.crcs.length > 0) return true',
    tests: [FOLDED_TEST],
  },
  {
    name: 'upgrade: blocks of version 2 are brought up too',
    file: CHUNK,
    find: 'version < FIRST_OCTOBER_VERSION && kind',
    replace: 'version <= FIRST_OCTOBER_VERSION && kind',
    tests: [FOLDED_TEST],
  },
  {
    name: 'upgrade: the tape of an older snapshot stays as it is',
    file: 'src/store/upgrades/format-upgrades.ts',
    find: "if (name === 'tape') for (const view of views) upgradeFoldedRecords(lanesIn(view))",
    replace: "if (name === 'tape') for (const view of views) lanesIn(view)",
    tests: [FOLDED_TEST],
  },
  {
    name: 'ring: decimals of the quote of a creation are not saved',
    file: ENTRY,
    find: '  quoteDecimals: Type.Optional(Count),\n',
    replace: '',
    tests: [RINGS],
  },
  {
    name: 'ring: the supply that reserves tell is not saved',
    file: ENTRY,
    find: '  realQuoteRaw: Raw,\n  supplyRaw: Type.Optional(Raw),\n',
    replace: '  realQuoteRaw: Raw,\n',
    tests: [RINGS],
  },
]
