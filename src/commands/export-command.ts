import fs from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { TapeDamage } from '../base/tape-damage.ts'
import { StoreError } from '../store/disk/failure.ts'
import { UNFINISHED } from '../store/folder/data-folder.ts'
import { archivedEngine } from '../store/snapshot/archived-engine.ts'
import {
  type Asked,
  type Command,
  Exit,
  refusedOutput,
  seqFlag,
  type Terminal,
  UsageError,
} from './command.ts'
import { type Exported, exportLines } from './export.ts'
import { count } from './inspect-text.ts'
import { progressOn, SILENT } from './progress.ts'
import { settledDisk } from './settled-disk.ts'

/** `mintfeed export`. */
export const exportCommand: Command = {
  summary: 'the events of the journal as event lines, which FEED=replay:<file> reads again',
  help:
    'Every event that arrived, in order of arrival, duplicates and refused ones included. The\n' +
    'time of a wall clock is no event and cannot be written: replayed lines are folded at their\n' +
    'own times (CLOCK=event). Segments that no snapshot needs any more are removed by the\n' +
    'service; with JOURNAL_KEEP=all it keeps everything. Changes nothing and takes no lock.',
  flags: {
    out: { type: 'string', meaning: 'a file instead of stdout; .gz and .zst are compressed' },
    from: { type: 'string', meaning: 'first seq' },
    to: { type: 'string', meaning: 'seq behind the last one' },
  },
  async run(asked, terminal) {
    const from = seqFlag(asked, 'from') ?? 0
    const to = seqFlag(asked, 'to') ?? Number.MAX_SAFE_INTEGER
    if (from > to) throw new UsageError(`--from is ${from}; it must not be above --to, ${to}.`)
    const disk = settledDisk(asked.folder)
    const out = outputOf(asked)
    // A bar between lines on one terminal would spoil both.
    const progress = out === null ? SILENT : progressOn(terminal.stderr)
    const newEngine = () => archivedEngine(disk, asked.folder)
    const steps = exportLines({ disk, folder: asked.folder, newEngine, from, to, progress })
    try {
      tell(await write(steps, out, terminal.stdout), from, terminal)
    } finally {
      progress.end()
    }
    return Exit.good
  },
}

interface Output {
  readonly name: string
  readonly file: Writable
  readonly coding: NodeJS.ReadWriteStream | null
}

/** @throws UsageError when the file is there, StoreError when it cannot be made */
function outputOf({ flags }: Asked): Output | null {
  const { out: name } = flags
  if (typeof name !== 'string' || name === '') return null
  if (fs.existsSync(name)) throw new UsageError(`--out is "${name}", which is there already.`)
  try {
    const path = name + UNFINISHED
    const file = fs.createWriteStream(path, { fd: fs.openSync(path, 'w') })
    return { name, file, coding: codingOf(name) }
  } catch (error) {
    throw refusedOutput(name, error)
  }
}

function codingOf(name: string): NodeJS.ReadWriteStream | null {
  if (name.endsWith('.gz')) return zlib.createGzip()
  return name.endsWith('.zst') ? zlib.createZstdCompress() : null
}

/**
 * What came before a failure is written whole, then the failure is thrown. A file has its name once
 * it is whole, or as whole as the folder is: one that Ctrl-C, a full disk or a running service that took a
 * file away has cut off is not taken for an export.
 */
async function write(
  steps: Generator<string, Exported>,
  out: Output | null,
  stdout: Writable,
): Promise<Exported> {
  let exported: Exported = { journalFrom: 0, events: 0, tornBytes: 0 }
  const failures: unknown[] = []
  const text = Readable.from(
    (function* () {
      try {
        exported = yield* steps
      } catch (error) {
        failures.push(error)
      }
    })(),
  )
  if (out === null) await pipeline(text, stdout, { end: false })
  else if (out.coding === null) await pipeline(text, out.file)
  else await pipeline(text, out.coding, out.file)
  if (out !== null && failures.every(isDamage)) fs.renameSync(out.name + UNFINISHED, out.name)
  if (failures.length > 0) throw failures[0]
  return exported
}

/** Another export would come no further. */
function isDamage(failure: unknown): boolean {
  return failure instanceof StoreError || failure instanceof TapeDamage
}

function tell({ journalFrom, events, tornBytes }: Exported, from: number, { stderr }: Terminal) {
  stderr.write(`${count(events)} events exported\n`)
  if (journalFrom > from)
    stderr.write(
      `The journal begins at seq ${journalFrom}: older events are in snapshots only ` +
        '(JOURNAL_KEEP=all keeps everything).\n',
    )
  if (tornBytes > 0)
    stderr.write(`The last ${count(tornBytes)} bytes of the journal are a write not finished.\n`)
}
