import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { checkContents } from '../../src/commands/folder-checks.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { parseEventLine } from '../../src/events/event-lines.ts'
import { dataPath } from '../../src/store/folder/data-folder.ts'
import { ringPath } from '../../src/store/journal/journal-ring.ts'
import { contentsOf } from '../data-files.ts'
import { eventLineText } from '../feeds/event-line-text.ts'
import { newFolder } from '../new-folder.ts'
import { ask, crowdOfLines, Run, spoilSector } from './folders.ts'

interface Killed {
  readonly folder: string
  readonly run: Run
  readonly events: readonly FeedEvent[]
}

/** A folder as a process leaves it that is killed before anything went from its ring to the segment. */
function killedFolder(): Killed {
  const folder = newFolder()
  const events = crowdOfLines(7, 600)
  const rings: Uint8Array[] = []
  const map = (_fd: number, _path: string, bytes: number) => {
    const memory = { bytes: new Uint8Array(bytes), close() {} }
    rings.push(memory.bytes)
    return memory
  }
  const run = new Run(folder, { fsync: 'group', batch: 10, map }).take(events)
  const left = newFolder()
  fs.cpSync(folder, left, { recursive: true })
  fs.writeFileSync(ringPath(left), rings[0])
  expect(fs.statSync(dataPath(left, 'segment', 1)).size).toBeLessThan(run.journal.segmentSize)
  return { folder: left, run, events }
}

test('inspect, verify and export show what the ring of a killed process has alone, and change nothing', async () => {
  const { folder, run, events } = killedFolder()
  const before = contentsOf(folder)
  const inspected = await ask('inspect', '--data-dir', folder)
  expect(inspected.output).toContain(`seq 0 to ${events.length} `)
  expect(inspected.output).toContain(`${run.journal.segmentSize.toLocaleString('en')} bytes`)
  expect(inspected.code).toBe(0)
  expect((await ask('verify', '--data-dir', folder)).code).toBe(0)
  const exported = await ask('export', '--data-dir', folder)
  const lines = exported.output.split('\n').slice(0, -1)
  const parsed = (line: string) => parseEventLine(line)
  expect(lines.map(parsed)).toEqual(events.map(eventLineText).map(parsed))
  expect(exported.errors).toContain(`${events.length} events exported`)
  expect(checkContents(folder).says).toContain(`seq ${events.length}`)
  expect(contentsOf(folder)).toEqual(before)
})

test('a repair keeps what the ring has alone up to its seq, and no start gets the rest out of it again', async () => {
  const { folder } = killedFolder()
  const before = contentsOf(folder)
  const told = await ask('repair', '--data-dir', folder, '--until', '100000', '--yes')
  expect(told.output).toContain('Nothing reaches beyond')
  expect(contentsOf(folder)).toEqual(before)
  const { code } = await ask('repair', '--data-dir', folder, '--until', '400', '--yes')
  expect(code).toBe(0)
  expect(fs.existsSync(ringPath(folder))).toBe(false)
  const next = new Run(folder)
  expect(next.recovered.place.seq).toBe(400)
  expect(next.digest).toBe(
    new Run(newFolder(), { batch: 10 }).take(crowdOfLines(7, 600).slice(0, 400)).digest,
  )
  next.close()
})

/** A service that runs on a disk which never comes to the end of a write: what it has is in the ring alone. */
function runningOn(folder: string): { run: Run; store(): void } {
  const mapped: { path: string; bytes: Uint8Array<ArrayBuffer> }[] = []
  const map = (_fd: number, path: string) => {
    const bytes = new Uint8Array(fs.readFileSync(path))
    mapped.push({ path: path.replace(/\.new$/, ''), bytes })
    return { bytes, close() {} }
  }
  const writing = vi.spyOn(fs, 'write').mockImplementation(() => {})
  onTestFinished(() => writing.mockRestore())
  return {
    run: new Run(folder, { fsync: 'group', batch: 10, map }),
    store() {
      for (const { path, bytes } of mapped) fs.writeFileSync(path, bytes, { flag: 'r+' })
    },
  }
}

test('of a service that writes on while it is looked at nothing is told to be gone', async () => {
  const folder = newFolder()
  const { run, store } = runningOn(folder)
  const { readFileSync } = fs
  const reading = vi.spyOn(fs, 'readFileSync').mockImplementation((...given) => {
    if (given[0] === join(folder, 'written')) {
      run.take(crowdOfLines(run.journal.seq, 50))
      store()
    }
    return Reflect.apply(readFileSync, fs, given)
  })
  onTestFinished(() => reading.mockRestore())
  const inspected = await ask('inspect', '--json', '--data-dir', folder)
  const { seq } = run.journal
  expect(JSON.parse(inspected.output)).toMatchObject({ verdict: { seq, newEpoch: null } })
  const verified = await ask('verify', '--data-dir', folder)
  expect([verified.code, verified.errors]).toEqual([0, ''])
  expect(checkContents(folder)).toMatchObject({ level: 'good' })
})

test('beside a ring too a segment that cannot be read is told by its name, and a repair gives it up', async () => {
  const { folder } = killedFolder()
  const run = new Run(folder, { batch: 10 })
  const { seq } = run.journal
  run.take(crowdOfLines(8, 100))
  const path = dataPath(folder, 'segment', run.journal.segment)
  fs.writeFileSync(ringPath(folder), new Uint8Array(4_096))
  spoilSector(path, 1_000)
  const inspected = await ask('inspect', '--data-dir', folder)
  expect(inspected.errors).toBe('')
  expect(inspected.output).toContain('byte 0: it cannot be read (EIO)')
  expect((await ask('verify', '--data-dir', folder)).output).toContain(`EIO: read '${path}'`)
  expect((await ask('repair', '--data-dir', folder, '--until', '100000', '--yes')).code).toBe(0)
  vi.restoreAllMocks()
  const next = new Run(folder)
  expect(next.recovered.place.seq).toBe(seq)
  next.close()
})

test('a ring that cannot be read stops a start and is told by the check before it', () => {
  const { folder } = killedFolder()
  fs.rmSync(ringPath(folder))
  fs.mkdirSync(join(folder, 'journal.ring'))
  expect(() => new Run(folder)).toThrow('EISDIR')
  expect(checkContents(folder)).toMatchObject({ level: 'bad' })
})
