import type { Fault } from '../fault.ts'

const FOLDER = ['test/seed/seed-folder.test.ts']
const WAY = ['test/seed/seed-way.test.ts']
const SOURCE = ['test/seed/seed-source.test.ts']
const ROUTES = ['test/server/admin/seed-routes.test.ts']

/** Faults of SEED_URL. */
export const SEED_FAULTS: readonly Fault[] = [
  {
    name: 'seed: the digest of a snapshot is not looked at',
    file: 'src/store/snapshot/snapshot-file.ts',
    find: "return damaged === null && hash.digest('hex') === contents.digest",
    replace: 'return true',
    tests: WAY,
  },
  {
    name: 'seed: the blocks of a chunk are not looked at',
    file: 'src/store/snapshot/tape-chunk.ts',
    find: 'if (!readChunkBlock(file, table, block, into)) return false\n    yield',
    replace: 'yield',
    tests: WAY,
  },
  {
    name: 'seed: a folder that holds a market is filled',
    file: 'src/seed/seed-folder.ts',
    find: 'segments.length + snapshots.length === 0',
    replace: 'segments.length === 0',
    tests: FOLDER,
  },
  {
    name: 'seed: a file is always asked for from its beginning',
    file: 'src/seed/seed-client.ts',
    find: 'const range = from === 0 ?',
    replace: 'const range = from >= 0 ?',
    tests: WAY,
  },
  {
    name: 'seed: a file that is another one by then is mixed in',
    file: 'src/server/admin/seed-routes.ts',
    find: 'if (first === undefined || isOther ||',
    replace: 'if (first === undefined ||',
    tests: ROUTES,
  },
  {
    name: 'seed: what comes behind the end of a file is written',
    file: 'src/seed/seed-client.ts',
    find: 'if (missing === 0) break\n        const taken = part.subarray(0, missing)',
    replace: 'const taken = part',
    tests: WAY,
  },
  {
    name: 'seed: a server that stops is waited for',
    file: 'src/seed/seed-client.ts',
    find: '...{ method, timeout: silenceMs },',
    replace: 'method,',
    tests: WAY,
  },
  {
    name: 'seed: the folder does not say which market it holds',
    file: 'src/seed/seed-folder.ts',
    find: 'markMarket(folder, list.market,',
    replace: 'markMarket(folder, null,',
    tests: FOLDER,
  },
  {
    name: 'seed: another market than that of FEED is taken',
    file: 'src/seed/seed-folder.ts',
    find: 'otherSeed(list.market, this.#options.market) ?? otherVersion(list)',
    replace: 'otherVersion(list)',
    tests: FOLDER,
  },
  {
    name: 'seed: snapshots are given that nobody has read back',
    file: 'src/seed/seed-source.ts',
    find: '.filter(({ number }) => number <= this.#newestSeq())\n',
    replace: '\n',
    tests: SOURCE,
  },
  {
    name: 'seed: chunks are given that no snapshot needs',
    file: 'src/seed/seed-source.ts',
    find: 'return number < (chunkKind',
    replace: 'return number >= 0 || number < (chunkKind',
    tests: SOURCE,
  },
  {
    name: 'seed: a file that is not read stays open',
    file: 'src/server/admin/seed-routes.ts',
    find: 'await file.close()\n',
    replace: '\n',
    tests: ROUTES,
  },
]
