import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { contentsOf, filesOf } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { launch, until } from './program.ts'

const TEST_MS = 120_000
const REPLACED = "the program's files were replaced"

/** A program of its own, whose files may be replaced. */
function copyOfProgram(): string {
  const folder = newFolder()
  fs.cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true })
  fs.copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  fs.symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function replace(path: string, find: RegExp, by: string): () => void {
  const text = fs.readFileSync(path, 'utf8')
  expect(text).toMatch(find)
  fs.writeFileSync(path, text.replace(find, by))
  return () => fs.writeFileSync(path, text)
}

test(
  'a service whose files were replaced makes no snapshots with them, of another version or another format',
  async () => {
    const copy = copyOfProgram()
    const DATA_DIR = newFolder()
    const simulator = { SIM_TOKENS: '5', SIM_RATE: '20', SPEED: '1' }
    const settings = { DATA_DIR, PORT: '0', SNAPSHOT_EVERY: '1s', DASHBOARD: 'off', ...simulator }
    const program = launch(settings, [], copy, join(copy, 'src/main.ts'))
    await program.seen(/"msg":"snapshot made and verified"/)
    const others = [
      () => replace(join(copy, 'package.json'), /"version": "[^"]+"/, '"version": "99.0.0"'),
      () =>
        replace(
          join(copy, 'src/store/snapshot/snapshot-file.ts'),
          /SNAPSHOT_VERSION = \d+/,
          'SNAPSHOT_VERSION = 99',
        ),
    ]
    for (const other of others) {
      const putBack = other()
      await next(
        program,
        /"reason":"[^"]*the program's files were replaced[^"]*".*"msg":"snapshot failed"/,
      )
      const snapshots = filesOf(DATA_DIR, 'snapshot-')
      await next(program, /"msg":"snapshot failed"/)
      expect(filesOf(DATA_DIR, 'snapshot-')).toEqual(snapshots)
      putBack()
      await next(program, /"msg":"snapshot made and verified"/)
    }
    expect(await program.end('SIGTERM')).toBe(0)
  },
  TEST_MS,
)

/** The next line that fits, behind those that are there. */
function next(program: ReturnType<typeof launch>, pattern: RegExp): Promise<string> {
  const from = program.lines.length
  return until(
    `a line ${pattern}`,
    async () => program.lines.slice(from).find((line) => pattern.test(line)) ?? null,
  )
}

test('a compactor that is started as a former version did changes nothing, and says why', async () => {
  const folder = newFolder()
  fs.writeFileSync(join(folder, 'snapshot-0000000000000001.mfs.unfinished'), 'half')
  const before = contentsOf(folder)
  const args = [
    `--folder=${folder}`,
    '--until-segment=2',
    '--memory-bytes=1073741824',
    `--parent=${process.pid}`,
  ]
  for (const given of [args, [], ['{"run":1}']]) {
    const compactor = promisify(execFile)(process.execPath, [
      join(ROOT, 'src/store/compaction/compact.ts'),
      ...given,
    ])
    await expect(compactor).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(REPLACED),
    })
  }
  expect(contentsOf(folder)).toEqual(before)
})
