import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventLineText, type FeedEvent } from '../../src/events/event.ts'
import { get } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { partOf } from './data-folders.ts'
import { type Program, type Settings, startProgram, until } from './program.ts'

const SOON = 3_600

async function started(settings: Settings): Promise<Program> {
  const program = await startProgram(settings)
  onTestFinished(() => void program.end('SIGKILL'))
  return program
}

function write({ child }: Program, ...events: readonly FeedEvent[]): void {
  child.stdin?.write(linesOf(events))
}

function linesOf(events: readonly FeedEvent[]): string {
  return events.map((event) => `${eventLineText(event)}\n`).join('')
}

function fileOf(text: string): string {
  const path = join(newFolder(), 'recording.ndjson')
  writeFileSync(path, text)
  return path
}

const warnings = ({ lines }: Program) => lines.filter((line) => line.includes('"level":40'))

test('events ahead of the clock are a warning while the feed goes on, and the others of the minute one at its end', async () => {
  const program = await started({ FEED: 'stdin' })
  const timestamp = Math.floor(Date.now() / 1000) + SOON
  write(program, swap({ timestamp }), created({ timestamp, tokenProgram: 'program' }))
  const told = await program.seen(/"figure":"ahead_refused_total"/)
  expect(told).toContain(
    'Set the clock (NTP); where the events were recorded or made up, start with CLOCK=event.',
  )
  expect(partOf(told, 'level')).toBe(40)
  write(program, ...Array.from({ length: 5 }, () => swap({ timestamp })))
  await until('all are counted', async () =>
    partOf((await get(`${program.url}/readyz`)).text, 'ahead_refused_total') === 7 ? true : null,
  )
  expect(warnings(program)).toHaveLength(1)
  await program.end('SIGTERM')
  expect(
    warnings(program)
      .map((line) => partOf(line, 'count'))
      .reduce((a, b) => Number(a) + Number(b)),
  ).toBe(7)
})

test.each([
  ['not a line\n{"type":"swop"}\n[]\n', '3 lines came and none can be read. docs/feeds.md says'],
  ['', 'it is empty, or all of its lines carry nothing.'],
])('a recording of which nothing came, %j, ends with a warning that says so', async (text, why) => {
  const program = await started({ FEED: `replay:${fileOf(text)}`, SPEED: 'max' })
  const told = await program.seen(/This feed has ended without an event/)
  expect(told).toContain(why)
  expect(partOf(told, 'level')).toBe(40)
})

test('a recording without slots of other tokens than the folder holds is a warning, one that goes on is not', async () => {
  const DATA_DIR = newFolder()
  const bought = (mint: string, second: number) =>
    Array.from({ length: 4 }, (_, i) =>
      swap({
        ...{ mint, slot: null, timestamp: START_SECOND + second + i, solPriceUsd: 100 },
        signature: `${mint} ${second} ${i}`,
      }),
    )
  const ofRun = async (events: readonly FeedEvent[]) => {
    const FEED = `replay:${fileOf(linesOf(events))}`
    const program = await started({ DATA_DIR, FEED, SPEED: 'max' })
    await program.seen(/"msg":"feed ended"/)
    await program.end('SIGTERM')
    return warnings(program)
  }
  expect(await ofRun(bought('one', 0))).toEqual([])
  expect(await ofRun(bought('one', 10))).toEqual([])
  expect(await ofRun(bought('two', 20))).toEqual([
    expect.stringContaining('The swaps of this feed have no slots, and nearly all of them'),
  ])
})

test('without a price of SOL the log and /readyz say that USD reads 0, until there is one', async () => {
  const program = await started({ FEED: 'stdin', CLOCK: 'event' })
  const notice = async () => Object(JSON.parse((await get(`${program.url}/readyz`)).text)).notice
  expect(await notice()).toBeNull()
  write(program, swap())
  const told = await program.seen(/No price of SOL is known/)
  expect(partOf(told, 'level')).toBe(40)
  expect(told).toContain('Set SOL_PRICE')
  expect(await notice()).toBe(partOf(told, 'msg'))
  expect((await get(`${program.url}/readyz`)).status).toBe(200)
  write(program, { type: 'sol_price', timestamp: START_SECOND + 5, usd: 150 })
  await program.seen(/A price of SOL is known now/)
  expect(await notice()).toBeNull()
})
