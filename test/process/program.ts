import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { NODE_FLAGS } from '../../bin/node-flags.js'
import { programPath } from '../../bin/program-path.js'
import { ROOT } from '../tidy/source-files.ts'

/** How long a start, or a line of the log, may take before a test gives it up, in ms. */
const WITHIN_MS = 180_000

/** Programs that run; a test that fails half-way must not leave any behind. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** The real program in its own process, from its launch on. */
export interface Running {
  readonly child: ChildProcess
  /** What it wrote to standard error so far, line by line. */
  readonly lines: readonly string[]
  /** The first line that fits, those already written among them; rejects when there is none. */
  seen(pattern: RegExp): Promise<string>
  /** The exit code, null when a signal killed it. */
  readonly ended: Promise<number | null>
  /** Ends it with a signal; the exit code, null when the signal killed it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** The real program once it answers. */
export interface Program extends Running {
  readonly url: string
}

export type Settings = Readonly<Record<string, string>>

/** Launches the program and waits for nothing; `cwd` is where it is launched. */
export function launch(
  settings: Settings,
  args: readonly string[] = [],
  cwd = ROOT,
  path = programPath(),
): Running {
  const { PATH = '', UWS_PATH = '' } = process.env
  const environment = { PATH, UWS_PATH, CHECK_CACHE: '1', ...settings }
  const child = spawn(process.execPath, [...NODE_FLAGS, path, ...args], {
    cwd,
    env: environment,
    // By the channel it knows that the tests are gone, however they ended.
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
  })
  if (child.stderr === null) throw new Error('a pipe was asked for')
  // A program that is killed leaves its standard input broken.
  child.stdin?.on('error', () => {})
  running.add(child)
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      running.delete(child)
      resolve(code)
    })
  })
  const lines: string[] = []
  const lookers = new Set<(line: string) => void>()
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line)
    for (const look of lookers) look(line)
  })
  const seen = (pattern: RegExp) => lineThatFits(pattern, lines, lookers, ended)
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return { child, lines, seen, ended, end }
}

function lineThatFits(
  pattern: RegExp,
  lines: readonly string[],
  lookers: Set<(line: string) => void>,
  ended: Promise<number | null>,
): Promise<string> {
  const early = lines.find((line) => pattern.test(line))
  if (early !== undefined) return Promise.resolve(early)
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(new Error(`${why} before ${pattern}: ${lines.slice(-3).join(' ')}`))
    const timer = setTimeout(() => fail('the time was over'), WITHIN_MS)
    const look = (line: string) => {
      if (!pattern.test(line)) return
      clearTimeout(timer)
      lookers.delete(look)
      resolve(line)
    }
    lookers.add(look)
    void ended.then((code) => {
      clearTimeout(timer)
      fail(`the program ended with ${code}`)
    })
  })
}

/** Starts the program on a free port and waits for its `ready` line. */
export async function startProgram(settings: Settings, cwd = ROOT): Promise<Program> {
  const program = launch({ PORT: '0', DATA_DIR: 'none', ...settings }, [], cwd)
  const ready = /"url":"([^"]+)".*"msg":"ready"/
  const url = ready.exec(await program.seen(ready))?.[1] ?? ''
  return { ...program, url }
}

/** Runs the program to its end; its exit code and what it wrote to standard error. */
export async function runProgram(
  settings: Settings,
  args: readonly string[] = [],
): Promise<{ code: number | null; errors: string }> {
  const { ended, lines } = launch(settings, args)
  const code = await ended
  return { code, errors: lines.map((line) => `${line}\n`).join('') }
}

/** Asks again until there is an answer; throws when there is none in a generous time. */
export async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const endMs = Date.now() + WITHIN_MS
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (Date.now() > endMs) throw new Error(`this never came: ${what}`)
    await pause(20)
  }
}
