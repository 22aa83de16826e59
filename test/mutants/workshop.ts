import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Check, Fault } from './fault.ts'

const COPIED = [
  'bin',
  'src',
  'client',
  'web',
  'docs',
  'packaging',
  'test',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
] as const
const TIMEOUT_MS = 40_000
/** Lines of a failed check that are shown when it should have passed. */
const SHOWN_CHARACTERS = 2_000

export interface CheckResult {
  readonly passed: boolean
  readonly timedOut: boolean
  readonly output: string
}

/** A copy of the project in a temporary folder, in which one fault at a time is planted. */
export class Workshop {
  readonly folder: string
  readonly #root: string

  private constructor(root: string, folder: string) {
    this.#root = root
    this.folder = folder
  }

  /** Copies the project out of `source`; programs come from `root`. */
  static async open(root: string, source: string): Promise<Workshop> {
    const folder = await mkdtemp(join(tmpdir(), 'mintfeed-mutants-'))
    for (const name of COPIED) await cp(join(source, name), join(folder, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    return new Workshop(root, folder)
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Plants the fault, does the work, and takes the fault out again. */
  async withFault<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
    const path = join(this.folder, fault.file)
    const text = await readFile(path, 'utf8')
    await writeFile(path, planted(text, fault))
    try {
      return await work()
    } finally {
      await writeFile(path, text)
    }
  }

  check(check: Check): Promise<CheckResult> {
    const script = check.endsWith('.test.ts')
      ? ['node_modules/vitest/vitest.mjs', 'run', check]
      : ['test/mutants/killer.ts', check]
    const child = spawn(join(this.#root, 'node_modules/.bin/node'), script, {
      cwd: this.folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return resultOf(child)
  }
}

/** The text with the fault in it; throws unless `find` stands there exactly once. */
export function planted(text: string, { name, file, find, replace }: Fault): string {
  const parts = text.split(find)
  if (parts.length !== 2) {
    const count = parts.length - 1
    throw new Error(`${name}: ${JSON.stringify(find)} stands ${count} times in ${file}, not once.`)
  }
  if (find === replace) throw new Error(`${name}: the replacement changes nothing.`)
  return parts.join(replace)
}

function resultOf(child: ChildProcess): Promise<CheckResult> {
  let output = ''
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    // The group: vitest has processes of its own.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, TIMEOUT_MS)
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-SHOWN_CHARACTERS)
    })
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ passed: code === 0, timedOut, output })
    })
  })
}
