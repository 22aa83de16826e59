import { decodeBase58 } from '../../src/base/base58.ts'
import { type DecodedEvent, decodeEvent } from '../../src/feeds/chain/layouts/decode-event.ts'
import { programName } from '../../src/feeds/chain/layouts/programs.ts'
import {
  type EmittedBytes,
  eventOfInstruction,
  eventsOfLogs,
} from '../../src/feeds/chain/transactions/program-logs.ts'
import { transactionOfLogsFrame } from '../../src/feeds/chain/transactions/rpc-json.ts'
import { dataLines, dataText } from './data-folder.ts'

export interface Golden {
  readonly label: string
  readonly emitted: EmittedBytes
  readonly event: string
  /** Integers as decimal strings; only the fields that the bytes hold. */
  readonly decoded: Record<string, unknown>
  readonly unknownTailHex: string
}

/** As the goldens are written: every integer a decimal string. */
function goldenForm(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(goldenForm)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, goldenForm(item)]))
}

/** The fields that the bytes held, without the last `newer` ones, in the form of the goldens. */
export function presentFields(event: DecodedEvent, newer = 0): unknown {
  const entries = Object.entries(event.toObject()).slice(0, event.fieldsPresent - newer)
  return goldenForm(Object.fromEntries(entries))
}

export function decodedOrFail(emitted: EmittedBytes): DecodedEvent {
  const event = decodeEvent(emitted.program, emitted.bytes)
  if (event === null) throw new Error(`no event of ${emitted.program} in these bytes`)
  return event
}

interface LogGoldenLine {
  line: number
  signature: string
  event: string
  decoded: Record<string, unknown>
}

/** The first 70 events of the recorded log frames. */
export function logGoldens(): Golden[] {
  const frames = dataLines('jouleka-memecoin-bot', 'logs_subscribe_pumpfun.jsonl')
  const emitted = frames.flatMap((line) => {
    const transaction = transactionOfLogsFrame(JSON.parse(JSON.parse(line).raw))
    if (transaction === null || transaction.failed || transaction.logs === null) return []
    const { signature } = transaction
    return eventsOfLogs(transaction.logs).emitted.map((event) => ({ signature, event }))
  })
  const goldens: LogGoldenLine[] = dataLines('golden', 'jouleka_logs_events.jsonl').map((line) =>
    JSON.parse(line),
  )
  return goldens.map((golden, index) => {
    if (emitted[index].signature !== golden.signature)
      throw new Error(`line ${golden.line} differs`)
    return {
      label: `line ${golden.line} ${golden.event}`,
      emitted: emitted[index].event,
      event: golden.event,
      decoded: golden.decoded,
      unknownTailHex: '',
    }
  })
}

interface MainnetItem {
  label: string
  emitted_as: 'program_log' | 'self_cpi'
  data: string
  event: string
  program: string
  unknown_tail_hex: string
  decoded: Record<string, unknown>
}

/** The eight events of 2026, some with bytes that no public IDL knows. */
export function mainnetGoldens(): Golden[] {
  const file: { events: MainnetItem[] } = JSON.parse(dataText('mainnet-events-2026', 'events.json'))
  return file.events.map((item) => ({
    label: item.label,
    emitted: emittedOf(item),
    event: item.event,
    decoded: item.decoded,
    unknownTailHex: item.unknown_tail_hex,
  }))
}

function emittedOf(item: MainnetItem): EmittedBytes {
  const program = programName(item.program)
  if (program === null) throw new Error(`${item.program} is not read`)
  if (item.emitted_as === 'program_log') {
    return { program, bytes: Buffer.from(item.data, 'base64') }
  }
  const emitted = eventOfInstruction(item.program, decodeBase58(item.data) ?? new Uint8Array())
  if (emitted === null) throw new Error(`${item.label} is no event`)
  return emitted
}
