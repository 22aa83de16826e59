import { integerAt, isRecord, jsonOf, recordAt, textAt } from '../../base/json-access.ts'
import { transactionOfLogsFrame } from '../chain/transactions/rpc-json.ts'
import type { ChainTransaction } from '../chain/transactions/transaction.ts'

/**
 * What a frame of the WebSocket says. `failed` is said of nine frames in ten, and costs two searches
 * in the bytes: nothing of such a frame is parsed.
 */
export type LogFrame =
  | { readonly kind: 'failed'; readonly slot: number | null; readonly subscription: string | null }
  | {
      readonly kind: 'logs'
      readonly transaction: ChainTransaction
      readonly subscription: string | null
    }
  | { readonly kind: 'slot'; readonly slot: number; readonly parentSlot: number | null }
  | { readonly kind: 'acknowledged'; readonly id: number; readonly subscription: string | null }
  | { readonly kind: 'refused'; readonly id: number; readonly reason: string }
  | { readonly kind: 'other' | 'bad' }

/** Inside of texts quotes are escaped, so these stand for the key of the frame itself. */
const FAILURES = [Buffer.from('"err":{'), Buffer.from('"err":"')]
const SLOT_KEY = Buffer.from('"slot":')
const SUBSCRIPTION_KEY = Buffer.from('"subscription":')
const RESULT_KEY = Buffer.from('"result":')
/** A number, or a text. */
const ID = /^\s*(?:(\d+)|"([^"]+)")/
/** Most bytes that are looked at for an id. */
const ID_BYTES_MAX = 64
/** Nodes write slot and subscription before and behind the logs; servers between write them anew, on either side. */
const HEAD_BYTES = 256
const TAIL_BYTES = 128

export function readLogFrame(bytes: Buffer): LogFrame {
  if (FAILURES.some((failure) => bytes.includes(failure))) {
    const [head, tail] = [bytes.subarray(0, HEAD_BYTES), bytes.subarray(-TAIL_BYTES)]
    return {
      kind: 'failed',
      slot: numberBehind(head, SLOT_KEY) ?? numberBehind(tail, SLOT_KEY),
      subscription: idBehind(tail, SUBSCRIPTION_KEY) ?? idBehind(head, SUBSCRIPTION_KEY),
    }
  }
  const frame = jsonOf(bytes.toString('utf8'))
  if (frame === undefined) return { kind: 'bad' }
  const method = textAt(frame, 'method')
  if (method === 'logsNotification') return logs(frame, idBehind(bytes, SUBSCRIPTION_KEY))
  if (method === 'slotNotification') {
    const result = recordAt(recordAt(frame, 'params'), 'result')
    const slot = integerAt(result, 'slot')
    return slot === null
      ? { kind: 'bad' }
      : { kind: 'slot', slot, parentSlot: integerAt(result, 'parent') }
  }
  const id = integerAt(frame, 'id')
  if (id === null || !isRecord(frame)) return { kind: 'other' }
  const error = recordAt(frame, 'error')
  if (error === null) return { kind: 'acknowledged', id, subscription: idBehind(bytes, RESULT_KEY) }
  return { kind: 'refused', id, reason: textAt(error, 'message') ?? 'without a reason' }
}

function logs(frame: unknown, subscription: string | null): LogFrame {
  const transaction = transactionOfLogsFrame(frame)
  if (transaction === null) return { kind: 'bad' }
  if (transaction.failed) return { kind: 'failed', slot: transaction.slot, subscription }
  return { kind: 'logs', transaction, subscription }
}

/** The number behind a key, read off some bytes of a frame; null: it is not there. */
function numberBehind(bytes: Buffer, key: Buffer): number | null {
  const at = bytes.indexOf(key)
  if (at < 0) return null
  const value = Number.parseInt(bytes.toString('latin1', at + key.length), 10)
  return Number.isSafeInteger(value) ? value : null
}

/**
 * The id behind a key, as it is written: a u64 of which a number would keep 53 bits, and two
 * subscriptions might look like one.
 */
function idBehind(bytes: Buffer, key: Buffer): string | null {
  const at = bytes.indexOf(key)
  if (at < 0) return null
  const start = at + key.length
  const [, digits, text] = ID.exec(bytes.toString('latin1', start, start + ID_BYTES_MAX)) ?? []
  return digits ?? text ?? null
}
