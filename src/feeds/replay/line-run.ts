import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import { isRecord, jsonOf } from '../../base/json-access.ts'
import type { FeedEvent } from '../../events/event.ts'
import type { LineError } from '../../events/event-lines.ts'
import type { EventSink } from '../../events/event-sink.ts'
import type { NewForms } from '../chain/transactions/new-forms.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { type Line, LineSplitter, type ReportLine } from '../lines/line-splitter.ts'
import type { Pacer } from '../lines/pacer.ts'
import type { Progress } from '../lines/progress.ts'
import { wait } from '../timers.ts'
import { RecordedValues } from './recorded-value.ts'

/** Events handed over at once; between two batches everything else gets its turn. */
const BATCH_EVENTS = 1_000

export interface LineRunOptions {
  readonly counters: FeedCounters
  /** Reports events that no layout knows. */
  readonly forms?: NewForms
  readonly report: ReportLine
  readonly pacer: Pacer
  readonly signal: AbortSignal
  readonly progress: Progress | null
  /**
   * So much is buffered of input that may be one JSON value over many lines, as an editor writes it; 0:
   * it is a line a value.
   */
  readonly documentCharactersMax: number
}

/** One reading of lines from a stream into a sink. */
export class LineRun {
  readonly values: RecordedValues
  readonly #sink: EventSink
  readonly #options: LineRunOptions
  readonly #splitter = new LineSplitter()
  #batch: FeedEvent[] = []
  /** Lines of a document; null: the input is a line a value. */
  #document: DocumentLines | null = null
  #isFirst = true
  #hasTorn = false

  constructor(sink: EventSink, options: LineRunOptions) {
    this.#sink = sink
    this.#options = options
    this.values = new RecordedValues(options.counters, options.forms)
  }

  /**
   * Reads to the end or until the signal. A read that fails ends the run as the end of the input
   * does, reported and counted; an error of the sink is thrown.
   */
  async read(input: Readable): Promise<void> {
    const { signal, progress, counters } = this.#options
    const chunks = input.iterator({ destroyOnReturn: true })
    for (let chunk = await this.#next(chunks); chunk !== null; chunk = await this.#next(chunks)) {
      for (const line of this.#splitter.push(chunk)) {
        await this.#take(line)
        if (signal.aborted) return
      }
      await this.#flush()
      progress?.update(counters.lines)
    }
    if (signal.aborted) return
    // What a tear left of the last line or value is not what was written.
    if (!this.#hasTorn) for (const line of this.#splitter.end()) await this.#take(line)
    await this.#takeDocument()
    await this.#hand(this.values.ended(), this.#splitter.lineNumber)
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

  async #take(line: Line): Promise<void> {
    const { counters, documentCharactersMax } = this.#options
    const isFirst = this.#isFirst
    this.#isFirst = false
    if (line.text === null) {
      counters.lines++
      this.#bad(line.number, line.reason ?? 'the line cannot be read')
      return
    }
    if (isFirst && documentCharactersMax > 0 && isOpening(line.text))
      this.#document = new DocumentLines(documentCharactersMax)
    if (this.#document === null) return this.#takeText(line.number, line.text)
    this.#document.add(line.number, line.text)
    if (this.#document.isFull)
      await this.#takeLines(
        this.#document,
        `the JSON value it begins is longer than ${documentCharactersMax} characters`,
      )
  }

  async #takeText(lineNumber: number, text: string): Promise<void> {
    this.#options.counters.lines++
    await this.#hand(this.values.eventsOfText(text), lineNumber)
  }

  async #takeDocument(): Promise<void> {
    const document = this.#document
    if (document === null) return
    const parts = this.#hasTorn ? null : this.values.eventsOfDocument(document.text)
    if (parts === null && document.haveValues())
      return this.#takeLines(document, 'the JSON value it begins is not valid')
    this.#document = null
    if (this.#hasTorn) return
    this.#options.counters.lines++
    if (parts === null) this.#bad(1, 'the file is not valid JSON')
    else for (const part of parts) await this.#hand(part, 1)
  }

  /** What is no document after all: its first line is bad, the others are values of their own. */
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

  async #hand(found: readonly FeedEvent[] | LineError, lineNumber: number): Promise<void> {
    if ('error' in found) {
      this.#bad(lineNumber, found.error)
      return
    }
    const { pacer, signal } = this.#options
    for (const event of found) {
      const delayMs = pacer.delayMs(event.timestamp)
      if (delayMs > 0) {
        await this.#flush()
        await wait(delayMs, signal)
        if (signal.aborted) return
      }
      this.#batch.push(event)
    }
    if (this.#batch.length >= BATCH_EVENTS) await this.#flush()
  }

  #bad(lineNumber: number, reason: string): void {
    this.#options.counters.badLines++
    this.#options.report(lineNumber, reason)
  }

  async #flush(): Promise<void> {
    const batch = this.#batch
    if (batch.length > 0) {
      this.#batch = []
      this.#sink.events(batch)
      this.#options.counters.events += batch.length
    }
    await nextTurn()
  }
}

/** A line that only opens a JSON value: the value goes on below. */
function isOpening(text: string): boolean {
  const trimmed = text.trim()
  return trimmed === '{' || trimmed === '['
}

/** Of a file that is one JSON value so much is buffered, in characters. */
export const DOCUMENT_CHARACTERS_MAX = 256 * 1024 * 1024
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
    for (const [i, text] of this.#texts.entries()) yield [this.#numbers[i], text]
  }
}

function isValue(text: string): boolean {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return false
  const value = jsonOf(trimmed)
  return isRecord(value) && Object.keys(value).length > 0
}
