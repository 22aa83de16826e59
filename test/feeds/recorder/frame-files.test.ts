import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdDecompressSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { FrameFiles } from '../../../src/feeds/recorder/frame-files.ts'
import { ReplayFeed } from '../../../src/feeds/replay/replay.ts'
import { newFolder } from '../../new-folder.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { portalMarket } from '../pumpportal/portal-market.ts'
import { SeededRandom } from '../seeded-random.ts'
import { until } from '../until.ts'

const START_MS = 1_790_000_000_250

let folder: string
let failures: Error[]

beforeEach(() => {
  folder = newFolder()
  failures = []
})

function recorder(options: Partial<ConstructorParameters<typeof FrameFiles>[0]> = {}): FrameFiles {
  return new FrameFiles({
    folder,
    fileBytesMax: 2 ** 20,
    filesMax: 1_000,
    clockMs: () => START_MS,
    onFailure: (error) => failures.push(error),
    ...options,
  })
}

/** The lines of all files, oldest first. */
function linesOf(paths: readonly string[]): unknown[] {
  const text = paths.map((path) => zstdDecompressSync(readFileSync(path)).toString()).join('')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

test('frames come back as they came: texts as texts, bytes as base64, with their times', async () => {
  const files = recorder()
  const odd = '{"a":"\n\u2028\ud83d\udc38\\"","b":[1e999]}'
  files.frame('pumpportal', odd)
  files.frame('yellowstone', Uint8Array.of(0, 255, 10))
  await files.close()
  expect(linesOf(files.paths)).toEqual([
    { t_wall: START_MS / 1000, feed: 'pumpportal', raw: odd },
    { t_wall: START_MS / 1000, feed: 'yellowstone', bytes_base64: 'AP8K' },
  ])
  expect(files.paths[0]).toMatch(/frames-\d{8}T\d{6}Z-00001\.zst$/)
})

test('bytes are copied: the connection may use them again', async () => {
  const files = recorder()
  const bytes = Uint8Array.of(1, 2, 3)
  files.frame('yellowstone', bytes)
  bytes.fill(9)
  await files.close()
  expect(linesOf(files.paths)).toMatchObject([{ bytes_base64: 'AQID' }])
})

test('no file is longer than it may be, and none loses a frame', async () => {
  const random = new SeededRandom(5)
  const files = recorder({ fileBytesMax: 20_000 })
  const sent = Array.from({ length: 200 }, () =>
    // Noise packs badly, blanks pack well.
    random.below(5) > 0
      ? Buffer.from(random.bytes(700)).toString('base64')
      : ' '.repeat(random.below(900)),
  )
  for (const [index, frame] of sent.entries()) {
    files.frame('x', frame)
    if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await files.close()
  expect(files.paths.length).toBeGreaterThan(3)
  for (const path of files.paths) expect(statSync(path).size).toBeLessThanOrEqual(20_000)
  expect(linesOf(files.paths).map((line) => (line as { raw: string }).raw)).toEqual(sent)
})

test('only so many files are kept, the oldest goes', async () => {
  const files = recorder({ fileBytesMax: 5_000, filesMax: 2 })
  for (let frame = 0; frame < 100; frame++) {
    files.frame('x', `${frame} ${'x'.repeat(500)}`)
    if (frame % 10 === 0) await until(() => readdirSync(folder).length > 0)
  }
  await files.close()
  expect(files.removed).toBeGreaterThan(0)
  expect(
    readdirSync(folder)
      .sort()
      .map((name) => join(folder, name)),
  ).toEqual(files.paths)
  expect(files.paths).toHaveLength(2)
  expect(linesOf(files.paths).at(-1)).toMatchObject({ raw: expect.stringMatching(/^99 /) })
  expect(failures).toEqual([])
})

test('what was recorded can be read a second later, as where the process is killed then', async () => {
  const files = recorder()
  const finishFlush = constants.ZSTD_e_flush
  const readable = () => {
    const bytes = readFileSync(files.paths[0])
    return bytes.length === 0 ? '' : zstdDecompressSync(bytes, { finishFlush }).toString()
  }
  for (const raw of ['first', 'second']) {
    files.frame('x', raw)
    await until(() => readable().includes(`"raw":"${raw}"}\n`))
  }
  await files.close()
  expect(linesOf(files.paths)).toMatchObject([{ raw: 'first' }, { raw: 'second' }])
})

test('what comes faster than the disk takes it is dropped and counted', async () => {
  const files = recorder({ waitingBytesMax: 10_000 })
  for (let frame = 0; frame < 50; frame++) files.frame('x', 'x'.repeat(1_000))
  await files.close()
  expect(files.dropped).toBeGreaterThan(0)
  expect(files.frames + files.dropped).toBe(50)
  expect(linesOf(files.paths)).toHaveLength(files.frames)
})

test('what waits for the disk is bounded over all files, those that have ended among them', async () => {
  const random = new SeededRandom(8)
  const files = recorder({ fileBytesMax: 20_000, waitingBytesMax: 60_000 })
  // In one turn: nothing reaches the disk meanwhile.
  for (let frame = 0; frame < 400; frame++)
    files.frame('x', Buffer.from(random.bytes(700)).toString('base64'))
  expect(files.paths.length).toBeGreaterThan(1)
  expect(files.dropped).toBeGreaterThan(300)
  await files.close()
  expect(files.frames + files.dropped).toBe(400)
  expect(linesOf(files.paths)).toHaveLength(files.frames)
})

test('a file that is there already is not written over, and the failure is told once', async () => {
  const first = recorder()
  first.frame('x', 'mine')
  await first.close()
  const second = recorder()
  second.frame('x', 'other')
  await until(() => failures.length === 1)
  second.frame('x', 'other')
  await second.close()
  expect(failures).toHaveLength(1)
  expect(second.frames).toBe(0)
  expect(readdirSync(folder)).toHaveLength(1)
  expect(linesOf(first.paths)).toMatchObject([{ raw: 'mine' }])
})

test('a file that somebody has taken away already does not end a recording', async () => {
  const files = recorder({ fileBytesMax: 5_000, filesMax: 2 })
  for (let frame = 0; frame < 6; frame++) {
    files.frame('x', `${frame} ${'x'.repeat(4_000)}`)
    if (frame === 1) for (const path of files.paths) rmSync(path)
  }
  await files.close()
  expect(failures).toEqual([])
  expect(linesOf(files.paths).at(-1)).toMatchObject({ raw: expect.stringMatching(/^5 /) })
})

test('a replay reads a recording whose files were put together', async () => {
  const files = recorder({ fileBytesMax: 6_000 })
  const market = portalMarket(new SeededRandom(6))
  for (const { text } of market) files.frame('pumpportal', text)
  files.frame('solana', '{"jsonrpc":"2.0","result":5,"id":1}')
  await files.close()
  expect(files.paths.length).toBeGreaterThan(1)
  const whole = join(folder, 'whole.zst')
  writeFileSync(whole, Buffer.concat(files.paths.map((path) => readFileSync(path))))
  const counters = newFeedCounters()
  const sink = new CollectingSink()
  const report = (line: number, reason: string) => failures.push(new Error(`${line}: ${reason}`))
  await new ReplayFeed({ file: whole, speed: 'max', report, counters }).start(sink)
  expect(failures).toEqual([])
  expect(sink.all.length).toBeGreaterThanOrEqual(market.length)
  expect(sink.all[0].timestamp).toBe(Math.floor(START_MS / 1000))
  expect(counters).toMatchObject({ lines: market.length + 1, badLines: 0, ignoredLines: 1 })
})
