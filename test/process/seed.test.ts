import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { TAPE_CHUNK_RECORDS } from '../../src/engine/state/tape.ts'
import { EventLines } from '../crash/event-lines.ts'
import { allSwaps, figuresOf, get } from '../crash/http.ts'
import { type Asked, differences, sevenAnswers } from '../crash/seven-answers.ts'
import { newFolder } from '../new-folder.ts'
import { type Fault, FaultyWay, stopAfter } from '../seed/faulty-way.ts'
import { partOf } from './data-folders.ts'
import { launch, type Program, runProgram, type Settings, startProgram, until } from './program.ts'

const SEED_MS = 240_000
/** More than one chunk of the tape. */
const SWAPS = TAPE_CHUNK_RECORDS + 5_000
const SWAPS_PER_LOT = 1_000
const TOKEN = 'a-token-of-sixteen'
const STOPPED_AT = 1_000_000
const EVENT_CLOCK = { CLOCK: 'event', RATE_LIMIT: 'off', TAPE_MEMORY: '1mb' }
const isRoot = process.getuid?.() === 0 && process.platform === 'linux'

/** A program that gives, after a replay of a chunk of swaps or so; what its market can be asked for. */
async function giving(): Promise<{ program: Program; port: number; folder: string; asked: Asked }> {
  const folder = newFolder()
  const file = join(newFolder(), 'events.jsonl')
  const lines = new EventLines('Seed', new Random(3), 1)
  const texts = [lines.opening()]
  for (let i = 0; i < SWAPS; i += SWAPS_PER_LOT) texts.push(lines.more(SWAPS_PER_LOT))
  fs.writeFileSync(file, texts.join(''))
  const replay = { FEED: `replay:${file}`, SPEED: 'max', ...EVENT_CLOCK, SNAPSHOT_EVERY: '1h' }
  const program = await startProgram({
    ...{ ...replay, DATA_DIR: folder, ADMIN_PORT: '0', ADMIN_TOKEN: TOKEN },
  })
  onTestFinished(() => void program.end('SIGKILL'))
  const port = Number(partOf(await program.seen(/"msg":"admin surface"/), 'port'))
  await until('the replay is through', async () => {
    const { swaps, httpStatus } = await figuresOf(program.url)
    return httpStatus === 200 && swaps >= SWAPS ? true : null
  })
  const asked = { mints: lines.mints.slice(0, 3), wallets: lines.wallets.slice(0, 3) }
  return { program, port, folder, asked }
}

const taking = (DATA_DIR: string, SEED_URL: string, settings: Settings = {}) => ({
  ...{ FEED: 'none', ...EVENT_CLOCK, DATA_DIR, SEED_URL, SEED_TOKEN: TOKEN, ...settings },
})

/** What a program answers, without its epoch. */
async function answersOf(url: string, asked: Asked): Promise<Map<string, string>> {
  const detail = await get(
    `${url}/api/v2/search/tokens/detailed?query=${asked.mints[0]}&extra=true`,
  )
  const nowSeconds = Number(/"timestamp":(\d{10})/.exec(detail.text)?.[1] ?? 1_800_000_000)
  const epoch = detail.position?.epoch ?? ''
  const answers = await sevenAnswers(url, asked, nowSeconds)
  return new Map([...answers].map(([key, answer]) => [key, answer.replaceAll(epoch, '')]))
}

const epochOf = async (program: Program) => partOf(await program.seen(/"msg":"recovered"/), 'epoch')

test(
  'an empty folder that was filled from a running instance answers as that does, with an epoch of its own',
  async () => {
    const { program, port, asked } = await giving()
    const DATA_DIR = newFolder()
    const settings = taking(DATA_DIR, `http://127.0.0.1:${port}`)
    const seeded = await startProgram(settings)
    onTestFinished(() => void seeded.end('SIGKILL'))
    await seeded.seen(/"msg":"seeded from the instance of SEED_URL"/)
    expect(seeded.lines.filter((line) => line.includes('"level":40'))).toEqual([])
    const expected = await answersOf(program.url, asked)
    expect(expected.size).toBeGreaterThan(20)
    expect(differences(expected, await answersOf(seeded.url, asked))).toEqual([])
    const [mint = ''] = asked.mints
    expect(await allSwaps(seeded.url, mint)).toEqual(await allSwaps(program.url, mint))
    expect((await figuresOf(seeded.url)).tape_cache_misses_total).toBeGreaterThan(0)
    const [given, taken] = [await epochOf(program), await epochOf(seeded)]
    expect(taken).not.toBe(given)
    await seeded.end('SIGKILL')

    // With a market of its own it asks nobody, and keeps its epoch.
    const again = await startProgram(settings)
    onTestFinished(() => void again.end('SIGKILL'))
    await again.seen(/SEED_URL is not asked: DATA_DIR holds a market already/)
    expect(await epochOf(again)).toBe(taken)
    expect(differences(expected, await answersOf(again.url, asked))).toEqual([])
    expect(await again.end('SIGTERM')).toBe(0)
    const { code } = await runProgram({}, ['verify', '--data-dir', DATA_DIR])
    expect(code).toBe(0)
  },
  SEED_MS,
)

test(
  'a start that is killed while it is filled goes on from where it was, and tells meanwhile how it stands',
  async () => {
    const { program, port, asked, folder } = await giving()
    const way = new FaultyWay(port)
    const url = await way.listen()
    way.fault = (path) => (path.startsWith('/seed/snapshot') ? stopAfter(STOPPED_AT) : undefined)
    const DATA_DIR = newFolder()
    const settings = { PORT: '0', ...taking(DATA_DIR, url), ADMIN_PORT: '0' }
    const part = () => {
      const name = fs.readdirSync(DATA_DIR).find((one) => /^snapshot.*\.unfinished$/.test(one))
      return name === undefined ? 0 : fs.statSync(join(DATA_DIR, name)).size
    }
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const killed = launch(settings)
      const admin = partOf(await killed.seen(/"msg":"admin surface"/), 'port')
      await until('a part has come', async () =>
        part() >= (signal === 'SIGKILL' ? 1 : 2) * STOPPED_AT ? true : null,
      )
      const ready = await get(`http://127.0.0.1:${admin}/readyz`)
      expect(ready.status).toBe(503)
      expect(ready.text).toMatch(/is being fetched: [\d,]+ of [\d,]+ bytes\./)
      const seed = await get(`http://127.0.0.1:${admin}/seed`)
      expect([seed.status, seed.text]).toEqual([503, expect.stringContaining('is starting')])
      expect(await killed.end(signal)).toBe(signal === 'SIGKILL' ? null : 0)
    }
    expect(part()).toBe(2 * STOPPED_AT)
    way.fault = () => undefined
    const seeded = await startProgram(settings)
    onTestFinished(() => void seeded.end('SIGKILL'))
    const names = fs.readdirSync(folder).filter((name) => /\.mf[stp]$/.test(name))
    const bytes = names.reduce((sum, name) => sum + fs.statSync(join(folder, name)).size, 0)
    expect(names.length).toBeGreaterThan(1)
    expect(way.fileBytes).toBe(bytes)
    const expected = await answersOf(program.url, asked)
    expect(differences(expected, await answersOf(seeded.url, asked))).toEqual([])
    expect(await seeded.end('SIGTERM')).toBe(0)
  },
  SEED_MS,
)

test('what a person has to mend ends the start with code 3 and one sentence', async () => {
  const folder = newFolder()
  const sim = { FEED: 'sim', SIM_TOKENS: '20', DATA_DIR: folder, ADMIN_TOKEN: TOKEN }
  const program = await startProgram({ ...sim, ADMIN_PORT: '0' })
  onTestFinished(() => void program.end('SIGKILL'))
  const port = partOf(await program.seen(/"msg":"admin surface"/), 'port')
  const url = `http://127.0.0.1:${port}`
  const refusalOf = async (settings: Settings, DATA_DIR = newFolder()) => {
    const { code, errors } = await runProgram({ PORT: '0', ...taking(DATA_DIR, url, settings) })
    expect(fs.readdirSync(DATA_DIR).filter((name) => /\.mf[js]$/.test(name))).toEqual([])
    return `${code} ${/^mintfeed: (.*)$/m.exec(errors)?.[1]}`
  }
  expect(await refusalOf({ SEED_TOKEN: 'another-token-of-length' })).toMatch(
    /^3 The instance of SEED_URL does not take the token/,
  )
  const chain = { FEED: 'solana', SOLANA_RPC_URL: 'http://127.0.0.1:9', SOL_PRICE: 'fixed:150' }
  expect(await refusalOf(chain)).toMatch(/^3 SEED_URL holds a simulated market, and FEED brings/)
  expect(await refusalOf({ SEED_URL: program.url })).toMatch(/^3 .*SEED_URL must be its ADMIN_PORT/)
  if (!isRoot) return
  const disk = newFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk])
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  expect(await refusalOf({}, disk)).toMatch(/^3 The market of SEED_URL takes \d+ bytes more/)
  // There was room when it began.
  const way = new FaultyWay(Number(port))
  const smaller = await way.listen()
  way.fault = (path) => (path.startsWith('/seed/') ? fillsUp(disk) : undefined)
  execFileSync('mount', ['-o', 'remount,size=16m', disk])
  expect(await refusalOf({ SEED_URL: smaller }, disk)).toMatch(
    /^3 DATA_DIR .* cannot be used \(ENOSPC: .*\): mend that/,
  )
})

/** Leaves no room on a disk before a file comes. */
function fillsUp(disk: string): Fault {
  return (answer, response) => {
    const filler = fs.openSync(join(disk, 'filler'), 'w')
    expect(() => {
      for (;;) fs.writeSync(filler, Buffer.alloc(4_096, 'x'))
    }).toThrow('ENOSPC')
    fs.closeSync(filler)
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  }
}
