import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { EventLines } from '../crash/event-lines.ts'
import { figuresOf } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { type Program, type Settings, startProgram, until } from './program.ts'

const DAY_SECONDS = 86_400
/** What a step forward has to last, and some. */
/** A step lasts after 90 s. */
const LASTS_SECONDS = 91
/** Longer than the test may take. */
const SOON_SECONDS = 600

interface SettableClock {
  readonly settings: Settings
  /** Sets the wall clock. */
  set(aheadSeconds: number): void
  /** Time goes by in a moment: the wall clock and the monotonic one are ahead. */
  pass(seconds: number): void
}

/** The clocks of the machine for one program, to be set while it runs. */
function settableClock(): SettableClock {
  const folder = newFolder()
  const module = join(folder, 'clock.mjs')
  const [setFile, passedFile] = ['set', 'passed'].map((name) => join(folder, name))
  const set = (aheadSeconds: number) => fs.writeFileSync(setFile, String(aheadSeconds))
  const pass = (seconds: number) => fs.writeFileSync(passedFile, String(seconds))
  set(0)
  pass(0)
  fs.writeFileSync(
    module,
    `import fs from 'node:fs'
     const msIn = (file) => Number(fs.readFileSync(file, 'latin1')) * 1000
     const passedMs = () => msIn(${JSON.stringify(passedFile)})
     const wallMs = Date.now
     const steadyMs = performance.now.bind(performance)
     Date.now = () => wallMs() + msIn(${JSON.stringify(setFile)}) + passedMs()
     performance.now = () => steadyMs() + passedMs()`,
  )
  return { settings: { NODE_OPTIONS: `--import=${module}` }, set, pass }
}

/** Starts a program that reads lines, and gives it some. */
async function startFed(settings: Settings): Promise<Program> {
  const program = await startProgram({ ...settings, FEED: 'stdin' })
  program.child.stdin?.write(new EventLines('Set', new Random(1), 1_000).opening())
  await until('events are taken', async () =>
    (await figuresOf(program.url)).tokens > 0 ? true : null,
  )
  return program
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
  clock.pass(DAY_SECONDS)
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

test('a clock that is a month ahead for some seconds is told in the log, and no window loses what it holds', async () => {
  const clock = settableClock()
  const program = await startFed(clock.settings)
  const { now_seconds: beforeSeconds } = await figuresOf(program.url)
  clock.set(30 * DAY_SECONDS)
  await program.seen(/"level":40.*"msg":"The clock of this machine went 25920\d\d s ahead at once/)
  const held = await figuresOf(program.url)
  expect([held.httpStatus, held.reason]).toEqual([503, expect.stringContaining('set the clock')])
  expect(held.now_seconds).toBeLessThan(beforeSeconds + SOON_SECONDS)
  clock.set(0)
  await program.seen(
    /"msg":"the clock of this machine was set back: nothing of its step was taken"/,
  )
  const after = await figuresOf(program.url)
  expect(after.httpStatus).toBe(200)
  expect(after.now_seconds).toBeLessThan(beforeSeconds + SOON_SECONDS)
  await program.end('SIGTERM')
})

test('a step that has lasted is taken; a market ahead of the machine is told at the step back and at each start', async () => {
  const clock = settableClock()
  const settings = { ...clock.settings, DATA_DIR: newFolder() }
  const first = await startFed(settings)
  clock.set(DAY_SECONDS)
  await first.seen(/"msg":"The clock of this machine went \d+ s ahead at once/)
  clock.pass(LASTS_SECONDS)
  await first.seen(/"msg":"the step of this machine's clock has lasted: the market takes it"/)
  // The time of a wall clock is kept with the events that came by it.
  first.child.stdin?.write(new EventLines('Then', new Random(2), 2_000).opening())
  await until('more events are taken', async () =>
    (await figuresOf(first.url)).tokens > 1 ? true : null,
  )
  clock.set(0)
  clock.pass(0)
  const ahead = /"level":40.*"msg":"The market's clock is \d+ s ahead of this machine's/
  await first.seen(ahead)
  await first.end('SIGTERM')
  for (let starts = 0; starts < 2; starts++) {
    const later = await startProgram({ ...settings, FEED: 'none' })
    expect(later.lines.filter((line) => ahead.test(line))).toHaveLength(1)
    await later.end('SIGTERM')
  }
})
