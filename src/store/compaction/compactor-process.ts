import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createInterface } from 'node:readline'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { messageOf } from '../../base/errors.ts'
import { jsonOf } from '../../base/json-access.ts'
import { entryFile } from '../../base/program-files.ts'
import { processFields } from '../../base/this-process.ts'
import { StoreError } from '../disk/failure.ts'
import { noteCompactor } from '../folder/process-lock.ts'
import { CompactorProgress, CompactorResult, type CompactorRun } from './compactor-messages.ts'

const resultLine = Compile(Type.Object({ result: CompactorResult }))
const progressLine = Compile(Type.Object({ progress: CompactorProgress }))

/**
 * Longest silence of a compaction; then its process is ended and nothing has changed. It may take
 * longer in all: the state of months on a slow disk does.
 */
const COMPACTION_SILENCE_MS_MAX = 30 * 60_000
/** V8 heap of the compactor: the state lies outside of it. */
const HEAP_MB = 768
/** Characters of its complaint that are passed on. */
const REASON_CHARACTERS_MAX = 2_000
/** Of /proc/<pid>/stat, counted from the state on: the processor that the main thread ran on last. */
const PROCESSOR_FIELD = 36
/** Where `taskset` of util-linux or busybox is; a service may have no PATH. */
const TASKSET_PLACES = ['/usr/bin/taskset', '/bin/taskset']

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
  const order = { run, parent: process.pid }
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

function notDone(reason: string): StoreError {
  return new StoreError('disk', reason.slice(0, REASON_CHARACTERS_MAX))
}

/**
 * Words to put before a command so that it leaves one processor alone, the one that the main thread of
 * `pid` is on; none where there is no other, no `taskset`, no Linux, or it is refused. Whatever its priority, what
 * runs on a processor is not always taken off it at once for a thread that wakes up there, but at the
 * system's next tick, some 4 ms later.
 */
export function besideProcessorOf(pid: number): readonly string[] {
  const others = otherProcessors(pid)
  const taskset = TASKSET_PLACES.find((file) => fs.existsSync(file))
  if (others.length === 0 || taskset === undefined) return []
  // Busybox knows no long options.
  const words = ['-c', others.join(',')]
  return isAllowed(taskset, words) ? [taskset, ...words] : []
}

/** A service may be forbidden to use it, as by SystemCallFilter=~@resources: the command behind it would then never run. */
function isAllowed(taskset: string, words: readonly string[]): boolean {
  // By its place as well: the service's PATH may be without it.
  return spawnSync(taskset, [...words, '/bin/true'], { stdio: 'ignore' }).status === 0
}

function otherProcessors(pid: number): readonly number[] {
  try {
    const own = Number(processFields(pid)[PROCESSOR_FIELD])
    // Of a process that is gone, or without /proc.
    if (Number.isNaN(own)) return []
    return allowedProcessors(process.pid).filter((processor) => processor !== own)
  } catch {
    return []
  }
}

/** The processors that a process may run on; throws where /proc does not say. */
export function allowedProcessors(pid: number): readonly number[] {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1')
  return numbersOf(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '')
}

/** Numbers of a list such as `0-3,8`. */
function numbersOf(list: string): readonly number[] {
  const ranges = list.split(',').filter((range) => range !== '')
  return ranges.flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number)
    return Array.from({ length: Math.max(0, last - first + 1) || 0 }, (_, i) => first + i)
  })
}
