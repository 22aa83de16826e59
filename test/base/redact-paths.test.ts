import { expect, test } from 'vitest'
import { redactPaths } from '../../src/base/safe-text.ts'

test.each([
  ['/var/lib/mintfeed', "open '/var/lib/mintfeed/journal-1.mfj', in /var/lib/mintfeed"],
  ['/var/lib/mintfeed/', "open '/var/lib/mintfeed/journal-1.mfj', in /var/lib/mintfeed"],
  ['/var//lib/./mintfeed', "open '/var/lib/mintfeed/journal-1.mfj', in /var//lib/./mintfeed"],
])('of a data folder %s nobody is told more than DATA_DIR', (dataDir, sentence) => {
  expect(redactPaths(sentence, dataDir, [])).toBe("open 'DATA_DIR/journal-1.mfj', in DATA_DIR")
})

test('a relative data folder is left where it may be a word', () => {
  const sentence = 'No snapshots: ENOSPC, snapshots/journal-1.mfj'
  for (const dataDir of ['snapshots', './snapshots/'])
    expect(redactPaths(sentence, dataDir, [])).toBe('No snapshots: ENOSPC, DATA_DIR/journal-1.mfj')
})

test('files that a feed reads are told by their names', () => {
  const sentence = "replay:/home/me/a.zst has failed (ENOENT: open '/home/me/a.zst')."
  const shown = "replay:a.zst has failed (ENOENT: open 'a.zst')."
  expect(redactPaths(sentence, null, ['/home/me/a.zst', 'b.zst'])).toBe(shown)
})
