import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface ServerCommand {
  readonly name: string
  readonly path: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** For its log, and for what the server itself keeps there. */
  readonly folder: string
  /** Answers once the server is there, with a status below 300 where it is ready. */
  readonly readyUrl: string
  /** One that answers at all may be ready: it stands by for another one. */
  readonly standsBy?: boolean
}

/** A start, or the election of a leader, on a busy machine. */
const WITHIN_MS = 60_000
const LOOK_EVERY_MS = 50
const CALL_WITHIN_MS = 2_000
/** How much of a log stands in an error. */
const LOG_LINES = 15

/** A server in a process of its own, which is killed, paused and started again in the same place. */
export class ServerProcess {
  readonly name: string
  /** Resolves when the present run is over. */
  exited: Promise<unknown> = Promise.resolve()
  readonly #command: ServerCommand
  #child: ChildProcess | null = null

  constructor(command: ServerCommand) {
    this.name = command.name
    this.#command = command
    mkdirSync(command.folder, { recursive: true })
  }

  get isRunning(): boolean {
    return this.#child !== null
  }

  /** Null while it does not run. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** What it wrote since its first start. */
  get log(): string {
    return readFileSync(this.logPath, 'utf8')
  }

  get logPath(): string {
    return join(this.#command.folder, 'log')
  }

  /** Without a path. */
  get url(): string {
    return new URL(this.#command.readyUrl).origin
  }

  /** Starts it and returns at once. */
  launch(): void {
    if (this.#child !== null) throw new Error(`${this.name} runs already`)
    const { path, args, env } = this.#command
    const log = openSync(this.logPath, 'a')
    // Ctrl-C at a terminal is for the one who started it: an order of its own to each would be the second.
    const child = spawn(path, args, { env, detached: true, stdio: ['ignore', log, log] })
    closeSync(log)
    this.#child = child
    // Ends it when this process is gone, however that ended.
    const guard = spawn('sh', ['-c', `read end; kill -9 ${child.pid}`], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.exited = new Promise((resolve) => {
      child.once('exit', () => {
        guard.kill('SIGKILL')
        this.#child = null
        resolve(null)
      })
    })
  }

  /** Starts it again; resolves when it is ready. */
  async restart(): Promise<void> {
    this.launch()
    await this.isReady()
  }

  async isReady(withinMs = WITHIN_MS): Promise<void> {
    const isReady = async () => {
      const signal = AbortSignal.timeout(CALL_WITHIN_MS)
      const { ok } = await fetch(this.#command.readyUrl, { signal })
      return ok || this.#command.standsBy === true
    }
    await this.eventually('is not ready', isReady, withinMs)
  }

  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** SIGTERM; a server that was paused goes on first. */
  stop(): Promise<void> {
    this.resume()
    return this.#end('SIGTERM')
  }

  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Asks until the answer is yes: refusals and errors are those of a server that is not there yet. */
  async eventually(lack: string, ask: () => Promise<boolean>, withinMs = WITHIN_MS): Promise<void> {
    const endMs = Date.now() + withinMs
    for (;;) {
      const answer = await ask().catch((error: unknown) => String(error))
      if (answer === true) return
      if (Date.now() > endMs) {
        const end = this.log.split('\n').slice(-LOG_LINES).join('\n')
        throw new Error(`${this.name} ${lack} (${answer}); its log ends with:\n${end}`)
      }
      await pause(LOOK_EVERY_MS)
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
}
