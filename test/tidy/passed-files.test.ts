import { expect, test } from 'vitest'
import { passedFiles } from './passed-files.ts'

/** 40, and rows of tokens, rows of positions and logs of changes, which have files of their own since they are narrow. */
const SWAP_FILES_MAX = 43
const TABLE_FILES_MAX = 30

test('a swap passes at most 43 files from the pipe to a socket, a table query at most 30', async () => {
  const { swap, table } = await passedFiles()
  // Both ends and the middle: a list that was cut off would hold every bound.
  for (const file of ['src/feeds/replay/line-run.ts', 'src/server/sockets/apps.ts'])
    expect(swap).toContain(file)
  expect(swap).toContain('src/engine/fold/swap-fold.ts')
  expect(table).toContain('src/query/tables/column-scan.ts')
  expect(swap.length).toBeLessThanOrEqual(SWAP_FILES_MAX)
  expect(table.length).toBeLessThanOrEqual(TABLE_FILES_MAX)
}, 120_000)
