import { type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { isRecord } from '../../base/json-access.ts'
import { entryFile } from '../../base/program-files.ts'
import type { Disk } from '../disk/disk.ts'
import { type SegmentSource, segmentFiles } from './journal-scan.ts'

/** Segments that lie loaded before they are asked for. */
const AHEAD_MAX = 3

/**
 * Loads and checks segments on another core while this one folds. Whatever the worker does not
 * give, for any reason, is read and checked here.
 */
export class SegmentPrefetcher implements SegmentSource {
  readonly #files: ReturnType<typeof segmentFiles>
  readonly #worker: Worker
  readonly #port: MessagePort
  /** Paths that were not ordered yet, and those that were, in the order of the walk. */
  #waiting: string[] = []
  readonly #ordered: string[] = []
  readonly #loaded: LoadedFile[] = []
  #inUse: ArrayBuffer | null = null
  #hasFailed = false

  constructor(disk: Disk) {
    this.#files = segmentFiles(disk)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(entryFile('segment-prefetcher-worker'), {
      workerData: port2,
      transferList: [port2],
    })
    this.#worker.unref()
    this.#worker.on('error', () => {
      this.#hasFailed = true
    })
  }

  /** Begins to load these, one after the other. */
  begin(paths: readonly string[]): void {
    this.#waiting = [...paths]
    for (let i = 0; i < AHEAD_MAX; i++) this.#order(null)
  }

  take(path: string) {
    if (this.#inUse !== null) this.#order(this.#inUse)
    this.#inUse = null
    if (this.#hasFailed || this.#ordered[0] !== path) return this.#files.take(path)
    this.#receive()
    const file = this.#loaded.shift()
    if (file === undefined) return null
    this.#ordered.shift()
    this.#inUse = file.buffer
    if (file.length < 0) return this.#files.take(path)
    return { bytes: new Uint8Array(file.buffer, 0, file.length), checkedTo: file.checkedTo }
  }

  close(): void {
    void this.#worker.terminate()
  }

  #order(buffer: ArrayBuffer | null): void {
    const path = this.#waiting.shift()
    if (path === undefined) return
    this.#ordered.push(path)
    this.#port.postMessage({ path, buffer }, buffer === null ? [] : [buffer])
  }

  #receive(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.#port)
      if (received === undefined) return
      const message: unknown = received.message
      if (isLoadedFile(message)) this.#loaded.push(message)
      else this.#hasFailed = true
    }
  }
}

/** What the worker (segment-prefetcher-worker.ts) gets: a file to load, into old memory if there is any. */
export function isLoadOrder(
  message: unknown,
): message is { readonly path: string; readonly buffer: ArrayBuffer | null } {
  if (!isRecord(message) || typeof message.path !== 'string') return false
  return message.buffer === null || message.buffer instanceof ArrayBuffer
}

function isLoadedFile(message: unknown): message is LoadedFile {
  if (!isRecord(message) || !(message.buffer instanceof ArrayBuffer)) return false
  return Number.isInteger(message.length) && Number.isInteger(message.checkedTo)
}

/** What the worker answers; `length` is -1 when the file could not be read. */
interface LoadedFile {
  readonly buffer: ArrayBuffer
  readonly length: number
  readonly checkedTo: number
}
