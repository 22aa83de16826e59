import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { TAPE_CHUNK_RECORDS } from '../../src/engine/state/tape.ts'
import { EventLines } from '../crash/event-lines.ts'
import { allSwaps, figuresOf, get } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { startProgram, until } from './program.ts'

/** More than one chunk of the tape, so that one leaves memory. */
const SWAPS = TAPE_CHUNK_RECORDS + 10_000
const SWAPS_PER_LOT = 1_000
const MINTS_READ = 3
const DEEP_MS = 240_000

test(
  'old trades read from the disk are those of a run that has all of them in memory',
  async () => {
    const DATA_DIR = newFolder()
    const file = join(newFolder(), 'events.jsonl')
    const lines = new EventLines('Deep', new Random(3), 1)
    const texts = [lines.opening()]
    for (let i = 0; i < SWAPS; i += SWAPS_PER_LOT) texts.push(lines.more(SWAPS_PER_LOT))
    fs.writeFileSync(file, texts.join(''))
    const replay = { FEED: `replay:${file}`, SPEED: 'max', RATE_LIMIT: 'off' }
    const onDisk = { DATA_DIR, TAPE_MEMORY: '1mb', SNAPSHOT_EVERY: '500ms' }
    const inMemory = await startProgram(replay)
    const small = await startProgram({ ...replay, ...onDisk })
    await until('a chunk of the tape has left memory', async () => {
      const { swaps, tape_bytes, httpStatus } = await figuresOf(small.url)
      return httpStatus === 200 && swaps >= SWAPS && tape_bytes < SWAPS * 100 ? true : null
    })
    await until('the other run is through', async () =>
      (await figuresOf(inMemory.url)).swaps >= SWAPS ? true : null,
    )
    await compare(inMemory.url, small.url, lines, texts.join(''))
    expect((await figuresOf(small.url)).tape_cache_misses_total).toBeGreaterThan(0)
    await small.end('SIGKILL')
    const again = await startProgram({ ...onDisk, FEED: 'none', CLOCK: 'event', RATE_LIMIT: 'off' })
    await compare(inMemory.url, again.url, lines, texts.join(''))
    await again.end('SIGTERM')
    await inMemory.end('SIGTERM')
  },
  DEEP_MS,
)

async function compare(url: string, other: string, lines: EventLines, text: string) {
  for (const mint of lines.mints.slice(0, MINTS_READ)) {
    const swapLines = text.split('\n').filter((line) => line.startsWith('{"type":"swap"'))
    const expected = swapLines.filter((line) => line.includes(`"mint":"${mint}"`)).length
    const [one, two] = await Promise.all([allSwaps(url, mint), allSwaps(other, mint)])
    expect(two.total).toBe(expected)
    expect(two.items.length).toBe(expected)
    expect(two).toEqual(one)
  }
  const [wallet] = lines.wallets
  const path = `/api/v2/search/tokens/${lines.mints[0]}/swaps?wallet=${wallet}&limit=200`
  const last = Math.max(1, Math.ceil(SWAPS / lines.mints.length / lines.wallets.length / 200))
  for (const page of [1, last]) {
    const [one, two] = await Promise.all(
      [url, other].map((base) => get(`${base}${path}&page=${page}`)),
    )
    expect(two.text).toBe(one.text)
  }
}
