import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { entryFile } from '../base/program-files.ts'

/** The log of SQLite is taken into the file beside the loop each time that commits have some so many bytes. */
const CHECKPOINT_BYTES = 4 * 2 ** 20

/** Takes the log into the file on a thread of its own, which is made when it is first needed. */
export class Checkpoints {
  readonly #path: string
  #worker: Worker | null = null
  #isUnderWay = false
  #bytes = 0

  constructor(path: string) {
    this.#path = path
  }

  /** So many bytes more are in the log. */
  note(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < CHECKPOINT_BYTES || this.#isUnderWay) return
    this.#bytes = 0
    this.#isUnderWay = true
    this.#worker ??= this.#begun()
    this.#worker.postMessage(null)
  }

  #begun(): Worker {
    const worker = new Worker(entryFile('checkpoint-worker'), { workerData: this.#path })
    worker.on('message', () => {
      this.#isUnderWay = false
      // What came meanwhile may be enough for the next one.
      this.note(0)
    })
    // The next one tries anew; if none succeeds the commits do it, as a disk that refuses lets them fail too.
    worker.on('error', () => {
      this.#worker = null
      this.#isUnderWay = false
    })
    worker.unref()
    return worker
  }

  close(): void {
    void this.#worker?.terminate()
  }
}

/** Node 22 warns on standard error, where the log is, that its SQLite may change: the version of Node is pinned. */
export function openDatabase(path: string): DatabaseSync {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite')
    return new Database(path)
  } finally {
    process.emitWarning = emitWarning
  }
}
