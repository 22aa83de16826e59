import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import {
  allowedProcessors,
  besideProcessorOf,
} from '../../src/store/compaction/compactor-process.ts'
import { launcherOf, nextCompactor } from '../crash/compactor-child.ts'
import { EventLines } from '../crash/event-lines.ts'
import { allSwaps, figuresOf, get } from '../crash/http.ts'
import { filesOf } from '../data-files.ts'
import { LENGTH } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'
import { copyOf, fillWithJournal, partOf } from './data-folders.ts'
import { freePort } from './free-port.ts'
import { launch, type Program, startProgram, until } from './program.ts'

const QUIET = { FEED: 'none', RATE_LIMIT: 'off' }
/** Tokens of a market whose recovery from the journal takes seconds. */
const LARGE_TOKENS = 20_000
/** A recovery of this length must have told its progress. */
const TOLD_AFTER_MS = 2_000
/** Making the large folder, and each test with it, on a busy machine. */
const LARGE_MS = 180_000

/** Feeds events of the test's own and waits until they are folded. */
async function fed(program: Program, swaps: number): Promise<EventLines> {
  const lines = new EventLines('Durable', new Random(1), 1)
  program.child.stdin?.write(lines.opening() + lines.more(swaps))
  await until('all lines are folded', async () =>
    (await figuresOf(program.url)).feed_events_total === lines.count ? true : null,
  )
  return lines
}

async function epochOf({ url }: Program): Promise<string> {
  return (
    (
      await get(
        `${url}/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/market-data`,
      )
    ).position?.epoch ?? ''
  )
}

/** The folder says by now which compactor works on it. */
async function noted(folder: string, compactor: number): Promise<void> {
  const note = join(folder, 'compactor')
  await until('the compactor is written down', async () =>
    fs.existsSync(note) && fs.readFileSync(note, 'utf8').includes(`"pid":${compactor},`)
      ? true
      : null,
  )
}

async function swapsOf({ url }: Program, lines: EventLines) {
  return Promise.all(lines.mints.map((mint) => allSwaps(url, mint)))
}

test('SIGTERM makes a last snapshot: the next start folds nothing of the journal', async () => {
  const DATA_DIR = newFolder()
  const first = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off', DATA_DIR })
  const lines = await fed(first, 500)
  const epoch = await epochOf(first)
  const swaps = await swapsOf(first, lines)
  expect(await first.end('SIGTERM')).toBe(0)
  expect(first.lines.some((line) => line.includes('snapshot made and verified'))).toBe(true)
  const second = await startProgram({ ...QUIET, DATA_DIR })
  const recovered = await second.seen(/"msg":"recovered"/)
  expect(partOf(recovered, 'snapshotSeq')).toBe(lines.count)
  // What says how the engine was set, and that the stop was in order, is folded again.
  expect(partOf(recovered, 'frames')).toBeLessThanOrEqual(2)
  expect(await epochOf(second)).toBe(epoch)
  expect(await swapsOf(second, lines)).toEqual(swaps)
  expect(await second.end('SIGTERM')).toBe(0)
})

test('DATA_DIR=none keeps nothing and writes nothing', async () => {
  const cwd = newFolder()
  const settings = { FEED: 'stdin', RATE_LIMIT: 'off', SNAPSHOT_EVERY: '50ms' }
  const first = await startProgram(settings, cwd)
  await fed(first, 200)
  expect((await figuresOf(first.url)).journal_seq).toBeUndefined()
  expect(await first.end('SIGTERM')).toBe(0)
  expect(fs.readdirSync(cwd)).toEqual([])
  const second = await startProgram(QUIET, cwd)
  expect((await figuresOf(second.url)).swaps).toBe(0)
  expect(await second.end('SIGTERM')).toBe(0)
})

test.skipIf(LENGTH === 'short')(
  'a stop ends a launcher that hangs, says so, and nothing is lost',
  async () => {
    const DATA_DIR = newFolder()
    const first = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off', DATA_DIR })
    const lines = await fed(first, 200)
    const swaps = await swapsOf(first, lines)
    const launcher = launcherOf(first.child.pid ?? 0)
    if (launcher === null) throw new Error('there is no launcher')
    process.kill(launcher, 'SIGSTOP')
    expect(await first.end('SIGTERM')).toBe(0)
    const told = first.lines.filter((line) => /"msg":"snapshot (failed|made)/.test(line))
    const why = /The snapshot was not made: its launcher told nothing for 60 s and was ended"/
    expect(told).toEqual([expect.stringMatching(why)])
    await until('the launcher ended', async () => (isRunning(launcher) ? null : true))
    const second = await startProgram({ ...QUIET, DATA_DIR })
    expect(await swapsOf(second, lines)).toEqual(swaps)
    await second.end('SIGKILL')
  },
  LARGE_MS,
)

describe.skipIf(LENGTH === 'short')('with much in the journal', () => {
  let large = ''

  beforeAll(async () => {
    large = fs.mkdtempSync(join(tmpdir(), 'mintfeed-large-'))
    await fillWithJournal(large, LARGE_TOKENS)
  }, LARGE_MS)

  afterAll(() => fs.rmSync(large, { recursive: true, force: true }))

  test(
    'while the recovery lasts the API answers 503 and says so, and its progress is in the log',
    async () => {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const program = launch({ ...QUIET, PORT: String(port), DATA_DIR: copyOf(large) })
      const first = await until('the port', () => get(`${url}/readyz`).catch(() => null))
      expect(first.status).toBe(503)
      expect(first.text).toContain('recovered')
      const api = await fetch(
        `${url}/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/market-data`,
      )
      expect(api.status).toBe(503)
      expect(Number(api.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await api.json()).toMatchObject({ statusCode: 503, code: 'starting' })
      expect((await get(`${url}/healthz`)).status).toBe(200)
      await program.seen(/"msg":"ready"/)
      // Progress is told every second: a machine that needs less has nothing to tell.
      const recovered = await program.seen(/"msg":"recovered"/)
      if (Number(partOf(recovered, 'durationMs')) > TOLD_AFTER_MS)
        await program.seen(/"step":"journal".*"msg":"recovering"/)
      expect((await get(`${url}/readyz`)).status).toBe(200)
      expect((await figuresOf(url)).swaps).toBeGreaterThanOrEqual(LARGE_TOKENS * 12)
      await program.end('SIGKILL')
    },
    LARGE_MS,
  )

  test(
    'a second signal while the last snapshot is made ends the program, and nothing is lost',
    async () => {
      const DATA_DIR = copyOf(large)
      const first = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off', DATA_DIR })
      const lines = await fed(first, 500)
      const swaps = await swapsOf(first, lines)
      const epoch = await epochOf(first)
      first.child.kill('SIGTERM')
      const compactor = await nextCompactor(first.child.pid ?? 0, LARGE_MS)
      expect(compactor).not.toBeNull()
      expect(await first.end('SIGTERM')).toBe(1)
      const second = await startProgram({ ...QUIET, DATA_DIR })
      expect(await swapsOf(second, lines)).toEqual(swaps)
      expect(await epochOf(second)).toBe(epoch)
      await second.end('SIGKILL')
    },
    LARGE_MS,
  )

  test(
    'a last snapshot stays with its folder when another one takes the name',
    async () => {
      const above = newFolder()
      const DATA_DIR = join(above, 'data')
      const away = join(above, 'away')
      fs.cpSync(large, DATA_DIR, { recursive: true })
      const first = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off', DATA_DIR })
      const lines = await fed(first, 500)
      const swaps = await swapsOf(first, lines)
      first.child.kill('SIGTERM')
      const compactor = await nextCompactor(first.child.pid ?? 0, LARGE_MS)
      await until('the compactor is in the folder', async () =>
        fs.readlinkSync(`/proc/${compactor}/cwd`) === DATA_DIR ? true : null,
      )
      fs.renameSync(DATA_DIR, away)
      fs.mkdirSync(DATA_DIR)
      const others = ['compactor', 'lock']
      for (const name of others) fs.writeFileSync(join(DATA_DIR, name), 'of another program')
      expect(await first.ended).toBe(0)
      expect(fs.readdirSync(DATA_DIR)).toEqual(others)
      expect(filesOf(away, 'snapshot-')).toHaveLength(1)
      const second = await startProgram({ ...QUIET, DATA_DIR: away })
      expect(await swapsOf(second, lines)).toEqual(swaps)
      await second.end('SIGKILL')
    },
    LARGE_MS,
  )

  test(
    'launcher and compactor end with a program that is killed',
    async () => {
      const DATA_DIR = copyOf(large)
      const program = await startProgram({ ...QUIET, DATA_DIR, SNAPSHOT_EVERY: '100ms' })
      const pid = program.child.pid ?? 0
      const pids = [await nextCompactor(pid, LARGE_MS), launcherOf(pid)]
      await program.end('SIGKILL')
      for (const child of pids)
        await until(`process ${child} ended`, async () =>
          child !== null && !isRunning(child) ? true : null,
        )
    },
    LARGE_MS,
  )

  test.skipIf(besideProcessorOf(process.pid).length === 0)(
    'the compactor leaves one processor to the loop',
    async () => {
      const DATA_DIR = copyOf(large)
      const program = await startProgram({ ...QUIET, DATA_DIR, SNAPSHOT_EVERY: '100ms' })
      const compactor = await nextCompactor(program.child.pid ?? 0, LARGE_MS)
      const ours = allowedProcessors(process.pid)
      await until('it runs on all but one', async () =>
        allowedProcessors(compactor ?? 0).length === ours.length - 1 ? true : null,
      )
      await program.seen(/"msg":"snapshot made and verified"/)
      await program.end('SIGKILL')
    },
    LARGE_MS,
  )

  test(
    'a launcher that was killed is started anew for the next snapshot',
    async () => {
      const DATA_DIR = copyOf(large)
      const program = await startProgram({ ...QUIET, DATA_DIR, SNAPSHOT_EVERY: '100ms' })
      const pid = program.child.pid ?? 0
      await nextCompactor(pid, LARGE_MS)
      const launcher = launcherOf(pid)
      if (launcher === null) throw new Error('there is no launcher')
      process.kill(launcher, 'SIGKILL')
      await program.seen(/its launcher has ended/)
      await program.seen(/"msg":"snapshot made and verified"/)
      expect(launcherOf(pid)).not.toBe(launcher)
      await program.end('SIGKILL')
    },
    LARGE_MS,
  )

  test(
    'a compactor that outlived its program is ended before the next one touches the folder',
    async () => {
      const DATA_DIR = copyOf(large)
      const first = await startProgram({ ...QUIET, DATA_DIR, SNAPSHOT_EVERY: '100ms' })
      const compactor = await nextCompactor(first.child.pid ?? 0, LARGE_MS)
      const launcher = launcherOf(first.child.pid ?? 0)
      if (compactor === null || launcher === null) throw new Error('no compactor came')
      const left: number[] = []
      await noted(DATA_DIR, compactor)
      // Stopped, the one cannot end the other, nor itself.
      for (const pid of [launcher, compactor]) process.kill(pid, 'SIGSTOP')
      await first.end('SIGKILL')
      const second = await startProgram({ ...QUIET, DATA_DIR }).finally(() => {
        if (isRunning(compactor)) left.push(compactor)
      })
      for (const pid of [launcher, ...left]) process.kill(pid, 'SIGKILL')
      expect(left).toEqual([])
      expect((await figuresOf(second.url)).swaps).toBeGreaterThanOrEqual(LARGE_TOKENS * 12)
      await second.end('SIGKILL')
    },
    LARGE_MS,
  )
})

/** False also for a process that has ended and whose parent has not looked yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
