import type { Fault } from '../fault.ts'

const SWAPS = 'src/engine/state/packed-swaps.ts'
const SWAPS_TEST = 'test/engine/state/packed-swaps.test.ts'
const TAPE = 'src/engine/state/tape.ts'
const TAPE_TEST = 'test/engine/state/packed-tape.test.ts'
const CHUNK = 'src/store/snapshot/tape-chunk.ts'
const CHUNK_TEST = 'test/store/golden.test.ts'

/** Faults of how swaps are packed in memory and in chunks. */
export const PACKED_SWAP_FAULTS: readonly Fault[] = [
  {
    name: 'packed swap: a number of three bytes has two',
    file: SWAPS,
    find: 'return hi === 0 ? 4 - (Math.clz32(lo) >>> 3)',
    replace: 'return hi === 0 ? 4 - ((Math.clz32(lo) + 7) >>> 3)',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: the fourth byte of a number is left out when it is read',
    file: SWAPS,
    find: '256 ** Math.min(width, 4) - 1',
    replace: '256 ** Math.min(width, 3) - 1',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: the upper half of a number has a byte less',
    file: SWAPS,
    find: 'LOW_MASKS[Math.max(0, width - 4)]',
    replace: 'LOW_MASKS[Math.max(0, width - 5)]',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: the volume that follows is off by one',
    file: SWAPS,
    find: 'Math.floor(volume + 0.5) : 0',
    replace: 'Math.floor(volume + 1.5) : 0',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: a borrow from the upper half is forgotten',
    file: SWAPS,
    find: 'numbers[n + 1] = hi - numbers[n + 1] - (lo < numbers[n] ? 1 : 0)',
    replace: 'numbers[n + 1] = hi - numbers[n + 1]',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: links are told from another place when they are read',
    file: SWAPS,
    find: 'exchangeNumbers(this.#index + place,',
    replace: 'exchangeNumbers(this.#index,',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: no link is one to the swap itself',
    file: SWAPS,
    find: 'return value === 0 || back === 0 ? value : back',
    replace: 'return back',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: the balances of a sale are those of a buy',
    file: SWAPS,
    find: 'const more = isSale ? N.before : N.after',
    replace: 'const more = N.after',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: the real base of a curve is off by one',
    file: SWAPS,
    find: 'const BEYOND_REAL = { lo: 0x4c129800,',
    replace: 'const BEYOND_REAL = { lo: 0x4c129801,',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: the supply of a token follows from another one',
    file: SWAPS,
    find: 'const USUAL_SUPPLY = { lo: 0xa4c68000,',
    replace: 'const USUAL_SUPPLY = { lo: 0xa4c68001,',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: flags are those of the last of the block',
    file: SWAPS,
    find: 'N.solPrice, N.solPrice + 1, N.flags]',
    replace: 'N.solPrice, N.solPrice + 1]',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: a signature has a lane less',
    file: SWAPS,
    find: 'return this.#putLanes(u32, at + SwapLane.signature, SIGNATURE_LANES, end)',
    replace: 'return this.#putLanes(u32, at + SwapLane.signature, SIGNATURE_LANES - 1, end)',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: bytes behind a block belong to it',
    file: SWAPS,
    find: 'return start === end\n',
    replace: 'return start <= end\n',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed swap: a record that does not end where it should is one',
    file: SWAPS,
    find: 'if (from > end) return false',
    replace: 'if (from < 0) return false',
    tests: [SWAPS_TEST],
  },
  {
    name: 'packed tape: a swap that may be taken back is packed',
    file: TAPE,
    find: 'if (settled - this.#firstPlain < this.#pageRecords ||',
    replace: 'if (this.#count - this.#firstPlain < this.#pageRecords ||',
    tests: [TAPE_TEST],
  },
  {
    name: 'packed tape: a block holds what was read of the one before',
    file: TAPE,
    find: 'this.#isRead.fill(isPacked ? 0 : 1)',
    replace: 'this.#isRead.fill(this.#block < 0 ? 1 : 0)',
    tests: [TAPE_TEST],
  },
  {
    name: 'packed tape: a block is looked for where the next one lies',
    file: TAPE,
    find: 'const first = index - (index & BLOCK_MASK)',
    replace: 'const first = index',
    tests: [TAPE_TEST],
  },
  {
    name: 'packed tape: packed pages count as plain ones',
    file: TAPE,
    find: 'return plain * this.#recordBytes + this.#packedBytes',
    replace: 'return this.#u32.length * this.#pageBytes',
    tests: [TAPE_TEST],
  },
  {
    name: 'packed tape: a page is used again with what was on it',
    file: TAPE,
    find: 'if (spare !== undefined) new Uint8Array(spare).fill(0)',
    replace: 'if (spare === undefined) void this.#pageBytes',
    tests: [TAPE_TEST],
  },
  {
    name: 'packed tape: what is packed can be taken back',
    file: TAPE,
    find: 'if (count < this.#firstPlain ||',
    replace: 'if (count < this.#firstInMemory ||',
    tests: [TAPE_TEST],
  },
  {
    name: 'packed chunk: blocks are packed as if each were the first',
    file: CHUNK,
    find: 'packedBlock(block, (first + i) * blockRecords)',
    replace: 'packedBlock(block, first * blockRecords)',
    tests: [CHUNK_TEST, 'test/store/snapshot/tape-archive.test.ts'],
  },
  {
    name: 'packed chunk: a chunk of the version before is read as a packed one',
    file: CHUNK,
    find: 'const isPacked = version >= FIRST_PACKED_VERSION',
    replace: 'const isPacked = kind === SWAP_CHUNKS && version > 0',
    tests: [CHUNK_TEST],
  },
  {
    name: 'packed chunk: a block that is damaged is unpacked',
    file: CHUNK,
    find: 'if (crc32(bytes) !== table.crcs[block]) return false',
    replace: 'if (bytes.length === 0) return false',
    tests: ['test/store/snapshot/tape-archive.test.ts'],
  },
  {
    name: 'seed: a chunk of swaps is as long as one that is not packed',
    file: 'src/seed/seed-files.ts',
    find: 'bytes: sizes[number] ??',
    replace: 'bytes: sizes[-1] ??',
    tests: ['test/seed/seed-folder.test.ts'],
  },
]
