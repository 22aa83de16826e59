import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { jsonOf } from '../../base/json-access.ts'
import { entryFile } from '../../base/program-files.ts'
import { messageOf } from '../../base/thrown.ts'
import { StoreError } from '../disk/failure.ts'
import { noteCompactor } from '../folder/process-lock.ts'
import {
  type CompactorOrder,
  CompactorProgress,
  CompactorResult,
  type CompactorRun,
} from './compactor-messages.ts'
import { besideProcessorOf } from './other-processors.ts'

const resultLine = Compile(Type.Object({ result: CompactorResult }))
const progressLine = Compile(Type.Object({ progress: CompactorProgress }))

/**
 * Longest that a compaction tells nothing; then its process is ended and nothing has changed. It may take
 * longer in all: the state of months on a slow disk does.
 */
export const COMPACTION_SILENCE_MS_MAX = 30 * 60_000
/** V8 heap of the compactor: the state lies outside of it. */
const HEAP_MB = 768
/** Characters of its complaint that are passed on. */
const REASON_CHARACTERS_MAX = 2_000

/**
 * Runs the compactor (src/store/compaction/compact.ts) as a process of its own, ended at once by `signal`; rejects
 * with a StoreError when it did not end well. Called where the process is small, since starting
 * another copies its page tables (src/store/compaction/launch.ts). It stays off the processor of `serving`, a pid.
 */
export function runCompactor(
  run: CompactorRun,
  serving: number,
  onProgress: (progress: CompactorProgress) => void,
  signal: AbortSignal,
): Promise<CompactorResult> {
  const order: CompactorOrder = { run, parent: process.pid }
  const [program, ...args] = [
    ...besideProcessorOf(serving),
    process.execPath,
    `--max-old-space-size=${HEAP_MB}`,
    entryFile('compact'),
    JSON.stringify(order),
  ]
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  })
  let reason = ''
  const forget = note(child, run.folder, (why) => {
    reason = why
  })
  const deadline = setTimeout(() => {
    reason ||= `it told nothing for ${COMPACTION_SILENCE_MS_MAX / 60_000} minutes`
    child.kill('SIGKILL')
  }, COMPACTION_SILENCE_MS_MAX)
  deadline.unref()
  let result: CompactorResult | null = null
  createInterface({ input: child.stdout }).on('line', (line) => {
    deadline.refresh()
    const value = jsonOf(line)
    if (resultLine.Check(value)) result = value.result
    else if (progressLine.Check(value)) onProgress(value.progress)
  })
  child.stderr.on('data', (bytes: Buffer) => {
    if (reason.length < REASON_CHARACTERS_MAX) reason += bytes.toString('utf8')
  })
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(notDone(error.message)))
    child.on('close', (code, signal) => {
      clearTimeout(deadline)
      forget()
      if (code === 0 && result !== null) resolve(result)
      else reject(notDone(reason.trim() || `it ended with ${signal ?? `code ${code}`}`))
    })
  })
}

/** One that cannot be written down must not run: nobody could end it after a kill of this process. */
function note(child: ChildProcess, folder: string, refuse: (why: string) => void): () => void {
  if (child.pid === undefined) return () => {}
  try {
    return noteCompactor(folder, child.pid)
  } catch (error) {
    refuse(messageOf(error))
    child.kill('SIGKILL')
    return () => {}
  }
}

/** What it is the reason of is said where it is told. */
function notDone(reason: string): StoreError {
  return new StoreError('disk', reason.slice(0, REASON_CHARACTERS_MAX))
}
