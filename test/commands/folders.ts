import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { Writable } from 'node:stream'
import { onTestFinished, vi } from 'vitest'
import { runCommand } from '../../src/commands/run-command.ts'
import type { Config } from '../../src/config/config.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { TAPE_CHUNK_RECORDS } from '../../src/engine/state/tape.ts'
import { type FeedEvent, gapEvent } from '../../src/events/event.ts'
import { compact } from '../../src/store/compaction/compaction.ts'
import type { StoreError } from '../../src/store/disk/failure.ts'
import type { MapFile } from '../../src/store/disk/kernel-calls.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { FileCommitMarker, readMark } from '../../src/store/folder/commit-marker.ts'
import { bootId } from '../../src/store/folder/process-lock.ts'
import { Journal, SEGMENT_BYTES } from '../../src/store/journal/journal.ts'
import { MappedRing } from '../../src/store/journal/journal-ring.ts'
import { JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { type Recovered, recover } from '../../src/store/recovery/recovery.ts'
import { SNAPSHOT_VERSION, stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { archivedEngine } from '../../src/store/snapshot/tape-archive.ts'
import { filesOf } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { crowd } from '../store/crowd.ts'
import { systemError } from '../store/disks/crash-disk.ts'
import { olderSnapshot } from '../store/older-snapshot.ts'

/** Small chunks and segments: a few thousand events fill several. */
export interface RunOptions {
  readonly chunkRecords?: number
  readonly segmentBytes?: number
  readonly keepsJournal?: boolean
  /** Events handed over at once. */
  readonly batch?: number
  /** `off` is fast; damage can only be told from a torn tail where something was synced. */
  readonly fsync?: Config['fsync']
  /** What makes files memory: the journal then has a ring. */
  readonly map?: MapFile | null
  /** Told when the disk refused, which is thrown when left out. */
  readonly onFailure?: (failure: StoreError) => void
}

/** A run of the service in a folder, without the service. */
export class Run {
  readonly engine: Engine
  readonly journal: Journal
  readonly recovered: Recovered
  readonly #journaled: JournaledEngine
  readonly #folder: string
  readonly #options: RunOptions

  constructor(folder: string, options: RunOptions = {}) {
    const disk = new NodeDisk()
    const ring = new MappedRing(folder, options.map ?? null, () => {})
    this.#folder = folder
    this.#options = options
    this.engine = this.#newEngine()
    this.recovered = runToEnd(
      recover({
        disk,
        folder,
        ring,
        boot: bootId(),
        written: readMark(folder, bootId()),
        engine: this.engine,
        newEngine: () => this.#newEngine(),
        newEpoch: randomUUID,
      }),
    )
    this.engine.settle({ clock: 'event', lateSlots: 32 })
    this.journal = new Journal(
      {
        disk,
        folder,
        fsync: options.fsync ?? 'always',
        epoch: this.recovered.epoch,
        boot: bootId(),
        mark: new FileCommitMarker(folder, options.map),
        ring,
        segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
        onFailure:
          options.onFailure ??
          ((failure) => {
            throw failure
          }),
      },
      this.recovered.place,
    )
    this.#journaled = new JournaledEngine(this.engine, this.journal)
    this.#journaled.settings()
  }

  get digest(): string {
    return stateDigest(this.engine.parts)
  }

  take(events: readonly FeedEvent[]): this {
    const { batch = 100 } = this.#options
    for (let from = 0; from < events.length; from += batch)
      this.#journaled.events(events.slice(from, from + batch))
    return this
  }

  snapshot(): this {
    runToEnd(
      compact({
        disk: new NodeDisk(),
        folder: this.#folder,
        untilSegment: this.journal.boundary(),
        newEngine: () => this.#newEngine(),
        keepsJournal: this.#options.keepsJournal ?? false,
      }),
    )
    return this
  }

  close(): this {
    this.journal.close()
    return this
  }

  #newEngine(): Engine {
    return emptyEngine(this.#folder, this.#options.chunkRecords)
  }
}

/** An engine that reads the chunks of a folder. */
export function emptyEngine(folder: string, tapeChunkRecords = TAPE_CHUNK_RECORDS): Engine {
  return archivedEngine(new NodeDisk(), folder, { clock: 'event', tapeChunkRecords })
}

/** A crowd of which every event can be an event line. */
export function crowdOfLines(seed: number, count: number): FeedEvent[] {
  return crowd(seed, count).map((event) =>
    event.type === 'token_created' ? { ...event, tokenProgram: 'program' } : event,
  )
}

/** Events before a gap and behind it, the beginning of what fills it, and the rest of that. */
export function runOfGap(): readonly [FeedEvent[], FeedEvent[], FeedEvent[]] {
  const gap = { from: 150, to: 250, seconds: START_SECOND + 101 }
  const trades = (slots: readonly number[]) =>
    slots.map((slot) => swap({ slot, timestamp: START_SECOND + slot - 150 }))
  const before = [created({ tokenProgram: 'program' }), ...trades([140, 145])]
  return [
    [...before, ...trades([251, 252]), gapEvent('open', gap)],
    [gapEvent('filling', gap), ...trades([230, 231])],
    [...trades([232]), gapEvent('filled', gap), ...trades([253])],
  ]
}

/** A folder with two snapshots, segments between and behind them, and its last run. */
export function filledFolder(options: RunOptions = {}): {
  folder: string
  run: Run
  events: readonly FeedEvent[]
} {
  const folder = newFolder()
  const events = crowdOfLines(7, 1_468)
  const run = new Run(folder, options)
  run.take(events.slice(0, 500)).snapshot()
  run.take(events.slice(500, 1_000)).snapshot()
  run.take(events.slice(1_000)).close()
  return { folder, run, events }
}

/** A folder that was written, and of which journal and snapshots are gone. */
export function emptiedFolder(): string {
  const { folder } = filledFolder()
  for (const path of [...filesOf(folder, 'journal-'), ...filesOf(folder, 'snapshot-')])
    fs.rmSync(path)
  return folder
}

/** Runs a command in this process. */
export async function ask(
  ...args: string[]
): Promise<{ code: number; output: string; errors: string }> {
  const output: string[] = []
  const errors: string[] = []
  const code = await runCommand(args, {
    stdin: process.stdin,
    stdout: into(output),
    stderr: into(errors),
    environment: {},
  })
  return { code, output: output.join(''), errors: errors.join('') }
}

export function into(texts: string[]): Writable {
  return new Writable({
    decodeStrings: false,
    write(text, _, done) {
      texts.push(String(text))
      done()
    },
  })
}

/** A byte of a file cannot be read any more until the test ends. */
export function spoilSector(path: string, byte: number): void {
  const { openSync, closeSync, readSync } = fs
  const open = new Set<number>()
  const opening = vi.spyOn(fs, 'openSync').mockImplementation((name, flags, mode) => {
    const fd = openSync(name, flags, mode)
    if (name === path) open.add(fd)
    return fd
  })
  const closing = vi.spyOn(fs, 'closeSync').mockImplementation((fd) => {
    open.delete(fd)
    closeSync(fd)
  })
  const reading = vi.spyOn(fs, 'readSync').mockImplementation((...given: unknown[]) => {
    const [fd, , , length, position] = given.map(Number)
    if (open.has(fd) && position <= byte && byte < position + length)
      throw systemError('EIO', 'read')
    return Reflect.apply(readSync, fs, given)
  })
  onTestFinished(() => {
    for (const spy of [opening, closing, reading]) spy.mockRestore()
  })
}

/** Makes a snapshot one that a later version of the program has written. */
export const makeLater = (path: string) => makeVersion(path, SNAPSHOT_VERSION + 1)

/** Where a chunk has the crc of its header. */
const CHUNK_CRC_AT = 36

/** Makes a snapshot one of the version before, made with the chunks of swaps that are there now. */
export function makeOlder(path: string): void {
  const crcOf = (chunk: string) => fs.readFileSync(chunk).readUInt32LE(CHUNK_CRC_AT)
  const chunks = filesOf(dirname(path), 'tape-').map(crcOf)
  fs.writeFileSync(path, olderSnapshot(fs.readFileSync(path), chunks))
}

function makeVersion(path: string, version: number): void {
  const bytes = fs.readFileSync(path)
  bytes.writeUInt32LE(version, 8)
  bytes.writeUInt32LE(version, bytes.length - 12)
  fs.writeFileSync(path, bytes)
}
