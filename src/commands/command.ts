import type { Readable, Writable } from 'node:stream'
import cliProgress from 'cli-progress'
import { diskReason, StoreError } from '../store/disk/failure.ts'

/** What a command reads and writes; a process has one, and each test its own. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A command of the program. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string
  /** What `--help` prints below the flags. */
  readonly help: string
  /** Flags besides --data-dir and --help, with what they mean. */
  readonly flags: Readonly<
    Record<string, { readonly type: 'string' | 'boolean'; readonly meaning: string }>
  >
  /** False: it works on no data folder and has no --data-dir. */
  readonly needsFolder?: boolean
  /** It takes words beside flags. */
  readonly words?: boolean
  readonly run: (asked: Asked, terminal: Terminal) => number | Promise<number>
}

/** What was asked for on the command line. */
export interface Asked {
  /** The data folder; empty for a command that needs none. */
  readonly folder: string
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  readonly words?: readonly string[]
  /** What the folder was read from; left out: it is one of a service. */
  readonly stream?: StreamReport
}

/** What is known of a stream that was read into a folder. */
export interface StreamReport {
  readonly name: string
  readonly servers: readonly string[]
  /** Of the server that was asked. */
  readonly version: string
  readonly created: string
  /** Sequences of the oldest and the newest message. */
  readonly first: number
  readonly last: number
  readonly messages: number
  /** On each server. */
  readonly bytes: number
  /** From the first event to behind the last one that could be read; null: there is none. */
  readonly seqs: { readonly from: number; readonly to: number } | null
  readonly epoch: string | null
  readonly replicas: number
  readonly keepMs: number
  /** Null: there is none now. */
  readonly leader: string | null
  readonly followers: readonly {
    readonly name: string
    readonly isCurrent: boolean
    /** Operations that it is behind the leader. */
    readonly lag: number
  }[]
  /** Who holds the lease, and so may write; null: nobody. */
  readonly writer: string | null
  /** Why it cannot be read to its end, in one sentence; null: all is whole. */
  readonly damage: string | null
}

/** Exit codes. A check that does not hold, a usage fault, a folder that cannot be worked on. */
export const Exit = { good: 0, bad: 1, usage: 2, data: 3 } as const

/** A command line that cannot be used; the message is one sentence. */
export class UsageError extends Error {}

/** Why a command cannot write what `--out` names: no fault of the command line. */
export function refusedOutput(name: string, error: unknown): StoreError {
  return new StoreError(
    'disk',
    `--out is "${name}", which cannot be written: ${diskReason(error)}.`,
  )
}

/** @throws UsageError when the flag is there and no seq */
export function seqFlag(asked: Asked, name: string): number | null {
  const text = asked.flags[name]
  if (text === undefined) return null
  const seq = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(seq)) return seq
  throw new UsageError(`--${name} is "${text}"; it must be a seq, an integer from 0 to 2^53-1.`)
}

/** Digits in groups. */
export function count(number: number): string {
  return number.toLocaleString('en-US')
}

/** Shows how far a command has come. */
export interface Progress {
  /** Begins a piece of work of so many units. */
  begin(what: string, total: number): void
  /** Units done of it. */
  to(done: number): void
  end(): void
}

/** Nobody watches. */
export const SILENT: Progress = { begin: () => {}, to: () => {}, end: () => {} }

/** Where there is no terminal, a line comes this often. */
const LINE_MS = 3_000

/** A bar on a terminal, else a line every few seconds. */
export function progressOn(stream: Writable & { readonly isTTY?: boolean }): Progress {
  return stream.isTTY === true ? barOn(stream) : linesOn(stream)
}

function barOn(stream: Writable): Progress {
  const bar = new cliProgress.SingleBar({
    stream,
    format: '{what} {bar} {percentage}%  {eta_formatted}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    // A handler for Ctrl-C would wait for the end of the work; without one the process ends.
    gracefulExit: false,
  })
  return {
    begin: (what, total) => bar.start(total, 0, { what }),
    to: (done) => bar.update(done),
    end: () => bar.stop(),
  }
}

function linesOn(stream: Writable): Progress {
  let work = { what: '', total: 0 }
  let nextMs = 0
  return {
    begin(what, total) {
      work = { what, total }
      nextMs = performance.now() + LINE_MS
    },
    to(done) {
      const nowMs = performance.now()
      if (nowMs < nextMs) return
      nextMs = nowMs + LINE_MS
      const percent = work.total === 0 ? 100 : Math.floor((done / work.total) * 100)
      stream.write(`${work.what}: ${percent} %\n`)
    },
    end() {},
  }
}
