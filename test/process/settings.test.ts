import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { eventLineText } from '../../src/events/event.ts'
import { figuresOf, get } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { swap } from '../oracle/fixtures.ts'
import { type Program, type Settings, startProgram, until } from './program.ts'

/** Much longer than a sync in the background takes. */
const SYNCED_MS = 500
const SLEEPS = 60
/** More than an event may be late. */
const SLOTS_BETWEEN = 100

/** A program that is fed by its test, and gone with it. */
async function started(settings: Settings): Promise<Program> {
  const program = await startProgram({ FEED: 'stdin', CLOCK: 'event', ...settings })
  onTestFinished(() => void program.end('SIGKILL'))
  return program
}

/** Feeds the first swap of each mint, far behind the one before, after so many events. */
async function feed({ child, url }: Program, mints: readonly string[], before = 0): Promise<void> {
  const events = mints.map((mint, i) =>
    swap({ mint, signature: `of ${mint}`, slot: 1_000 + (before + i) * SLOTS_BETWEEN }),
  )
  child.stdin?.write(events.map((event) => `${eventLineText(event)}\n`).join(''))
  await until('all events', async () =>
    (await figuresOf(url)).feed_events_total === before + mints.length ? true : null,
  )
}

test('with MAX_TOKENS held the service says so once a further token comes, and serves those that it has', async () => {
  const program = await started({ MAX_TOKENS: '2' })
  await feed(program, ['a', 'b'])
  expect((await get(`${program.url}/readyz`)).status).toBe(200)
  await feed(program, ['c'], 2)
  expect(await figuresOf(program.url)).toMatchObject({
    httpStatus: 503,
    reason: expect.stringContaining('MAX_TOKENS=2 are held'),
    tokens: 2,
  })
  expect(
    (
      await get(
        `${program.url}/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/swaps`,
      )
    ).status,
  ).toBe(200)
})

test('with FSYNC=off nothing is made to last by itself, without it all that was taken is', async () => {
  const folders = { DATA_DIR: newFolder(), SNAPSHOT_EVERY: '1h' }
  const off = await started({ ...folders, FSYNC: 'off' })
  await feed(off, ['a', 'b'])
  await pause(SYNCED_MS)
  expect(await figuresOf(off.url)).toMatchObject({
    ...{ journal_seq: 2, journal_synced_seq: 0, journal_sync_longest_ms: 0 },
  })
  expect(await off.end('SIGTERM')).toBe(0)
  const usual = await started(folders)
  await feed(usual, ['c'])
  const synced = await until('a sync', async () => {
    const figures = await figuresOf(usual.url)
    return figures.journal_synced_seq === 3 ? figures : null
  })
  expect(synced.journal_sync_longest_ms).toBeGreaterThan(0)
})

test('past POSITIONS_MEMORY those of quiet tokens rest, however much TAPE_MEMORY there is', async () => {
  const program = await started({ DATA_DIR: newFolder(), POSITIONS_MEMORY: '1kb' })
  await feed(
    program,
    Array.from({ length: 40 }, (_, mint) => `mint ${mint}`),
  )
  // Each batch chooses who rests before it.
  for (let batch = 0; batch < 4; batch++) await feed(program, [`last ${batch}`], 40 + batch)
  expect((await figuresOf(program.url)).dormant_positions).toBeGreaterThan(0)
})

test.skipIf(process.platform !== 'linux')(
  'with SPIN=on the loop does not go to sleep while another one does over and over',
  async () => {
    const awake = await started({ SPIN: 'on' })
    const usual = await started({ SPIN: 'off' })
    const [awakeBefore, usualBefore] = [awake, usual].map(sleepsOf)
    await until('the usual one has slept', async () =>
      sleepsOf(usual) >= usualBefore + SLEEPS ? true : null,
    )
    expect(sleepsOf(awake) - awakeBefore).toBeLessThan(SLEEPS / 2)
  },
)

/** How often the thread of the loop has given its core away by itself. */
function sleepsOf({ child: { pid } }: Program): number {
  const status = readFileSync(`/proc/${pid}/task/${pid}/status`, 'latin1')
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1])
}

test('the rate limit counts by the address that a proxy named by TRUST_PROXY tells', async () => {
  const { url } = await started({ TRUST_PROXY: '127.0.0.1', RATE_LIMIT: '1/60s' })
  const statusFor = async (address: string) => {
    const headers = { 'X-Forwarded-For': address }
    return (
      await get(`${url}/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/swaps`, {
        headers,
      })
    ).status
  }
  expect(await statusFor('192.0.2.1')).not.toBe(429)
  expect(await statusFor('192.0.2.2')).not.toBe(429)
  expect(await statusFor('192.0.2.1')).toBe(429)
})

test('pages of the one origin that CORS_ORIGIN names may read the answers', async () => {
  const { url } = await started({ CORS_ORIGIN: 'https://example.com' })
  const headers = { Origin: 'https://example.com' }
  const answer = await fetch(
    `${url}/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/swaps`,
    { headers },
  )
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://example.com')
})
