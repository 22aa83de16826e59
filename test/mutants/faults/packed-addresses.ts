import type { Fault } from '../fault.ts'

const FILE = 'src/engine/state/address-book.ts'
const TESTS = ['test/engine/state/addresses.test.ts']

/** Of addresses that lie in their row. */
export const PACKED_ADDRESS_FAULTS: readonly Fault[] = [
  {
    name: 'packed addresses: the characters of the last lane are not compared',
    file: FILE,
    find: 'for (let lane = 1; lane < TEXT_LANES; lane++)\n      if',
    replace: 'for (let lane = 1; lane < TEXT_LANES - 1; lane++)\n      if',
    tests: TESTS,
  },
  {
    name: 'packed addresses: a text of one character more than there is room for is packed',
    file: FILE,
    find: 'length > PACKED_MAX ? 0 : length',
    replace: 'length > PACKED_MAX + 1 ? 0 : length',
    tests: TESTS,
  },
  {
    name: 'packed addresses: the first digit ends a text',
    file: FILE,
    find: '(digit)] = digit + 1',
    replace: '(digit)] = digit',
    tests: TESTS,
  },
  {
    name: 'packed addresses: what comes before a character of no base58 stays packed',
    file: FILE,
    find: 'if (seen >= NO_SIX_BITS) lanes.fill(0)',
    replace: '',
    tests: TESTS,
  },
  {
    name: 'packed addresses: an address that is a second thing loses its first row',
    file: FILE,
    find: 'lanes[at + other.lane] = otherPlus1',
    replace: 'lanes[at + role.lane] = otherPlus1',
    tests: TESTS,
  },
  {
    name: 'packed addresses: whatever row it has is that of any role',
    file: FILE,
    find: 'return lanes[at] >>> ROLE_SHIFT === bit ? lanes[at + A.row] : -1',
    replace: 'return lanes[at] >>> ROLE_SHIFT > 0 ? lanes[at + A.row] : -1',
    tests: TESTS,
  },
  {
    name: 'packed addresses: two texts that begin alike lie in no order',
    file: FILE,
    find: 'return orderOfBytes(this.#scratch, 0, length)',
    replace: 'return orderOfBytes(this.#scratch, 1, length)',
    tests: TESTS,
  },
  {
    name: 'packed addresses: what a row of a former snapshot was is forgotten',
    file: FILE,
    find: 'if (rows.get(id, lane) !== 0) this',
    replace: 'if (rows.get(id, lane) > 1) this',
    tests: TESTS,
  },
  {
    name: 'packed addresses: texts of a former snapshot come behind those of before',
    file: FILE,
    find: 'this.#rows.reset(0)\n    for',
    replace: 'for',
    tests: TESTS,
  },
  {
    name: 'packed addresses: texts that were read before a snapshot was loaded are shown',
    file: FILE,
    find: 'settle: () => this.#read.clear()',
    replace: 'settle: () => {}',
    tests: TESTS,
  },
]
