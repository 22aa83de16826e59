/**
 * The compactor: a process of its own that the serving one has started now and then, at the lowest
 * priority, that of its launcher. It folds the journal into a new snapshot, verifies that, removes
 * what is no longer needed and exits. One JSON line on stdout for progress, one for the result; the
 * reason of a failure goes to stderr.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { endFirst } from './base/end-first.ts'
import { residentBytes } from './base/memory-usage.ts'
import { archivedEngine } from './store/archived-engine.ts'
import { type Compaction, compact } from './store/compaction.ts'
import { diskReason } from './store/disk-reason.ts'
import { checkRoom, NodeDisk } from './store/node-disk.ts'

/** Progress lines are at least this far apart. */
const PROGRESS_MS = 1_000
function run(): void {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string' },
      'until-segment': { type: 'string' },
      'keep-journal': { type: 'boolean' },
      'memory-bytes': { type: 'string' },
      parent: { type: 'string' },
    },
  })
  if (values.folder === undefined) throw new Error('the compactor needs --folder')
  const parent = Number(values.parent ?? process.ppid)
  endWithout(parent)
  const disk = new NodeDisk()
  // By where it is, not by its name: another folder may take that before the snapshot is written.
  process.chdir(values.folder)
  const folder = '.'
  const startedMs = performance.now()
  const steps = compact({
    disk,
    folder,
    untilSegment: Number(values['until-segment']),
    newEngine: () => archivedEngine(disk, folder),
    keepsJournal: values['keep-journal'] === true,
    checkRoom: (bytes) => checkRoom(process.cwd(), bytes),
  })
  const memoryBytesMax = Number(values['memory-bytes'] ?? Number.MAX_SAFE_INTEGER)
  const compaction = drive(steps, memoryBytesMax, parent)
  const damagedSnapshots = compaction.damagedSnapshots.map((name) => resolve(name))
  tell({ ...compaction, damagedSnapshots }, startedMs)
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
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    endWithout(parent)
    if (performance.now() < nextLineMs) continue
    nextLineMs = performance.now() + PROGRESS_MS
    const bytes = residentBytes()
    if (bytes > memoryBytesMax)
      throw new Error(`the compactor has ${bytes} bytes of memory, ${memoryBytesMax} are allowed`)
    process.stdout.write(`${JSON.stringify({ progress: step.value })}\n`)
  }
}

function tell(compaction: Compaction, startedMs: number): void {
  const durationMs = Math.round(performance.now() - startedMs)
  const peakBytes = process.resourceUsage().maxRSS * 1024
  process.stdout.write(`${JSON.stringify({ result: { ...compaction, durationMs, peakBytes } })}\n`)
}

endFirst()
try {
  run()
} catch (error) {
  process.stderr.write(`${diskReason(error)}\n`)
  process.exitCode = 1
}
