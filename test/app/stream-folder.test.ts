import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { SplitJournal } from '../../src/app/stream-folder.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { headerOf } from '../../src/store/journal/journal-scan.ts'
import { readMessage } from '../../src/stream/stream-message.ts'
import { crowdOfLines } from '../commands/folders.ts'
import { messagesOf } from '../commands/stream-copies.ts'
import { newFolder } from '../new-folder.ts'

const EPOCH = randomUUID()
const EVENTS = 6_000
const SEGMENT_BYTES = 64 << 10
const MESSAGES = messagesOf(crowdOfLines(7, EVENTS), EPOCH, 200)
const BYTES = MESSAGES.reduce((sum, { length }) => sum + length, 0)

/** Number, first seq and bytes of the segments of a stream with a snapshot in it. */
function segmentsWith(snapshot: { readonly seq: number; readonly segment: number }) {
  const folder = newFolder()
  const about = { epoch: EPOCH, firstSeq: 0 }
  const journal = new SplitJournal(folder, about, snapshot, BYTES, SEGMENT_BYTES)
  for (const [i, bytes] of MESSAGES.entries()) journal.take(readMessage(bytes, i + 1))
  journal.close()
  const disk = new NodeDisk()
  return listDataFiles(disk, folder).segments.map(({ number, path }) => {
    const header = headerOf(disk, path)
    if (header === null || header === 'newer') throw new Error('it was just written')
    return { number, firstSeq: header.firstSeq, bytes: fs.statSync(path).size }
  })
}

test('a segment begins at the snapshot, with its number, wherever that is', () => {
  expect(BYTES).toBeGreaterThan(10 * SEGMENT_BYTES)
  for (const seq of [200, 400, 3_000, 5_800])
    for (const segment of [2, 3, 40]) {
      const segments = segmentsWith({ seq, segment })
      const at = segments.find(({ number }) => number === segment)
      expect(at?.firstSeq, `seq ${seq}, segment ${segment}`).toBe(seq)
      // Those behind it are no longer than in a folder of the service.
      for (const { number, bytes } of segments)
        if (number >= segment) expect(bytes).toBeLessThan(2 * SEGMENT_BYTES)
    }
})
