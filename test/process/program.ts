import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from '../tidy/source-files.ts'

/** How long a start may take before a test gives it up, in ms. */
const READY_WITHIN_MS = 30_000

/** The real program in its own process. */
export interface Program {
  readonly url: string
  readonly child: ChildProcess
  /** Ends it with a signal; the exit code, null when the signal killed it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

type Settings = Readonly<Record<string, string>>

function launch(settings: Settings, args: readonly string[]): ChildProcess {
  const environment = { PATH: process.env.PATH ?? '', ...settings }
  return spawn(process.execPath, [join(ROOT, 'src/main.ts'), ...args], {
    env: environment,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
}

function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => child.once('exit', resolve))
}

/** Starts the program on a free port and waits for its `ready` line. */
export async function startProgram(settings: Settings): Promise<Program> {
  const child = launch({ PORT: '0', DATA_DIR: 'none', ...settings }, [])
  const url = await urlFromLog(child)
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exitOf(child)
  }
  return { url, child, end }
}

function urlFromLog(child: ChildProcess): Promise<string> {
  const { stderr } = child
  if (stderr === null) throw new Error('the program has no standard error')
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('not ready in time')), READY_WITHIN_MS)
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)))
    createInterface({ input: stderr }).on('line', (line) => {
      const url = /"url":"([^"]+)".*"msg":"ready"/.exec(line)?.[1]
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    })
  })
}

/** Runs the program to its end; its exit code and what it wrote to standard error. */
export async function runProgram(
  settings: Settings,
  args: readonly string[] = [],
): Promise<{ code: number | null; errors: string }> {
  const child = launch(settings, args)
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk)
  })
  return { code: await exitOf(child), errors }
}
