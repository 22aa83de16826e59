import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../bin/node-flags.js'

const PATIENCE_MS = 150_000

/** What passes between the processes of a benchmark. */
export type Message = Readonly<Record<string, string | number>>

/** A process of a benchmark that talks over its IPC channel and ends with its parent. */
export class Child {
  readonly #process: ChildProcess
  readonly #name: string

  /** `file` is a path below bench; Node's flags are those of the program, others are not handed on. */
  constructor(file: string, args: readonly (string | number)[] = []) {
    this.#name = file
    const path = fileURLToPath(new URL(file, import.meta.url))
    this.#process = fork(path, args.map(String), { execArgv: [...NODE_FLAGS] })
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** The next message; rejects when the process ends or says nothing for long. */
  async next(): Promise<Message> {
    const ended = new AbortController()
    const timer = setTimeout(() => ended.abort(), PATIENCE_MS)
    const onExit = () => ended.abort()
    this.#process.once('exit', onExit)
    try {
      const [message] = await once(this.#process, 'message', { signal: ended.signal })
      return plainFields(message)
    } catch {
      throw new Error(`${this.#name} ended or kept silent`)
    } finally {
      clearTimeout(timer)
      this.#process.off('exit', onExit)
    }
  }

  send(message: Message): void {
    this.#process.send(message)
  }

  ask(message: Message): Promise<Message> {
    const answer = this.next()
    this.send(message)
    return answer
  }

  /** Hears every message, and the end, until the returned function is called. */
  listen(heard: (message: Message) => void, ended: () => void): () => void {
    const listener = (message: unknown) => heard(plainFields(message))
    this.#process.on('message', listener)
    this.#process.once('exit', ended)
    return () => {
      this.#process.off('message', listener)
      this.#process.off('exit', ended)
    }
  }

  stop(): void {
    this.#process.kill('SIGKILL')
  }
}

/** Texts and numbers of an object; everything else is left out. */
export function plainFields(value: unknown): Message {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    Object.entries(value).filter(
      ([, field]) => typeof field === 'string' || typeof field === 'number',
    ),
  )
}

/** Listens to the parent; the process ends when the parent is gone. */
export function onParent(heard: (message: Message) => void): void {
  process.on('disconnect', () => process.exit(0))
  process.on('message', (message) => heard(plainFields(message)))
}

export function tellParent(message: Message): void {
  process.send?.(message)
}
