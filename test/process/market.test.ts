import fs from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { JOURNAL_VERSION, SEGMENT } from '../../src/store/format/journal-format.ts'
import { filesOf } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { runProgram, startProgram } from './program.ts'

const SIMULATED = { FEED: 'sim', SIM_TOKENS: '20' }
/** A server that is not there: the feed tries on and on. */
const CHAIN = { FEED: 'solana', SOLANA_RPC_URL: 'http://127.0.0.1:9', SOL_PRICE: 'fixed:150' }

/** Of a folder of an older version, or of recordings. */
const UNKNOWN = /has events of which it does not say what market they are of/

test.each([
  {
    held: SIMULATED,
    other: CHAIN,
    says: 'holds a simulated market, and FEED brings the market of',
  },
  {
    held: CHAIN,
    other: SIMULATED,
    says: 'holds the market of the chain, and FEED brings a simulat',
  },
])('a folder takes no events of the other market: it $says', async ({ held, other, says }) => {
  const DATA_DIR = newFolder()
  const first = await startProgram({ ...held, DATA_DIR })
  expect(await first.end('SIGTERM')).toBe(0)
  const before = fs.readdirSync(DATA_DIR)
  const { code, errors } = await runProgram({ ...other, DATA_DIR, PORT: '0' })
  expect(code).toBe(3)
  expect(errors).toContain(says)
  expect(fs.readdirSync(DATA_DIR)).toEqual(before)
  const doctor = await runProgram({ ...other, DATA_DIR, PORT: '0' }, ['doctor'])
  expect(doctor.code).toBe(3)

  for (const FEED of ['none', held.FEED]) {
    const again = await startProgram({ ...held, FEED, DATA_DIR })
    expect(await again.end('SIGTERM')).toBe(0)
  }
  fs.rmSync(join(DATA_DIR, 'market'))
  const both = await startProgram({ ...other, DATA_DIR })
  expect(await both.seen(UNKNOWN)).toContain('"level":40')
  expect(await both.end('SIGTERM')).toBe(0)
  const once = await startProgram({ ...other, DATA_DIR })
  expect(await once.end('SIGTERM')).toBe(0)
  expect([...first.lines, ...once.lines].filter((line) => UNKNOWN.test(line))).toEqual([])
})

test.each([
  { market: SIMULATED, isSaid: true },
  { market: CHAIN, isSaid: false },
])(
  'the page says of a folder that is served without a feed what it holds',
  async ({ market, isSaid }) => {
    const DATA_DIR = newFolder()
    const first = await startProgram({ ...market, DATA_DIR })
    expect(await first.end('SIGTERM')).toBe(0)
    const program = await startProgram({ FEED: 'none', DATA_DIR })
    const page = await (await fetch(program.url)).text()
    expect(page.includes('data-market="simulated"')).toBe(isSaid)
    expect(await program.end('SIGTERM')).toBe(0)
  },
)

test('a start that is refused leaves no word of its market in the folder', async () => {
  const DATA_DIR = newFolder()
  const recorded = await startProgram({ FEED: 'stdin', DATA_DIR })
  expect(await recorded.end('SIGTERM')).toBe(0)
  const [path] = filesOf(DATA_DIR, 'journal-')
  const whole = fs.readFileSync(path)
  fs.writeFileSync(path, ofLaterVersion(whole))
  const refused = await runProgram({ ...SIMULATED, DATA_DIR, PORT: '0' })
  expect([refused.code, refused.errors]).toEqual([3, expect.stringContaining('later version')])
  expect(fs.existsSync(join(DATA_DIR, 'market'))).toBe(false)
  fs.writeFileSync(path, whole)
  const chain = await startProgram({ ...CHAIN, DATA_DIR })
  expect(await chain.end('SIGTERM')).toBe(0)
  expect(fs.readFileSync(join(DATA_DIR, 'market'), 'utf8')).toBe('chain\n')
})

/** A segment as if a later version of the program had written it. */
function ofLaterVersion(segment: Buffer): Buffer {
  const bytes = Buffer.from(segment)
  bytes.writeUInt32LE(JOURNAL_VERSION + 1, SEGMENT.version)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, SEGMENT.crc)), SEGMENT.crc)
  return bytes
}

test('feeds that may bring anything say nothing of a folder', async () => {
  const DATA_DIR = newFolder()
  const program = await startProgram({ FEED: 'stdin', DATA_DIR })
  expect(await program.end('SIGTERM')).toBe(0)
  expect(fs.readdirSync(DATA_DIR)).not.toContain('market')
})
