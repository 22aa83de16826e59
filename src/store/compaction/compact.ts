/**
 * The compactor: a process of its own that the serving one has started now and then, at the lowest
 * priority, that of its launcher. It folds the journal into a new snapshot, verifies that, removes
 * what is no longer needed and exits. One JSON line on stdout for progress, one for the result; the
 * reason of a failure goes to stderr.
 */
import { resolve } from 'node:path'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { jsonOf } from '../../base/json-access.ts'
import { preferOomKill, residentBytes } from '../../base/this-process.ts'
import { diskReason } from '../disk/failure.ts'
import { checkRoom, NodeDisk } from '../disk/node-disk.ts'
import { runToEnd } from '../disk/steps.ts'
import { PROGRAM } from '../snapshot/snapshot-file.ts'
import { archivedEngine } from '../snapshot/tape-archive.ts'
import { type Compaction, compact } from './compaction.ts'
import { CompactorRun } from './compactor-messages.ts'

/** Progress lines are at least this far apart. */
const PROGRESS_MS = 1_000

/** Its one argument, as JSON; `parent` is the pid of the process that started it. */
const compactorOrder = Compile(Type.Object({ run: CompactorRun, parent: Type.Integer() }))

function run(): void {
  const { run: asked, parent } = orderOf(process.argv[2] ?? '')
  endWithout(parent)
  const disk = new NodeDisk()
  // By where it is, not by its name: another folder may take that before the snapshot is written.
  process.chdir(asked.folder)
  const folder = '.'
  const startedMs = performance.now()
  const steps = compact({
    disk,
    folder,
    untilSegment: asked.untilSegment,
    newEngine: () => archivedEngine(disk, folder),
    keepsJournal: asked.keepsJournal,
    checkRoom: (bytes) => checkRoom(process.cwd(), bytes),
  })
  const compaction = drive(steps, asked.memoryBytesMax, parent)
  const damagedSnapshots = compaction.damagedSnapshots.map((name) => resolve(name))
  printResult({ ...compaction, damagedSnapshots }, startedMs)
}

/**
 * What it is asked to do. A service whose files were replaced is of another version, or asks in another form:
 * what is written here, it could perhaps not read, should it have to start again.
 */
function orderOf(text: string) {
  const order = jsonOf(text)
  if (compactorOrder.Check(order) && order.run.program === PROGRAM) return order
  throw new Error("the program's files were replaced while it ran: start the service anew")
}

/** The folder is no longer this process's once the program that started it is gone. */
function endWithout(parent: number): void {
  if (process.ppid !== parent) throw new Error('the program that started the compactor is gone')
}

function drive(
  steps: ReturnType<typeof compact>,
  memoryBytesMax: number,
  parent: number,
): Compaction {
  let nextLineMs = performance.now() + PROGRESS_MS
  return runToEnd(steps, (progress) => {
    endWithout(parent)
    if (performance.now() < nextLineMs) return
    nextLineMs = performance.now() + PROGRESS_MS
    const bytes = residentBytes()
    if (bytes > memoryBytesMax)
      throw new Error(`the compactor has ${bytes} bytes of memory, ${memoryBytesMax} are allowed`)
    process.stdout.write(`${JSON.stringify({ progress })}\n`)
  })
}

function printResult(compaction: Compaction, startedMs: number): void {
  const durationMs = Math.round(performance.now() - startedMs)
  const peakBytes = process.resourceUsage().maxRSS * 1024
  process.stdout.write(`${JSON.stringify({ result: { ...compaction, durationMs, peakBytes } })}\n`)
}

preferOomKill()
try {
  run()
} catch (error) {
  process.stderr.write(`${diskReason(error)}\n`)
  process.exitCode = 1
}
