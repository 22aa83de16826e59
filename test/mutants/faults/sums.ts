import type { Fault } from '../fault.ts'

const SUMS = 'test/base/crc32.test.ts'

/** Faults of what the files of a data folder are summed by. */
export const SUM_FAULTS: readonly Fault[] = [
  {
    name: 'sums: the package is not looked at',
    file: 'src/base/crc32.ts',
    find: 'return isRight(native) ? native : zlib.crc32',
    replace: 'return native',
    tests: [SUMS],
  },
  {
    name: 'sums: the package is never taken',
    file: 'src/base/crc32.ts',
    find: 'return isRight(native) ? native : zlib.crc32',
    replace: 'return isRight(native) ? zlib.crc32 : zlib.crc32',
    tests: [SUMS],
  },
  {
    name: 'sums: a start needs the package',
    file: 'src/base/crc32.ts',
    find: '  } catch {\n    return zlib.crc32\n',
    replace: '  } catch (error) {\n    throw error\n',
    tests: [SUMS],
  },
  {
    name: 'sums: those that go on from others are not looked at',
    file: 'src/base/crc32.ts',
    find: ' && native(TRIED, before) === zlib.crc32(TRIED, before)',
    replace: '',
    tests: [SUMS],
  },
  {
    name: 'sums: one length is looked at',
    file: 'src/base/crc32.ts',
    find: '[0, 1, 15, 64, 129, TRIED.length]',
    replace: '[64]',
    tests: [SUMS],
  },
]
