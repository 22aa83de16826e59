import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { EventLines } from '../crash/event-lines.ts'
import { allSwaps, figuresOf } from '../crash/http.ts'
import { filesOf } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { partOf } from './data-folders.ts'
import { type Program, startProgram, until } from './program.ts'

const TEST_MS = 120_000
const SWAPS = 200

/** What may happen to a data folder under a service, with its move to another name at most. */
const MISHAPS = [
  ['moved', (folder: string, away: string) => fs.renameSync(folder, away)],
  [
    'replaced by another one',
    (folder: string, away: string) => {
      fs.renameSync(folder, away)
      fs.mkdirSync(folder)
    },
  ],
  [
    'emptied of its journal',
    (folder: string, away: string) => {
      fs.mkdirSync(away)
      for (const path of filesOf(folder, 'journal-')) fs.renameSync(path, join(away, 'journal'))
    },
  ],
] as const

async function feed({ child, url }: Program, text: string, count: number): Promise<void> {
  child.stdin?.write(text)
  await until('all is folded', async () =>
    (await figuresOf(url)).feed_events_total === count ? true : null,
  )
}

test.each(MISHAPS)(
  'a folder that is %s under a service ends its intake, and it writes nowhere else',
  async (_, mishap) => {
    const above = newFolder()
    const DATA_DIR = join(above, 'data')
    const away = join(above, 'away')
    const settings = { FEED: 'stdin', RATE_LIMIT: 'off', SNAPSHOT_EVERY: '1h', DATA_DIR }
    const program = await startProgram({ ...settings, ADMIN_PORT: '0', LOG_LEVEL: 'info' })
    const admin = partOf(await program.seen(/admin surface/), 'port')
    const lines = new EventLines('Moved', new Random(8), 1)
    const text = lines.opening() + lines.more(SWAPS)
    await feed(program, text, lines.count)
    const [mint] = lines.mints
    const seen = await allSwaps(program.url, mint)
    mishap(DATA_DIR, away)
    const left = fs.existsSync(DATA_DIR) ? fs.readdirSync(DATA_DIR) : []
    const told = await program.seen(/"msg":"the disk refused"/)
    expect(told).toContain('moved, removed or covered')
    expect(told).toContain(DATA_DIR)
    const ready = await figuresOf(program.url)
    expect(ready).toMatchObject({ httpStatus: 503, journal_failed: 1 })
    expect(ready.reason).toMatch(/^DATA_DIR\/journal-\d+\.mfj is not the file any more/)
    expect(ready.reason).not.toContain(above)
    expect((await figuresOf(`http://127.0.0.1:${admin}`)).reason).toContain(DATA_DIR)
    expect(await allSwaps(program.url, mint)).toEqual(seen)
    expect(await program.end('SIGTERM')).toBe(0)
    const kept = fs.existsSync(DATA_DIR) ? fs.readdirSync(DATA_DIR) : []
    expect(kept.filter((name) => !left.includes(name))).toEqual([])
    putBack(DATA_DIR, away)
    const again = await startProgram(settings)
    expect(await allSwaps(again.url, mint)).toEqual(seen)
    expect(await again.end('SIGTERM')).toBe(0)
  },
  TEST_MS,
)

function putBack(folder: string, away: string): void {
  const journal = join(away, 'journal')
  if (fs.existsSync(journal)) {
    fs.renameSync(journal, join(folder, 'journal-0000000000000001.mfj'))
    return
  }
  fs.rmSync(folder, { recursive: true, force: true })
  fs.renameSync(away, folder)
}
