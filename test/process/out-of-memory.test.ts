import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programPath } from '../../bin/program-path.js'
import { figuresOf } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { fillWithJournal } from './data-folders.ts'
import { startProgram, until } from './program.ts'

const TEST_MS = 120_000
const SNAPSHOTS = 5
/** The kernel ends who has it before any other. */
const HIGHEST_SCORE = 1000

const onLinux = test.skipIf(process.platform !== 'linux')

/** The kernel's score of a process; null when there is none such. */
function scoreOf(pid: number | undefined): number | null {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))
  } catch {
    return null
  }
}

/** Pid of the compactor that works on a folder. */
function compactorOf(folder: string): number | undefined {
  try {
    return Number(/\d+/.exec(fs.readFileSync(join(folder, 'compactor'), 'utf8'))?.[0])
  } catch {
    return undefined
  }
}

onLinux(
  'where memory runs out the kernel ends the compactor, and not the service',
  async () => {
    const folder = newFolder()
    const settings = { FEED: 'sim', SIM_TOKENS: '50', SNAPSHOT_EVERY: '100ms', DATA_DIR: folder }
    const program = await startProgram(settings)
    onTestFinished(() => void program.end('SIGKILL'))
    const own = scoreOf(process.pid)
    let isFirst = false
    const made = new Set<number>()
    await until('a compactor that goes first, or none of some', async () => {
      isFirst ||= scoreOf(compactorOf(folder)) === HIGHEST_SCORE
      made.add((await figuresOf(program.url)).snapshot_seq ?? 0)
      return isFirst || made.size > SNAPSHOTS ? true : null
    })
    expect(isFirst).toBe(true)
    expect(scoreOf(program.child.pid)).toBe(own)
  },
  TEST_MS,
)

onLinux(
  'a command that reads the folder goes before the service too',
  async () => {
    const folder = newFolder()
    await fillWithJournal(folder, 50)
    // Nobody reads what it writes: it stays until it is ended.
    const command = spawn(process.execPath, [programPath(), 'export', '--data-dir', folder])
    onTestFinished(() => void command.kill('SIGKILL'))
    await until('it goes first', async () => (scoreOf(command.pid) === HIGHEST_SCORE ? true : null))
  },
  TEST_MS,
)

test('a compactor that is ended does not end the unit', () => {
  const unit = fs.readFileSync(join(ROOT, 'packaging/mintfeed.service'), 'utf8')
  expect(unit).toMatch(/^OOMPolicy=continue$/m)
})
