import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { EventLines } from '../crash/event-lines.ts'
import { figuresOf } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { type Settings, startProgram, until } from './program.ts'

const DAY_SECONDS = 86_400
/** Longer than the test may take. */
const SOON_SECONDS = 600

/** The clock of the machine for one program, to be set while it runs. */
function settableClock(): { settings: Settings; set(aheadSeconds: number): void } {
  const folder = newFolder()
  const file = join(folder, 'ahead')
  const module = join(folder, 'clock.mjs')
  const set = (aheadSeconds: number) => fs.writeFileSync(file, String(aheadSeconds))
  set(0)
  fs.writeFileSync(
    module,
    `import fs from 'node:fs'
     const now = Date.now
     Date.now = () => now() + Number(fs.readFileSync(${JSON.stringify(file)}, 'latin1')) * 1000`,
  )
  return { settings: { NODE_OPTIONS: `--import=${module}` }, set }
}

test('the clock of the market is that of the machine at the ready line, and goes on where nobody asks', async () => {
  const clock = settableClock()
  const settings = { ...clock.settings, DATA_DIR: newFolder() }
  const first = await startProgram({ ...settings, FEED: 'stdin' })
  first.child.stdin?.write(new EventLines('Set', new Random(1), 1_000).opening())
  const { now_seconds: stoppedAt } = await until('events are taken', async () => {
    const figures = await figuresOf(first.url)
    return figures.tokens > 0 ? figures : null
  })
  await first.end('SIGTERM')
  clock.set(DAY_SECONDS)
  const second = await startProgram({ ...settings, FEED: 'none' })
  const { now_seconds: readyAt } = await figuresOf(second.url)
  expect(readyAt).toBeGreaterThanOrEqual(stoppedAt + DAY_SECONDS)
  clock.set(2 * DAY_SECONDS)
  await until('the clock has gone on', async () =>
    (await figuresOf(second.url)).now_seconds >= readyAt + DAY_SECONDS ? true : null,
  )
  await second.end('SIGTERM')
})

test('a snapshot gets no other age when the clock of the machine is set', async () => {
  const clock = settableClock()
  const settings = { FEED: 'stdin', SNAPSHOT_EVERY: '100ms', DATA_DIR: newFolder() }
  const program = await startProgram({ ...clock.settings, ...settings })
  program.child.stdin?.write(new EventLines('Set', new Random(1), 1_000).opening())
  await until('a snapshot of all', async () => {
    const { journal_seq, snapshot_seq } = await figuresOf(program.url)
    return journal_seq !== 0 && journal_seq === snapshot_seq ? true : null
  })
  for (const aheadSeconds of [DAY_SECONDS, -DAY_SECONDS]) {
    clock.set(aheadSeconds)
    const { snapshot_age_seconds: ageSeconds } = await figuresOf(program.url)
    expect(ageSeconds).toBeGreaterThanOrEqual(0)
    expect(ageSeconds).toBeLessThan(SOON_SECONDS)
  }
  await program.end('SIGKILL')
})

test('a service whose market lies ahead of the machine says that windows stand still, until the clock is set', async () => {
  const clock = settableClock()
  clock.set(DAY_SECONDS)
  const program = await startProgram({ ...clock.settings, FEED: 'stdin' })
  program.child.stdin?.write(new EventLines('Set', new Random(1), 1_000).opening())
  const { httpStatus: before } = await until('events are taken', async () => {
    const figures = await figuresOf(program.url)
    return figures.tokens > 0 ? figures : null
  })
  expect(before).toBe(200)
  clock.set(0)
  const { httpStatus, reason } = await figuresOf(program.url)
  expect([httpStatus, reason]).toEqual([503, expect.stringContaining("ahead of this machine's")])
  clock.set(DAY_SECONDS)
  expect((await figuresOf(program.url)).httpStatus).toBe(200)
  await program.end('SIGTERM')
})
