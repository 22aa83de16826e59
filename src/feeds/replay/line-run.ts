import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import { isRecord, jsonOf } from '../../base/json-access.ts'
import type { FeedEvent, Gap } from '../../events/event.ts'
import { type LineError, parseEventLine, parseEventValue } from '../../events/event-lines.ts'
import type { EventSink } from '../../events/event-sink.ts'
import { usualSwap } from '../../events/swap-line.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { RECORDING_GAP_SECONDS, wait } from '../timers.ts'
import { RecordedValues } from './recorded-value.ts'

/** Events handed over at once; the event loop runs between two batches. */
const BATCH_EVENTS = 1_000
/** Events that fill a gap are handed over as a whole, so many of them at most. */
const RUN_EVENTS_MAX = 50_000

export interface LineRunOptions {
  readonly counters: FeedCounters
  /** Reports events that no layout knows. */
  readonly forms?: NewForms
  /** Called for a line that cannot be read: its number, from 1 on, and why. */
  readonly report: (lineNumber: number, reason: string) => void
  /** Factor of real time above 0, or as fast as the engine takes it. */
  readonly speed: number | 'max'
  readonly signal: AbortSignal
  /** Resolves when the sink has room for more; null: it has now. Left out: it always has. */
  readonly whenRoom?: (() => Promise<void> | null) | undefined
  /** Called with the number of lines that were read, after each chunk of the input. */
  readonly onLines?: (lines: number) => void
  /**
   * Characters that are buffered of input that may be one JSON value over many lines, as an editor writes it; 0:
   * each line is a value.
   */
  readonly documentCharactersMax: number
}

/** One reading of lines from a stream into a sink. */
export class LineRun {
  readonly #sink: EventSink
  readonly #options: LineRunOptions
  readonly #splitter = new LineSplitter()
  readonly #pacer: Pacer
  /** Made for the first value that is no event line: what it remembers takes megabytes. */
  #values: RecordedValues | null = null
  #batch: FeedEvent[] = []
  /** The gap that the newest events fill, until their end; the engine takes later ones back until then. */
  #fill: Gap | null = null
  /** Lines of a document; null: each line is a value. */
  #document: DocumentLines | null = null
  #isFirst = true
  #hasTorn = false

  constructor(sink: EventSink, options: LineRunOptions) {
    this.#sink = sink
    this.#options = options
    this.#pacer = new Pacer(options.speed)
  }

  /**
   * Reads to the end or until the signal, which destroys the input. A read that fails ends the run as the end
   * of the input does, reported and counted; an error of the sink is thrown.
   */
  async read(input: Readable): Promise<void> {
    const { signal } = this.#options
    const destroy = () => input.destroy()
    signal.addEventListener('abort', destroy)
    try {
      await this.#readAll(input)
    } finally {
      signal.removeEventListener('abort', destroy)
    }
  }

  async #readAll(input: Readable): Promise<void> {
    const { signal, onLines, counters } = this.#options
    const chunks = input.iterator({ destroyOnReturn: true })
    for (let chunk = await this.#next(chunks); chunk !== null; chunk = await this.#next(chunks)) {
      for (const line of this.#splitter.push(chunk)) {
        const pause = this.#take(line)
        // A promise for each line would cost as much as a third of its reading.
        if (pause !== null) await pause
        if (signal.aborted) return
      }
      if (!this.#isHeld) await this.#flush()
      onLines?.(counters.lines)
    }
    if (signal.aborted) return
    // What a tear left of the last line or value is not what was written.
    if (!this.#hasTorn) for (const line of this.#splitter.end()) await this.#take(line)
    await this.#takeDocument()
    await this.#hand(this.#values?.ended() ?? [], this.#splitter.lineNumber)
    // Its end was lost: the gap is as open as before, and later events go back to their places.
    if (this.#fill !== null) this.#batch.push({ ...this.#fill, state: 'open' })
    await this.#flush()
  }

  /** The next bytes; null at the end, when stopped and when reading fails. */
  async #next(chunks: AsyncIterator<unknown>): Promise<Uint8Array | null> {
    const { signal, counters, report } = this.#options
    try {
      const { done, value } = await chunks.next()
      if (done === true || signal.aborted) return null
      return value instanceof Uint8Array ? value : Buffer.from(String(value))
    } catch (error) {
      if (signal.aborted) return null
      counters.readErrors++
      this.#hasTorn = true
      report(this.#splitter.lineNumber + 1, `reading ended early: ${messageOf(error)}`)
      return null
    }
  }

  /** Null: the next line may be taken at once. */
  #take(line: Line): Promise<void> | null {
    const { counters, documentCharactersMax } = this.#options
    const isFirst = this.#isFirst
    this.#isFirst = false
    const swap = this.#document === null && line.bytes !== null ? usualSwap(line.bytes) : null
    if (swap !== null) {
      counters.lines++
      return this.#hand([swap], line.number)
    }
    const { text } = line
    if (text === null) {
      counters.lines++
      this.#bad(line.number, line.reason)
      return null
    }
    if (isFirst && documentCharactersMax > 0 && isOpening(text))
      this.#document = new DocumentLines(documentCharactersMax)
    if (this.#document === null) return this.#takeText(line.number, text)
    this.#document.add(line.number, text)
    if (!this.#document.isFull) return null
    const reason = `the JSON value it begins is longer than ${documentCharactersMax} characters`
    return this.#takeLines(this.#document, reason)
  }

  /** An event line says what it is; of all else `values` has to know what came before. */
  #eventsOf(value: unknown): readonly FeedEvent[] | LineError {
    if (!isRecord(value) || Object.hasOwn(value, 'type')) return listOf(parseEventValue(value))
    const { counters, forms } = this.#options
    this.#values ??= new RecordedValues(counters, forms)
    return this.#values.eventsOf(value)
  }

  #takeText(lineNumber: number, text: string): Promise<void> | null {
    this.#options.counters.lines++
    const value = jsonOf(text)
    // Of what is no JSON the sentence shows how the line begins.
    const found = value === undefined ? listOf(parseEventLine(text)) : this.#eventsOf(value)
    return this.#hand(found, lineNumber)
  }

  async #takeDocument(): Promise<void> {
    const document = this.#document
    if (document === null) return
    const value = this.#hasTorn ? undefined : jsonOf(document.text)
    if (value === undefined && document.haveValues())
      return this.#takeLines(document, 'the JSON value it begins is not valid')
    this.#document = null
    if (this.#hasTorn) return
    this.#options.counters.lines++
    if (value === undefined) this.#bad(1, 'the file is not valid JSON')
    else
      for (const item of Array.isArray(value) ? value : [value])
        await this.#hand(this.#eventsOf(item), 1)
  }

  /** Takes the lines of what is no document: the first is bad, the others are values of their own. */
  async #takeLines(document: DocumentLines, reason: string): Promise<void> {
    this.#document = null
    let taken = 0
    for (const [lineNumber, text] of document) {
      if (this.#options.signal.aborted) return
      if (taken > 0) await this.#takeText(lineNumber, text)
      else {
        this.#options.counters.lines++
        this.#bad(lineNumber, reason)
      }
      // Bad lines fill no batch.
      if (++taken % BATCH_EVENTS === 0) await this.#flush()
    }
  }

  #hand(found: readonly FeedEvent[] | LineError, lineNumber: number): Promise<void> | null {
    if ('error' in found) {
      this.#bad(lineNumber, found.error)
      return null
    }
    if (this.#options.speed !== 'max') return this.#handPaced(found)
    for (const event of found) this.#add(event)
    return this.#isDue ? this.#flush() : null
  }

  async #handPaced(found: readonly FeedEvent[]): Promise<void> {
    const { signal } = this.#options
    for (const event of found) {
      // What is told of a gap, and what fills it, is of a time that has passed.
      const isFilling = this.#fill !== null && !isBehind(this.#fill, event)
      const isPaced = !isFilling && event.type !== 'gap'
      const delayMs = isPaced ? this.#pacer.delayMs(event.timestamp) : 0
      if (delayMs > 0) {
        await this.#flush()
        await wait(delayMs, signal)
        if (signal.aborted) return
      }
      this.#add(event)
    }
    if (this.#isDue) await this.#flush()
  }

  #add(event: FeedEvent): void {
    if (this.#fill !== null && isBehind(this.#fill, event)) this.#fill = null
    this.#batch.push(event)
    if (event.type === 'gap') this.#fill = event.state === 'filling' ? event : null
  }

  get #isDue(): boolean {
    return this.#batch.length >= BATCH_EVENTS && !this.#isHeld
  }

  get #isHeld(): boolean {
    return this.#fill !== null && this.#batch.length < RUN_EVENTS_MAX
  }

  #bad(lineNumber: number, reason: string): void {
    this.#options.counters.badLines++
    this.#options.report(lineNumber, reason)
  }

  async #flush(): Promise<void> {
    await this.#options.whenRoom?.()
    const batch = this.#batch
    if (batch.length > 0) {
      this.#batch = []
      this.#sink.events(batch)
      this.#options.counters.events += batch.length
    }
    await nextTurn()
  }
}

/** What comes from behind the gap does not fill it: the end of the fill was lost. */
function isBehind({ toSlot }: Gap, event: FeedEvent): boolean {
  return 'slot' in event && event.slot !== null && event.slot > toSlot
}

function listOf(event: FeedEvent | LineError): readonly FeedEvent[] | LineError {
  return 'error' in event ? event : [event]
}

/** A line that only opens a JSON value: the value goes on below. */
function isOpening(text: string): boolean {
  const trimmed = text.trim()
  return trimmed === '{' || trimmed === '['
}

/** What a line takes beside its text. */
const LINE_CHARACTERS = 16

/** Lines of a file that begins as one JSON value over many of them, as an editor writes it. */
class DocumentLines {
  readonly #charactersMax: number
  readonly #texts: string[] = []
  readonly #numbers: number[] = []
  #characters = 0

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax
  }

  get isFull(): boolean {
    return this.#characters > this.#charactersMax
  }

  get text(): string {
    return this.#texts.join('\n')
  }

  add(number: number, text: string): void {
    this.#texts.push(text)
    this.#numbers.push(number)
    this.#characters += text.length + LINE_CHARACTERS
  }

  /** Whether lines are values by themselves, which those of one value over many lines are not. */
  haveValues(): boolean {
    return this.#texts.some(isValue)
  }

  *[Symbol.iterator](): Generator<readonly [number, string]> {
    for (const [i, number] of this.#numbers.entries()) yield [number, this.#texts[i] ?? '']
  }
}

function isValue(text: string): boolean {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return false
  const value = jsonOf(trimmed)
  return isRecord(value) && Object.keys(value).length > 0
}

/** Longest line that is read; a whole transaction with its log stays far below. */
export const LINE_BYTES_MAX = 1024 * 1024

const NEWLINE = 10
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
/** No line is blank that begins with it. */
const BRACE = 123

class Line {
  /** From 1, blank lines count. */
  readonly number: number
  /** Without line end, good until the next line is asked for; null: the line is too long. */
  readonly bytes: Buffer | null

  constructor(number: number, bytes: Buffer | null) {
    this.number = number
    this.bytes = bytes
  }

  /** Null when the line cannot be read. */
  get text(): string | null {
    return this.bytes !== null && isUtf8(this.bytes) ? this.bytes.toString('utf8') : null
  }

  /** Why it has no text. */
  get reason(): string {
    return this.bytes === null
      ? `the line is longer than ${LINE_BYTES_MAX} bytes`
      : 'the line is not valid UTF-8'
  }
}

/**
 * Splits bytes into lines of UTF-8 text. Works on bytes, so a character that two chunks share is
 * whole. Keeps at most one line: what is longer than the cap is dropped until its end.
 */
export class LineSplitter {
  #number = 0
  #pending: Buffer[] = []
  #pendingBytes = 0
  #isTooLong = false

  /** Lines seen so far. */
  get lineNumber(): number {
    return this.#number
  }

  /** Lines that `chunk` ends; blank ones are left out. */
  *push(chunk: Uint8Array): Generator<Line> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#append(bytes.subarray(start, end))
      start = end + 1
      const line = this.#take()
      if (line !== null) yield line
    }
    // Copied: the rest outlives the chunk, whose buffer belongs to the stream.
    if (start < bytes.length) this.#append(Buffer.from(bytes.subarray(start)))
  }

  /** The last line when the input ends without a line end. */
  *end(): Generator<Line> {
    if (this.#pendingBytes === 0 && !this.#isTooLong) return
    const line = this.#take()
    if (line !== null) yield line
  }

  #append(bytes: Buffer): void {
    if (this.#isTooLong) return
    this.#pendingBytes += bytes.length
    // One byte more than the cap may be the CR of a CRLF.
    if (this.#pendingBytes > LINE_BYTES_MAX + 1) {
      this.#isTooLong = true
      this.#pending = []
      return
    }
    this.#pending.push(bytes)
  }

  #take(): Line | null {
    const number = ++this.#number
    const parts = this.#pending
    const wasTooLong = this.#isTooLong
    this.#pending = []
    this.#pendingBytes = 0
    this.#isTooLong = false
    const [only] = parts.length === 1 ? parts : [Buffer.concat(parts)]
    const bytes = trimmed(only ?? Buffer.alloc(0), number === 1)
    const line = new Line(number, wasTooLong || bytes.length > LINE_BYTES_MAX ? null : bytes)
    return bytes[0] === BRACE || line.text?.trim() !== '' ? line : null
  }
}

function trimmed(bytes: Buffer, isFirst: boolean): Buffer {
  const start = isFirst && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length
  return bytes.subarray(start, end)
}

/**
 * Paces recorded events: the time between two is that of their timestamps divided by the speed.
 * Gaps backwards are not waited for.
 */
export class Pacer {
  readonly #speed: number | 'max'
  readonly #nowMs: () => number
  #anchorSeconds = 0
  #anchorMs: number | null = null
  #newestSeconds = 0

  /** `speed` is a factor above 0, `max` never waits. */
  constructor(speed: number | 'max', nowMs: () => number = () => performance.now()) {
    this.#speed = speed
    this.#nowMs = nowMs
  }

  /** Milliseconds until an event of this time is due; 0 or less: now. */
  delayMs(timestamp: number): number {
    if (this.#speed === 'max') return 0
    const now = this.#nowMs()
    if (this.#anchorMs === null || timestamp < this.#newestSeconds - RECORDING_GAP_SECONDS) {
      this.#anchorMs = now
      this.#anchorSeconds = timestamp
      this.#newestSeconds = timestamp
    }
    this.#newestSeconds = Math.max(this.#newestSeconds, timestamp)
    return this.#anchorMs + ((timestamp - this.#anchorSeconds) * 1000) / this.#speed - now
  }
}
