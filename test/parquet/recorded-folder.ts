import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { RECORDING } from '../../packaging/recorded-market.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { parseEventLine } from '../../src/events/event-lines.ts'
import { ask, Run } from '../commands/folders.ts'
import { ROOT } from '../tidy/source-files.ts'

/** The days of the recording: it begins in the middle of the first, and ends in the middle of the second. */
export const RECORDED_DAYS = ['2026-11-19', '2026-11-20'] as const

/** The simulated market that the package brings: 25 hours of 40 tokens, of a fixed seed. */
export function recordedEvents(): readonly FeedEvent[] {
  const text = gunzipSync(readFileSync(join(ROOT, RECORDING))).toString()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const event = parseEventLine(line)
      if ('error' in event) throw new Error(event.error)
      return event
    })
}

interface Recorded {
  readonly folder: string
  readonly events: readonly FeedEvent[]
  /** The one that filled the folder. */
  readonly engine: Engine
}

let recorded: Recorded | null = null

/** A data folder of the recording, with a snapshot in its middle: one for all tests of a file, which only read it. */
export function recordedFolder(): Recorded {
  recorded ??= newRecordedFolder()
  return recorded
}

function newRecordedFolder(): Recorded {
  const folder = mkdtempSync(join(tmpdir(), 'mintfeed-recorded-'))
  const events = recordedEvents()
  const half = Math.floor(events.length / 2)
  const run = new Run(folder, { fsync: 'off' })
  run.take(events.slice(0, half)).snapshot()
  run.take(events.slice(half)).close()
  return { folder, events, engine: run.engine }
}

/** Exports all that can be of the recording, as docs/recipes.md does. */
export async function exportedRecording(out: string): Promise<void> {
  const { folder } = recordedFolder()
  for (const what of ['swaps', 'candles', 'tokens', 'traders']) {
    const flags = ['--format', 'parquet', '--what', what, '--out', out]
    const { code, errors } = await ask('export', '--data-dir', folder, ...flags)
    if (code !== 0) throw new Error(errors)
  }
}
