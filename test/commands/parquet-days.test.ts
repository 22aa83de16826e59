import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import { treeOf } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { exported, exportInto, parquetsOf } from '../parquet/exported.ts'
import { systemError } from '../store/disks/crash-disk.ts'
import { ROOT } from '../tidy/source-files.ts'
import { Run } from './folders.ts'

const PROGRAM = join(ROOT, 'bin/mintfeed.js')
const DAY_SECONDS = 86_400
/** They take half a second to write, in which a process can be killed. */
const SWAPS_A_DAY = 12_000

test('a day that is whole stays, one that more came to is written anew, and all are with --again', async () => {
  const folder = newFolder()
  const out = join(newFolder(), 'out')
  const at = (day: number, slot: number) =>
    swap({ slot, txIndex: 0, timestamp: START_SECOND + day * DAY_SECONDS + 10 })
  const run = new Run(folder, { fsync: 'off' })
  run.take([created({ tokenProgram: 'program' }), at(0, 200), at(1, 300), at(2, 400)]).close()
  const summary = async (...flags: string[]) => {
    const { code, errors } = await exportInto(out, folder, 'swaps', ...flags)
    expect(code).toBe(0)
    return errors.split(':')[0]
  }
  const timesOf = () => parquetsOf(out).map((name) => fs.statSync(join(out, name)).mtimeMs)
  expect(await summary()).toBe('3 days written, 3 rows')
  const times = timesOf()
  expect(await summary()).toBe('0 days written, 0 rows, 3 days there already')
  expect(timesOf()).toEqual(times)
  // The last day goes on, and another one begins.
  new Run(folder, { fsync: 'off' }).take([at(2, 500), at(3, 600)]).close()
  expect(await summary()).toBe('2 days written, 3 rows, 2 days there already')
  const [first, second, third] = timesOf()
  expect([first, second]).toEqual(times.slice(0, 2))
  expect(third).not.toBe(times[2])
  expect(await summary('--again')).toBe('4 days written, 5 rows')
  expect(timesOf()[0]).not.toBe(times[0])
  // A file that somebody removed is written anew, whatever the ledger says.
  const [name = ''] = parquetsOf(out)
  fs.rmSync(join(out, name))
  expect(await summary()).toBe('1 day written, 1 row, 3 days there already')
})

/** A folder with two days that each take a while to write. */
function longFolder(): string {
  const folder = newFolder()
  const swaps = Array.from({ length: 2 * SWAPS_A_DAY }, (_, i) =>
    swap({
      ...{ slot: 200 + i, txIndex: 0, signer: `wallet ${i % 997}` },
      timestamp: START_SECOND + Math.floor((i * DAY_SECONDS) / SWAPS_A_DAY),
    }),
  )
  const run = new Run(folder, { fsync: 'off', batch: 1_000 })
  run
    .take([created({ tokenProgram: 'program' }), ...swaps])
    .snapshot()
    .close()
  return folder
}

test('a run that is killed at a day goes on there, to the files of one run', async () => {
  const folder = longFolder()
  const one = await exported(folder, 'swaps')
  const out = join(newFolder(), 'out')
  const flags = ['--format', 'parquet', '--what', 'swaps', '--out', out, '--data-dir', folder]
  const days = [0, 1].map((day) => new Date((START_SECOND + day * DAY_SECONDS) * 1_000))
  const left: string[] = []
  // At the first day, then at the second.
  for (const day of days) {
    const child = spawn(process.execPath, [PROGRAM, 'export', ...flags], { stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)))
    const place = join(out, 'what=swaps', `day=${day.toISOString().slice(0, 10)}`)
    const isBegun = () =>
      fs.existsSync(place) && fs.readdirSync(place).some((name) => name.endsWith('.unfinished'))
    while (!isBegun() && child.exitCode === null) await pause(1)
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    left.push(
      ...Object.keys(treeOf(out)).map((name) => name.replace(/\.\d+\.unfinished$/, '.begun')),
    )
  }
  const [first, second] = days.map((day) => `what=swaps/day=${day.toISOString().slice(0, 10)}`)
  expect(left).toEqual([
    `${first}/part-0.parquet.begun`,
    ...['what=swaps/_mintfeed.json', `${first}/part-0.parquet`, `${second}/part-0.parquet.begun`],
  ])
  const { code, errors } = await exportInto(out, folder, 'swaps')
  expect(code).toBe(0)
  expect(errors).toMatch(/^1 day written, 12,000 rows, 1 day there already/)
  expect(treeOf(out)).toEqual(treeOf(one))
})

test('days of another market are refused, those of another past written anew, a new epoch is neither', async () => {
  const at = (day: number, slot: number) =>
    swap({ slot, txIndex: 0, timestamp: START_SECOND + day * DAY_SECONDS + 10 })
  const filled = (...events: FeedEvent[]) => {
    const folder = newFolder()
    new Run(folder, { fsync: 'off' })
      .take([created({ tokenProgram: 'program' }), ...events])
      .close()
    return folder
  }
  const [first, second, third] = [at(0, 200), at(1, 300), at(2, 400)]
  const out = await exported(filled(first, second, third), 'swaps')
  const before = treeOf(out)
  // Each folder has an epoch of its own.
  const again = await exportInto(out, filled(first, second, third), 'swaps')
  expect(again.errors).toMatch(/^0 days written, 0 rows, 3 days there already/)
  // As many swaps of a day, but others; then one more.
  const other = await exportInto(out, filled(first, at(1, 300), third), 'swaps')
  expect(other.errors).toMatch(/^1 day written, 1 row, 2 days there already/)
  const more = await exportInto(out, filled(first, second, at(1, 310), third), 'swaps')
  expect(more.errors).toMatch(/^2 days written, 3 rows, 1 day there already/)
  const { code, errors } = await exportInto(out, filled(at(5, 200)), 'swaps', '--again')
  expect(code).toBe(3)
  expect(errors).toMatch(/^mintfeed: [^\n]+ holds 2023-11-14, a day that [^\n]+\n$/)
  expect(Object.keys(treeOf(out))).toEqual(Object.keys(before))
  // Nor without the ledger, which a killed run may not have written; but where the days are gone.
  fs.rmSync(join(out, 'what=swaps/_mintfeed.json'))
  expect(await exportInto(out, filled(at(5, 200)), 'swaps')).toMatchObject({ code: 3 })
  for (const name of parquetsOf(out)) fs.rmSync(join(out, name))
  expect(await exportInto(out, filled(at(5, 200)), 'swaps')).toMatchObject({ code: 0 })
})

test('a file that took the place of another counts as nothing until the ledger says what it is made of', async () => {
  const folder = newFolder()
  new Run(folder, { fsync: 'off' }).take([created({ tokenProgram: 'program' }), swap()]).close()
  const out = await exported(folder, 'tokens')
  const whole = treeOf(out)
  const rename = fs.renameSync
  const renaming = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    rename(from, to)
    if (String(to).endsWith('.parquet')) throw systemError('ENOSPC', 'rename')
  })
  onTestFinished(() => renaming.mockRestore())
  const none = ['--from', '2027-01-01']
  expect(await exportInto(out, folder, 'tokens', ...none)).toMatchObject({ code: 3 })
  renaming.mockRestore()
  const again = await exportInto(out, folder, 'tokens')
  expect(again.errors).toMatch(/^1 day written, 1 row:/)
  expect(treeOf(out)).toEqual(whole)
})
