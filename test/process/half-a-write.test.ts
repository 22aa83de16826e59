import fs from 'node:fs'
import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { EventLines } from '../crash/event-lines.ts'
import { figuresOf } from '../crash/http.ts'
import { filesOf } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { copyOf, partOf } from './data-folders.ts'
import { type Program, startProgram, until } from './program.ts'

const TORN_BYTES = 10

test('what a kill leaves of a write is told as that and cut off, and of a copy that it is none of the stream', async () => {
  const DATA_DIR = newFolder()
  // Without a ring, which would have the rest.
  const first = await startProgram({ FEED: 'stdin', FSYNC: 'always', DATA_DIR })
  const lines = new EventLines('Half', new Random(2), 1)
  first.child.stdin?.write(lines.opening() + lines.more(40))
  await until('all lines are folded', async () =>
    (await figuresOf(first.url)).feed_events_total === lines.count ? true : null,
  )
  await first.end('SIGKILL')
  const [path] = filesOf(DATA_DIR, 'journal-').slice(-1)
  const { size } = fs.statSync(path)
  fs.appendFileSync(path, Buffer.alloc(TORN_BYTES, 0xa5))
  const copy = copyOf(DATA_DIR)

  const torn = await startProgram({ FEED: 'none', DATA_DIR })
  const told =
    (await recoveryOf(torn)).find((line) => line.includes('the tail was cut off')) ?? '{}'
  expect(told).toContain('the journal ended in the middle of a write')
  const place = ['path', 'byte', 'bytes'].map((part) => partOf(told, part))
  expect(place).toEqual([path, size, TORN_BYTES])
  expect((await recoveryOf(torn)).join()).not.toContain('events may be lost')
  expect((await figuresOf(torn.url)).swaps).toBe(40)
  await torn.end('SIGKILL')

  const restored = await startProgram({ FEED: 'none', DATA_DIR: copy })
  const lost = (await recoveryOf(restored)).find((line) => line.includes('events may be lost'))
  expect(lost).toContain('the stream has a new epoch')
  await restored.end('SIGKILL')
})

/** What the log says up to the end of the recovery. */
async function recoveryOf({ seen, lines }: Program): Promise<readonly string[]> {
  const last = await seen(/"msg":"recovered"/)
  return lines.slice(0, lines.indexOf(last))
}
