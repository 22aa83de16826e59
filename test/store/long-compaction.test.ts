import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { COMPACTION_SILENCE_MS_MAX, runCompactor } from '../../src/store/compactor-process.ts'

const RESULT = {
  ...{ seq: 9, fromSeq: 1, framesFolded: 3, digest: 'd', archivedRecords: 0, archivedPositions: 0 },
  chunks: { swaps: [], positions: [] },
  ...{ damagedSnapshots: [], snapshotsRemoved: 0, segmentsRemoved: 0, durationMs: 1, peakBytes: 1 },
}
const PROGRESS = JSON.stringify({ progress: { step: 'verify', done: 1 } })

test('a compactor that works may take as long as it does, one that hangs is ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintfeed-long-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const works = `for i in 1 2 3; do echo '${PROGRESS}'; sleep 0.3; done; echo '${JSON.stringify({ result: RESULT })}'`
  expect(await compacted(folder, works, COMPACTION_SILENCE_MS_MAX * 0.7)).toEqual(RESULT)
  const hangs = `echo '${PROGRESS}'; exec sleep 60`
  await expect(compacted(folder, hangs, COMPACTION_SILENCE_MS_MAX + 1)).rejects.toThrow(
    'told nothing',
  )
})

/** Runs a script in the place of the compactor; so long passes behind each line of its progress. */
async function compacted(folder: string, script: string, passesMs: number) {
  const path = join(folder, 'compactor.sh')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  const { execPath } = process
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  process.execPath = path
  const run = { program: '', folder, untilSegment: 1, keepsJournal: false, memoryBytesMax: 1 }
  const passed = () => void vi.advanceTimersByTime(passesMs)
  try {
    return await runCompactor(run, process.pid, passed, new AbortController().signal)
  } finally {
    process.execPath = execPath
    vi.useRealTimers()
  }
}
