/** Takes the write-ahead log of alerts.db into the file when it is asked to, so that no sync of it holds the loop up. */
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from './database.ts'

/** A pass takes what was there when it began. The log begins anew where nothing came meanwhile, so passes go on until then. */
const PASSES_MAX = 16

if (typeof workerData !== 'string') throw new Error('the worker was given no file')
const database = openDatabase(workerData)
// It waits for nobody, and the other connection goes on writing.
const pass = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')

parentPort?.on('message', () => {
  let before: unknown = null
  for (let i = 0; i < PASSES_MAX; i++) {
    const { log, checkpointed } = pass.get() ?? {}
    const isWhole = log === checkpointed && log === before
    if (isWhole) break
    before = log
  }
  parentPort?.postMessage(null)
})
