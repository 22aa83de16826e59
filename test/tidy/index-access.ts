/**
 * Checks `src` with noUncheckedIndexedAccess, but for the accessors of rows (decision 39). Part of
 * `npm run check`; prints what is wrong and ends with 1. The compiler has no such option by file.
 */
import { spawnSync } from 'node:child_process'

/** They read lanes of typed arrays by computed indexes; a check at each read costs the fold. */
const ROW_ACCESSORS = [
  'src/base/base58.ts',
  'src/base/random.ts',
  'src/base/u64.ts',
  'src/engine/',
  'src/feeds/simulator/',
  'src/query/json/',
  'src/query/search/',
  'src/query/tables/',
  'src/query/traders/',
]

const { stdout, error } = spawnSync(
  'tsc',
  ['--noEmit', '--noUncheckedIndexedAccess', '--pretty', 'false'],
  { encoding: 'utf8', maxBuffer: 1 << 26 },
)
if (error !== undefined) throw error
const wrong = stdout
  .split('\n')
  .filter((line) => line.startsWith('src/'))
  .filter((line) => !ROW_ACCESSORS.some((accessor) => line.startsWith(accessor)))
if (wrong.length > 0) {
  console.error(wrong.join('\n'))
  process.exitCode = 1
}
