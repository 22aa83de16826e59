import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programPath } from '../../bin/program-path.js'
import { Random } from '../../src/base/random.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { writeWhole } from '../../src/store/folder/data-folder.ts'
import { Clients } from '../crash/clients.ts'
import { EventLines } from '../crash/event-lines.ts'
import { findAgain } from '../crash/find-again.ts'
import { allSwaps, figuresOf, get } from '../crash/http.ts'
import { Witness } from '../crash/witness.ts'
import { MockSocketServer } from '../feeds/mock-socket-server.ts'
import { newFolder } from '../new-folder.ts'
import { freePort } from './free-port.ts'
import { launch, type Program, runProgram, startProgram, until } from './program.ts'

const DISK_MS = 180_000
const SMALL = '4m'
const LARGE = '64m'
const SWAPS_PER_LOT = 200
/** Left free for the journal where a snapshot must not fit. */
const LEFT_BYTES = 256 << 10
const EXIT_DATA = 3
/** What is written to it finds no room. */
const FULL = '/dev/full'
const LOGGED_LINES = 5

const isRoot = process.getuid?.() === 0
if (!isRoot)
  console.log('The tests with a full disk mount one, which needs root: they are skipped.')
const mounting = test.skipIf(!isRoot || process.platform !== 'linux')

/** A small disk of its own that goes when the test is over. */
function mountDisk(size: string): string {
  const folder = newFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  // Lazily: a process that is still ending may hold it. Runs before the folder's own removal.
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return folder
}

function remount(folder: string, size: string): void {
  execFileSync('mount', ['-o', `remount,size=${size}`, folder])
}

/** Feeds one lot and waits until it is folded, or the service takes no more. */
async function feedLot({ child, url }: Program, lines: EventLines): Promise<boolean> {
  child.stdin?.write(lines.more(SWAPS_PER_LOT))
  return until('the lot is folded or refused', async () => {
    const figures = await figuresOf(url)
    if (figures.journal_failed === 1) return false
    return figures.feed_events_total === lines.count ? true : null
  })
}

async function findSeen({ url }: Program, { trades, migrations }: Witness): Promise<void> {
  const missing = await findAgain(url, trades, migrations)
  expect(missing).toEqual({ lost: [], changed: [], migrations: [] })
}

mounting(
  'a full disk stops the intake and not the reads, and nothing that was seen is lost',
  async () => {
    const DATA_DIR = mountDisk(SMALL)
    const settings = { FEED: 'stdin', RATE_LIMIT: 'off', SNAPSHOT_EVERY: '1h', DATA_DIR }
    const first = await startProgram(settings)
    const witness = new Witness()
    const random = new Random(4)
    const clients = await Clients.open(first.url, random, witness)
    const lines = new EventLines('Full', random, 1)
    clients.follow(lines.mints)
    first.child.stdin?.write(lines.opening())
    while (await feedLot(first, lines));
    await expectRefusal(first)
    await findSeen(first, witness)
    const { swaps } = await figuresOf(first.url)
    first.child.stdin?.write(lines.more(SWAPS_PER_LOT))
    await findSeen(first, witness)
    expect((await figuresOf(first.url)).swaps).toBe(swaps)
    expect(await first.end('SIGTERM')).toBe(0)
    await clients.over()
    expect(witness.tradeCount).toBeGreaterThan(SWAPS_PER_LOT)
    remount(DATA_DIR, LARGE)
    const second = await startProgram(settings)
    expect(await figuresOf(second.url)).toMatchObject({ httpStatus: 200, status: 'ready' })
    await findSeen(second, witness)
    const more = new EventLines('Freed', random, 1_000_000)
    second.child.stdin?.write(more.opening())
    expect(await feedLot(second, more)).toBe(true)
    expect(await second.end('SIGTERM')).toBe(0)
  },
  DISK_MS,
)

async function expectRefusal(program: Program): Promise<void> {
  const ready = await figuresOf(program.url)
  expect(ready).toMatchObject({ httpStatus: 503, status: 'not ready' })
  expect(ready.reason).toContain('ENOSPC')
  const told = await program.seen(/"msg":"the disk refused"/)
  expect(told).toContain('ENOSPC')
  expect((await get(`${program.url}/metrics`)).text).toMatch(/journal_failed 1\n/)
  expect(
    (
      await get(
        `${program.url}/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/market-data`,
      )
    ).status,
  ).toBe(200)
}

mounting(
  'a start on a full disk stops with one sentence and changes nothing',
  async () => {
    const DATA_DIR = mountDisk(SMALL)
    const settings = { FEED: 'stdin', RATE_LIMIT: 'off', DATA_DIR }
    const first = await startProgram(settings)
    const lines = new EventLines('Start', new Random(5), 1)
    first.child.stdin?.write(lines.opening())
    await feedLot(first, lines)
    const [mint] = lines.mints
    const seen = await allSwaps(first.url, mint)
    await first.end('SIGKILL')
    const ballast = fill(DATA_DIR, 0)
    const { code, errors } = await runProgram({ ...settings, PORT: '0' })
    expect(code).toBe(EXIT_DATA)
    expect(errors).toMatch(/^mintfeed: [^\n]*ENOSPC[^\n]*\n$/m)
    expect(errors).not.toContain('    at ')
    fs.rmSync(ballast)
    const second = await startProgram(settings)
    expect(await allSwaps(second.url, mint)).toEqual(seen)
    await second.end('SIGKILL')
  },
  DISK_MS,
)

/** Fills a disk up but for so many bytes; path of the file that does it. */
function fill(folder: string, leftBytes: number): string {
  const path = join(folder, 'ballast')
  const { bavail, bsize } = fs.statfsSync(folder)
  const file = fs.openSync(path, 'w')
  fs.writeSync(file, Buffer.alloc(bavail * bsize - leftBytes))
  fs.closeSync(file)
  return path
}

mounting(
  'a snapshot that does not fit is reported, and the service goes on with its journal',
  async () => {
    const DATA_DIR = mountDisk(LARGE)
    const ballast = fill(DATA_DIR, LEFT_BYTES)
    const settings = { FEED: 'stdin', RATE_LIMIT: 'off', SNAPSHOT_EVERY: '200ms', DATA_DIR }
    const program = await startProgram(settings)
    const lines = new EventLines('Snap', new Random(6), 1)
    program.child.stdin?.write(lines.opening())
    expect(await feedLot(program, lines)).toBe(true)
    expect(await program.seen(/"msg":"snapshot failed"/)).toContain('left: make room')
    await until('two attempts', async () =>
      ((await figuresOf(program.url)).snapshot_failures_total ?? 0) >= 2 ? true : null,
    )
    expect(fs.readdirSync(DATA_DIR).filter((name) => name.endsWith('.unfinished'))).toEqual([])
    expect(await feedLot(program, lines)).toBe(true)
    expect(await figuresOf(program.url)).toMatchObject({ httpStatus: 200, reason: null })
    const seen = await Promise.all(lines.mints.map((mint) => allSwaps(program.url, mint)))
    fs.rmSync(ballast)
    await program.seen(/"msg":"snapshot made and verified"/)
    await program.end('SIGKILL')
    const again = await startProgram({ ...settings, FEED: 'none' })
    const found = await Promise.all(lines.mints.map((mint) => allSwaps(again.url, mint)))
    expect(found).toEqual(seen)
    await again.end('SIGTERM')
  },
  DISK_MS,
)

mounting(
  'a recording whose disk is full ends, and does not claim the frames that are not in its file',
  async () => {
    const out = mountDisk('64k')
    const server = await MockSocketServer.listen()
    onTestFinished(() => server.close())
    const settings = { FEED: 'pumpportal', PUMPPORTAL_URL: server.url }
    const recording = launch(settings, ['record', '--out', out])
    await server.until(() => server.received.length > 0)
    const random = new Random(1)
    const noise = () => Array.from({ length: 400 }, () => random.below(1e9).toString(36)).join('')
    const saying = setInterval(() => server.say(noise()), 5)
    const code = await recording.ended
    clearInterval(saying)
    expect(code).toBe(EXIT_DATA)
    const said = recording.lines.join('\n')
    expect(said).toMatch(/^at most \d+ frames recorded, the newest are missing$/m)
    expect(said).toContain('ENOSPC')
  },
  DISK_MS,
)

test('a file that could not be written to its end leaves nothing behind', () => {
  const folder = newFolder()
  const disk = new NodeDisk()
  const path = join(folder, 'snapshot')
  const write = () => {
    throw new Error('ENOSPC')
  }
  expect(() => writeWhole(disk, folder, path, write)).toThrow('ENOSPC')
  expect(fs.readdirSync(folder)).toEqual([])
})

test.skipIf(!fs.existsSync(FULL))(
  'a log on a full disk ends nothing',
  async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const env = { PATH: process.env.PATH ?? '', FEED: 'none', DATA_DIR: 'none', PORT: String(port) }
    const log = fs.openSync(FULL, 'w')
    const child = spawn(process.execPath, [programPath()], {
      env,
      stdio: ['ignore', 'ignore', log],
    })
    fs.closeSync(log)
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    const isServing = async () => {
      const answered = await get(`${url}/healthz`).catch(() => null)
      return answered?.status === 200 ? true : null
    }
    await until('it serves', isServing)
    for (let line = 0; line < LOGGED_LINES; line++) {
      child.kill('SIGHUP')
      await until('it goes on serving', isServing)
    }
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  },
  DISK_MS,
)
