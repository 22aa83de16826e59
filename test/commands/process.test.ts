import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { filesOf, flipByte } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { type Settings, startProgram } from '../process/program.ts'
import { ROOT } from '../tidy/source-files.ts'
import { filledFolder } from './folders.ts'

const PROGRAM = join(ROOT, 'bin/mintfeed.js')

/** The program as a user starts it. */
function start(args: readonly string[], settings: Settings = {}, cwd = ROOT) {
  return spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve))
}

async function mintfeed(...args: string[]) {
  return outcomeOf(start(args))
}

async function outcomeOf(child: ReturnType<typeof start>) {
  const ended = endOf(child)
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, output, errors }
}

test('an unknown command stops with one sentence that lists the commands', async () => {
  const { code, output, errors } = await mintfeed('explode')
  expect([code, output]).toEqual([2, ''])
  expect(errors).toMatch(/^mintfeed: [^\n]+\n$/)
  expect(errors).toContain(
    'inspect, verify, export, repair, record, backfill, mcp, alerts, doctor, help',
  )
})

test('help and version are printed and are no fault', async () => {
  for (const args of [['--help'], ['-h'], ['help'], ['--port', '1', '--help']]) {
    const { code, output, errors } = await mintfeed(...args)
    expect([code, errors]).toEqual([0, ''])
    for (const command of ['inspect', 'verify', 'export', 'repair', 'record', 'backfill', 'doctor'])
      expect(output).toMatch(new RegExp(`^  ${command} +\\w`, 'm'))
    expect(output).toContain('docs/data-folder.md')
  }
  const { version } = JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8'))
  for (const word of ['--version', '-V', 'version'])
    expect(await mintfeed(word)).toEqual({ code: 0, output: `${version}\n`, errors: '' })
  expect((await mintfeed('help', 'verify')).output).toContain('mintfeed verify:')
  expect((await mintfeed('doctor', '-h')).output).toContain('mintfeed doctor:')
})

test('a value of a flag is no word that asks for help or the version', async () => {
  for (const word of ['version', 'help']) {
    const { code, output, errors } = await mintfeed('--data-dir', word, '--port', 'none')
    expect([code, output]).toEqual([2, ''])
    expect(errors).toMatch(/^mintfeed: PORT is "none"/)
  }
  expect((await mintfeed('--help', '--data-dir', 'version')).output).toContain('Commands:')
})

test('an empty DATA_DIR is the default folder, as it is for the service', async () => {
  const cwd = newFolder()
  fs.mkdirSync(join(cwd, 'snapshots'))
  const given: readonly (readonly [string[], Settings])[] = [
    [[], { DATA_DIR: '' }],
    [['--data-dir='], { DATA_DIR: 'elsewhere' }],
  ]
  for (const [flags, settings] of given) {
    const { code, output } = await outcomeOf(start(['inspect', ...flags], settings, cwd))
    expect([code, output]).toEqual([0, expect.stringMatching(/^snapshots: not in use\n/)])
  }
})

test('a command says of a variable that is nearly DATA_DIR that this may be meant, and of no other one', async () => {
  const cwd = newFolder()
  fs.mkdirSync(join(cwd, 'snapshots'))
  const settings = { DATADIR: 'elsewhere', PORTT: '3' }
  const { code, errors } = await outcomeOf(start(['inspect'], settings, cwd))
  expect([code, errors]).toEqual([
    0,
    'mintfeed: The variable DATADIR is no setting; DATA_DIR may be meant, "mintfeed help" lists all.\n',
  ])
})

test('every command has a --help, and an unknown flag of it is a usage fault', async () => {
  const help = await mintfeed('export', '--help')
  expect(help.code).toBe(0)
  expect(help.output).toContain('time of a wall clock is no event and cannot be written')
  const wrong = await mintfeed('inspect', '--until', '3')
  expect(wrong.code).toBe(2)
  expect(wrong.errors).toContain("Unknown option '--until'; flags of inspect are --json, ")
})

test('a reader who has had enough ends a command with its own exit code', async () => {
  const { folder } = filledFolder()
  const onFolder = ['inspect', 'verify', 'export'].map((name) => [name, '--data-dir', folder])
  for (const args of [...onFolder, ['doctor', '--help'], ['help'], ['version']]) {
    const child = start(args)
    child.stdout.destroy()
    const [errors, code] = await Promise.all([text(child.stderr), endOf(child)])
    expect([code, errors], args[0]).toEqual([0, ''])
  }
})

test.skipIf(!fs.existsSync('/dev/full'))(
  'a full disk under the output is told and no success',
  () => {
    const { folder } = filledFolder()
    const full = fs.openSync('/dev/full', 'w')
    onTestFinished(() => fs.closeSync(full))
    for (const name of ['inspect', 'export']) {
      const args = [PROGRAM, name, '--data-dir', folder]
      const { status, stderr } = spawnSync(process.execPath, args, {
        env: { PATH: process.env.PATH ?? '' },
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      })
      expect(stderr, name).toMatch(/^mintfeed: [^\n]*ENOSPC[^\n]*\n$/)
      expect(status).toBe(3)
    }
  },
)

test('the commands work on a folder as processes, with their exit codes', async () => {
  const { folder } = filledFolder()
  const args = ['--data-dir', folder]
  expect((await mintfeed('inspect', ...args)).output).toContain('would start at seq 1,500')
  expect((await mintfeed('verify', ...args)).output).toContain('checks hold')
  const exported = await mintfeed('export', ...args)
  expect(exported.output.split('\n')).toHaveLength(1_001)
  flipByte(filesOf(folder, 'journal-').at(-1) ?? '', 5_000)
  expect((await mintfeed('inspect', ...args)).code).toBe(1)
  expect((await mintfeed('verify', ...args)).code).toBe(1)
  const refused = await mintfeed('repair', ...args, '--until', '1000')
  expect(refused.code).toBe(2)
  expect((await mintfeed('repair', ...args, '--until', '1000', '--yes')).code).toBe(0)
  expect((await mintfeed('verify', ...args)).code).toBe(0)
})

test('a folder in use can be inspected, verified and exported, and not repaired', async () => {
  const folder = join(newFolder(), 'data')
  const program = await startProgram({ DATA_DIR: folder, SIM_TOKENS: '50', SIM_RATE: '200' })
  const args = ['--data-dir', folder]
  const repair = await mintfeed('repair', ...args, '--until', '5', '--yes')
  expect(repair.code).toBe(3)
  expect(repair.errors).toContain(`is used by process ${program.child.pid}`)
  const inspect = await mintfeed('inspect', ...args)
  expect(inspect.code).toBe(0)
  expect(inspect.output).toContain(`used by process ${program.child.pid}`)
  expect((await mintfeed('verify', ...args)).code).toBe(0)
  expect((await mintfeed('export', ...args)).output.split('\n').length).toBeGreaterThan(50)
  expect(await program.end('SIGTERM')).toBe(0)
  expect((await mintfeed('verify', ...args)).output).toContain('the same state')
  const out = join(folder, '../all.ndjson.zst')
  await mintfeed('export', ...args, '--out', out)
  const replayed = await startProgram({ FEED: `replay:${out}`, SPEED: 'max' })
  await replayed.seen(/"msg":"feed ended"/)
  expect(await replayed.end('SIGTERM')).toBe(0)
  expect(fs.existsSync(join(folder, 'lock'))).toBe(false)
})

const isRoot = process.getuid?.() === 0

test.skipIf(!isRoot)('a repair by root leaves files of the user whose folder it is', async () => {
  const owner = { uid: 65_534, gid: 65_534 }
  const { folder } = filledFolder()
  for (const path of [folder, ...filesOf(folder, '')]) fs.chownSync(path, owner.uid, owner.gid)
  const repair = ['repair', '--data-dir', folder, '--until', '1150', '--yes']
  const { code, errors } = await mintfeed(...repair)
  expect([code, errors]).toEqual([0, ''])
  const [givenUp] = filesOf(folder, 'given-up-')
  const made = [...filesOf(folder, ''), ...filesOf(givenUp, '')]
  expect(made.filter((path) => fs.statSync(path).uid !== owner.uid)).toEqual([])
  expect(made.filter((path) => fs.statSync(path).gid !== owner.gid)).toEqual([])
})
