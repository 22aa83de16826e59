import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import type { CompactorProgress } from '../../../src/store/compaction/compactor-messages.ts'
import { runCompactor } from '../../../src/store/compaction/compactor-process.ts'
import { newFolder } from '../../new-folder.ts'

const COMPACTION_SILENCE_MS_MAX = 30 * 60_000

const RESULT = {
  ...{ seq: 9, fromSeq: 1, framesFolded: 3, digest: 'd', archivedRecords: 0, archivedPositions: 0 },
  chunks: { swaps: [], positions: [] },
  ...{ damagedSnapshots: [], snapshotsRemoved: 0, segmentsRemoved: 0, durationMs: 1, peakBytes: 1 },
}
const TELLS_RESULT = `echo '${JSON.stringify({ result: RESULT })}'`
const PROGRESS = JSON.stringify({ progress: { step: 'verify', done: 1 } })
/** Its progress names its pid. */
const TELLS_PID = `echo '{"progress":{"step":"'$$'","done":1}}'`
/** Characters of a complaint that are passed on. */
const REASON_MAX = 2_000
/** A pid that no process has: nothing is put before the command then. */
const NOBODY = 2 ** 30

let folder = ''
beforeEach(() => {
  folder = newFolder()
})

test('a compactor that works may take as long as it does, one that hangs is ended', async () => {
  const works = `for i in 1 2 3; do echo '${PROGRESS}'; sleep 0.3; done; ${TELLS_RESULT}`
  expect(await timed(works, COMPACTION_SILENCE_MS_MAX * 0.7)).toEqual(RESULT)
  const hangs = `echo '${PROGRESS}'; exec sleep 60`
  const tooLongMs = COMPACTION_SILENCE_MS_MAX + 1
  await expect(timed(hangs, tooLongMs)).rejects.toThrow('told nothing')
  const complains = `echo 'the disk hangs' >&2; sleep 0.2; ${hangs}`
  await expect(timed(complains, tooLongMs)).rejects.toThrow('the disk hangs')
})

test('the result of a compactor that ended well is its result, however late it is read', async () => {
  const told: CompactorProgress[] = []
  const script = `echo '${PROGRESS}'; (sleep 0.3; ${TELLS_RESULT}) & exit 0`
  expect(await compacted(script, (progress) => told.push(progress))).toEqual(RESULT)
  expect(told).toEqual([{ step: 'verify', done: 1 }])
  expect(await compacted(`echo 'a word of warning' >&2; ${TELLS_RESULT}`)).toEqual(RESULT)
})

test.each([
  [`${TELLS_RESULT}; exit 3`, 'it ended with code 3'],
  [`echo '${PROGRESS}'`, 'it ended with code 0'],
  [`echo '{"result":{"seq":9}}'; echo 'no JSON'`, 'it ended with code 0'],
  [`${TELLS_RESULT}; kill -9 $$`, 'it ended with SIGKILL'],
  [`echo one >&2; sleep 0.2; echo two >&2; exit 1`, 'one\ntwo'],
  [`i=0; while [ $i -lt 3000 ]; do printf complaint >&2; i=$((i+1)); done; exit 1`, null],
])(
  'a compactor that did not end well made nothing, and its complaint is passed on: %s',
  async (script, reason) => {
    const message = reason ?? 'complaint'.repeat(REASON_MAX).slice(0, REASON_MAX)
    await expect(compacted(script)).rejects.toMatchObject({ code: 'disk', message })
  },
)

test('a compactor is ended at once, whatever it does about it', async () => {
  const stop = new AbortController()
  const script = `trap '' TERM INT; echo '${PROGRESS}'; exec sleep 20`
  const startMs = performance.now()
  await expect(compacted(script, () => stop.abort(), stop.signal)).rejects.toThrow()
  await expect.poll(compactorName).toBeNull()
  expect(performance.now() - startMs).toBeLessThan(10_000)
})

test('the folder says which compactor works on it for as long as it does', async () => {
  const named: unknown[] = []
  const pids: number[] = []
  const look = ({ step }: CompactorProgress) => {
    pids.push(Number(step))
    named.push(JSON.parse(compactorName() ?? '{}'))
  }
  await compacted(`${TELLS_PID}; sleep 0.3; ${TELLS_RESULT}`, look)
  expect(compactorName()).toBeNull()
  await expect(compacted(`${TELLS_PID}; sleep 0.3; exit 1`, look)).rejects.toThrow()
  expect(compactorName()).toBeNull()
  expect(named).toMatchObject(pids.map((pid) => ({ pid })))
  expect(new Set(pids).size).toBe(2)
})

test('a compactor that cannot be written down does nothing, and that is the reason', async () => {
  rmSync(folder, { recursive: true })
  const witness = `${folder}-ran`
  const script = join(newFolder(), 'compactor.sh')
  const running = compacted(`sleep 0.3; touch '${witness}'`, () => {}, undefined, script)
  await expect(running).rejects.toThrow('ENOENT')
  expect(existsSync(witness)).toBe(false)
})

test('a compactor whose program is gone, as by an update of it, made nothing and is not written down', async () => {
  const { signal } = new AbortController()
  const gone = join(folder, 'gone')
  const running = run(gone, NOBODY, () => {}, signal)
  expect(compactorName()).toBeNull()
  await expect(running).rejects.toMatchObject({ code: 'disk', message: `spawn ${gone} ENOENT` })
})

/** What the folder says of its compactor; null for nothing. */
function compactorName(): string | null {
  const path = join(folder, 'compactor')
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

/** Runs a script in the place of the compactor; so long passes behind each line of its progress. */
async function timed(script: string, passesMs: number) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    return await compacted(script, () => void vi.advanceTimersByTime(passesMs))
  } finally {
    vi.useRealTimers()
  }
}

/** Runs a script in the place of the compactor. */
async function compacted(
  script: string,
  onProgress: (progress: CompactorProgress) => void = () => {},
  signal = new AbortController().signal,
  path = join(folder, 'compactor.sh'),
) {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return run(path, process.pid, onProgress, signal)
}

async function run(
  path: string,
  serving: number,
  onProgress: (progress: CompactorProgress) => void,
  signal: AbortSignal,
) {
  const { execPath } = process
  process.execPath = path
  const asked = { program: '', folder, untilSegment: 1, keepsJournal: false, memoryBytesMax: 1 }
  try {
    return await runCompactor(asked, serving, onProgress, signal)
  } finally {
    process.execPath = execPath
  }
}
