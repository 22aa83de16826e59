import type { Fault } from '../fault.ts'

const FILE = 'src/store/format/packed-event.ts'
const PACKED = 'test/store/format/packed-event.test.ts'
const EXPORT = 'test/commands/export.test.ts'

/** Faults of how the journal has events that are no swaps. */
export const PACKED_FAULTS: readonly Fault[] = [
  {
    name: 'packed: what is null is left out',
    file: FILE,
    find: 'if (value === null) nulls |= bit',
    replace: 'if (value === null) given &= ~bit',
    tests: [PACKED],
  },
  {
    name: 'packed: an amount of more than 64 bits loses the upper ones',
    file: FILE,
    find: '&& value === asU64(value))',
    replace: '&& value >= 0n)',
    tests: [PACKED],
  },
  {
    name: 'packed: an amount below 0 is one above',
    file: FILE,
    find: '&& value === asU64(value))',
    replace: '&& (value <= 0n || value === asU64(value)))',
    tests: [PACKED],
  },
  {
    name: 'packed: halves of characters become other ones',
    file: FILE,
    find: "Buffer.from(bytes.buffer).write(texts, at, 'utf16le')",
    replace: "Buffer.from(bytes.buffer).write(texts.toWellFormed(), at, 'utf16le')",
    tests: [PACKED],
  },
  {
    name: 'packed: a text of other letters is taken for ASCII',
    file: FILE,
    find: 'if (written === texts.length) return ASCII',
    replace: 'if (written < 2 * texts.length) return ASCII',
    tests: [PACKED],
  },
  {
    name: 'packed: texts longer than the memory are cut',
    file: FILE,
    find: '    this.#lanes.makeRoom(at + texts.length * UNIT_BYTES_MAX)\n',
    replace: '',
    tests: [PACKED],
  },
  {
    name: 'packed: wider memory has lost what was packed of the event',
    file: 'src/store/format/journal-format.ts',
    find: '    wider.set(this.bytes)\n',
    replace: '',
    tests: [PACKED],
  },
  {
    name: 'packed: texts that end before their units do are read',
    file: FILE,
    find: 'return from === texts?.length ? line : null',
    replace: 'return line',
    tests: [PACKED],
  },
  {
    name: 'packed: lanes are read beyond the payload',
    file: FILE,
    find: '    if ((lane + 1) * LANE_BYTES > payload.length) return null\n',
    replace: '',
    tests: [PACKED],
  },
  {
    name: 'packed: an event that there is no room for is not in the journal',
    file: 'src/store/journal/journaled-engine.ts',
    find: 'else frames.addText(Kind.event, seq, 1, eventLineText(event))',
    replace: '',
    tests: [PACKED],
  },
  {
    name: 'packed: an export leaves packed events out',
    file: 'src/commands/export.ts',
    find: '(kind === Kind.event || kind === Kind.packed)',
    replace: 'kind === Kind.event',
    tests: [EXPORT],
  },
  {
    name: 'packed: an export leaves lines out',
    file: 'src/commands/export.ts',
    find: '(kind === Kind.event || kind === Kind.packed)',
    replace: 'kind === Kind.packed',
    tests: [EXPORT],
  },
  {
    name: 'packed: a packed event that makes no sense is passed over',
    file: 'src/store/journal/journal-fold.ts',
    find: 'engine.accept(otherEventOf(frame))',
    replace: 'try { engine.accept(otherEventOf(frame)) } catch {}',
    tests: [PACKED],
  },
  {
    name: 'packed: a text stands where a number belongs',
    file: FILE,
    find: "if (typeof value === 'string' && valueType === 'string')",
    replace: "if (typeof value === 'string')",
    tests: [PACKED],
  },
  {
    name: 'packed: a number stands where an amount belongs',
    file: FILE,
    find: "if (typeof value === 'number' && valueType === 'number')",
    replace: "if (typeof value === 'number')",
    tests: [PACKED],
  },
]
