import type { Fault } from '../fault.ts'

const CODE = 'src/engine/memory/text-code.ts'
const FRAGMENTS = 'src/engine/memory/text-fragments.ts'
const STORE = 'src/engine/memory/packed-texts.ts'
const FORMER = 'src/engine/state/former-texts.ts'
const CODE_TESTS = ['test/engine/memory/text-code.test.ts']
const STORE_TESTS = ['test/engine/memory/packed-texts.test.ts']
const FORMER_TESTS = ['test/store/former-texts.test.ts']
const GOLDEN_TESTS = ['test/store/golden.test.ts']

/** Of texts that are kept in codes. */
export const TEXT_CODE_FAULTS: readonly Fault[] = [
  {
    name: 'text codes: a run has one digit more than its byte can say',
    file: CODE,
    find: 'Math.min(digits[alphabet], RUN_MAX)',
    replace: 'Math.min(digits[alphabet], RUN_MAX + 1)',
    tests: CODE_TESTS,
  },
  {
    name: 'text codes: the last bits of a run are lost',
    file: CODE,
    find: '  if (free < 8) into[to++] = held << free\n',
    replace: '',
    tests: CODE_TESTS,
  },
  {
    name: 'text codes: the bytes of a run are rounded down',
    file: CODE,
    find: '(count * BITS[alphabet] + 7) >>> 3',
    replace: '(count * BITS[alphabet]) >>> 3',
    tests: CODE_TESTS,
  },
  {
    name: 'text codes: a run goes on behind what is none of its digits',
    file: CODE,
    find: '      digits[alphabet] = 0\n      continue',
    replace: '      continue',
    tests: CODE_TESTS,
  },
  {
    name: 'text codes: a piece loses its last letter',
    file: CODE,
    find: 'const end = PIECE_STARTS[code + 1]',
    replace: 'const end = PIECE_STARTS[code + 1] - 1',
    tests: CODE_TESTS,
  },
  {
    name: 'text codes: a piece is looked for behind the end of the text',
    file: CODE,
    find: 'end < length ? childOf',
    replace: 'end <= length ? childOf',
    tests: CODE_TESTS,
  },
  {
    name: 'text codes: more is told than there was room for',
    file: CODE,
    find: 'return Math.min(length, into.length)',
    replace: 'return length',
    tests: CODE_TESTS,
  },
  {
    name: 'text codes: a run of the usual length is counted',
    file: CODE,
    find: 'if (most < usual) continue',
    replace: 'continue',
    tests: CODE_TESTS,
  },
  {
    name: 'text codes: two pieces change their codes',
    file: FRAGMENTS,
    find: "['https://', 'https://www.'",
    replace: "['https://www.', 'https://'",
    tests: CODE_TESTS,
  },
  {
    name: 'text codes: a length has one byte',
    file: STORE,
    find: 'if (byte >>> LENGTH_BITS === 0) break',
    replace: 'break',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: the length of a long text lacks its lowest bits',
    file: STORE,
    find: 'rest | (1 << LENGTH_BITS)',
    replace: '1 << LENGTH_BITS',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: a text crosses the end of its chunk',
    file: STORE,
    find: 'this.#next + units > end && end > 0',
    replace: 'this.#next >= end && end > 0',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: a text without room is put where none belongs',
    file: STORE,
    find: '    if (unit + units > this.#unitsMax) return 0\n',
    replace: '',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: the last byte is not compared',
    file: STORE,
    find: 'for (let at = 0; at < bytes; at++) if',
    replace: 'for (let at = 0; at < bytes - 1; at++) if',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: what has the same place is the same text',
    file: STORE,
    find: ' && this.#has(recent, bytes)',
    replace: '',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: a text in its own place is put anew',
    file: STORE,
    find: '    if (before !== 0 && this.#has(before, bytes)) return before\n',
    replace: '',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: old texts are recent',
    file: STORE,
    find: 'const RECENT_CHUNKS = 2',
    replace: 'const RECENT_CHUNKS = 3',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: no text is recent after a load',
    file: STORE,
    find: 'settle: () => this.#findRecent(name)',
    replace: 'settle() {}',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: recent texts are looked for at half units',
    file: STORE,
    find: 'at = Math.ceil(to / UNIT_BYTES) * UNIT_BYTES',
    replace: 'at = to',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: of damaged texts one goes on behind its chunk',
    file: STORE,
    find: 'if (to > chunk.length) throw',
    replace: 'if (to < at) throw',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: a longest text is not cut',
    file: STORE,
    find: 'Math.min(written, TEXT_BYTES_MAX)',
    replace: 'written',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: texts that were read stay after a load',
    file: STORE,
    find: '    this.#read.clear()\n',
    replace: '',
    tests: STORE_TESTS,
  },
  {
    name: 'text codes: the first link of a former snapshot is forgotten',
    file: FORMER,
    find: 'METADATA_KEYS.map((_, place) => MetadataLane.firstText + place)',
    replace: 'METADATA_KEYS.slice(1).map((_, place) => MetadataLane.firstText + 1 + place)',
    tests: FORMER_TESTS,
  },
  {
    name: 'text codes: migrations of a former snapshot lose their signatures',
    file: FORMER,
    find: '      takeTexts(seldom.rows, seldom.rowOf(token), [SeldomLane.migrationSignature], plain, texts)\n',
    replace: '',
    tests: FORMER_TESTS,
  },
  {
    name: 'text codes: what was there before a former snapshot stays',
    file: FORMER,
    find: '    texts.clear()\n',
    replace: '',
    tests: FORMER_TESTS,
  },
  {
    name: 'text codes: a former row names what is no text',
    file: FORMER,
    find: 'if (reference >= from.units) throw',
    replace: 'if (reference < 0) throw',
    tests: FORMER_TESTS,
  },
  {
    name: 'text codes: version 13 is read as the present one',
    file: FORMER,
    find: 'version < NARROW_ROWS',
    replace: 'version < NARROW_ROWS - 1',
    tests: GOLDEN_TESTS,
  },
  {
    name: 'text codes: the present version is read as a former one',
    file: FORMER,
    find: 'version < NARROW_ROWS',
    replace: 'version <= NARROW_ROWS',
    tests: GOLDEN_TESTS,
  },
]
