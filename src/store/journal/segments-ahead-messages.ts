import { isRecord } from '../../base/json-access.ts'

/** What the worker (segments-ahead-worker.ts) is told: a file to load, into old memory if any. */
export interface LoadOrder {
  readonly path: string
  readonly buffer: ArrayBuffer | null
}

/** What it answers; `length` -1 when the file could not be read. */
export interface LoadedFile {
  readonly buffer: ArrayBuffer
  readonly length: number
  readonly checkedTo: number
}

export function isLoadOrder(message: unknown): message is LoadOrder {
  if (!isRecord(message) || typeof message.path !== 'string') return false
  return message.buffer === null || message.buffer instanceof ArrayBuffer
}

export function isLoadedFile(message: unknown): message is LoadedFile {
  if (!isRecord(message) || !(message.buffer instanceof ArrayBuffer)) return false
  return Number.isInteger(message.length) && Number.isInteger(message.checkedTo)
}
