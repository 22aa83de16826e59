import { createHash } from 'node:crypto'
import { Budget } from '../../base/budget.ts'
import { jsonString } from '../../protocol/json-text.ts'
import { type FollowedWords, tableWords } from '../../protocol/live-frames.ts'
import type { Queries, TableAnswer, TablesQuery } from '../../protocol/queries.ts'
import type { LiveStreams } from '../../protocol/streams.ts'
import { tableDelta } from '../../protocol/table-rows.ts'

/** One table that somebody follows: its last answer, and how it becomes the next one. */
export class LiveTable {
  readonly name: string
  /** Frames so far. */
  step = 0
  /** Of the last frame; -1 before. */
  position = -1
  readonly #query: TablesQuery
  readonly #answers: Queries
  readonly #streams: LiveStreams
  /** The last answer; null: there is none yet, or it was forgotten. */
  #answer: TableAnswer | null = null
  /** Digest of an answer that was forgotten; null: none was. */
  #digest: string | null = null
  #now = -1

  constructor(name: string, query: TablesQuery, answers: Queries, streams: LiveStreams) {
    this.name = name
    this.#query = query
    this.#answers = answers
    this.#streams = streams
  }

  get words(): FollowedWords {
    return tableWords(this.name)
  }

  /** Bytes of the answer that it holds. */
  get bytes(): number {
    return this.#answer?.bytes.length ?? 0
  }

  /** Drops the last answer: when the next one differs, its frame is a snapshot. */
  forget(): void {
    if (this.#answer === null) return
    this.#digest = digestOf(this.#answer)
    this.#answer = null
  }

  /** Has anything happened, or the clock moved, since it was computed? */
  get isStale(): boolean {
    return this.position !== this.#streams.position() || this.#now !== this.#streams.now()
  }

  /**
   * Computes the answer anew; the delta frame, or null when it is the same. So it is at first: who follows it
   * then begins with its snapshot, and one who leaves again at once does not have its rows compared. A snapshot
   * frame where the last answer was forgotten.
   */
  advance(): string | null {
    const answer = this.#read()
    const before = this.#answer
    if (before?.bytes.equals(answer.bytes)) return null
    if (this.#digest !== null) return this.#anew(answer, this.#digest)
    this.#answer = answer
    if (before === null) {
      this.step = 1
      return null
    }
    const delta = tableDelta(before.rows(), answer.rows())
    if (delta === null) return null
    this.step += 1
    return this.#frame('delta', delta)
  }

  /** The whole table as it was computed last; as it is now where that was forgotten. */
  snapshot(): string {
    const answer = this.#answer ?? this.#read()
    const frame = this.#frame('snapshot', answer.bytes.toString())
    if (this.#digest === null || digestOf(answer) === this.#digest) return frame
    // The clock went on within the turn, and who followed it before has the former one: all get the next.
    this.#digest = ''
    this.position = -1
    return frame
  }

  /** The answer of now. */
  #read(): TableAnswer {
    const answer = this.#answers.tableAnswer(this.#query, Budget.unlimited)
    this.position = this.#streams.position()
    this.#now = this.#streams.now()
    return answer
  }

  /** @param digest of the answer in the last frame */
  #anew(answer: TableAnswer, digest: string): string | null {
    if (digestOf(answer) === digest) return null
    this.#answer = answer
    this.#digest = null
    this.step += 1
    return this.#frame('snapshot', answer.bytes.toString())
  }

  #frame(type: string, data: string): string {
    return (
      `{"channel":"meme_tables","type":"${type}","table":"${this.name}","step":${this.step}` +
      `,"seq":${this.position},"epoch":${jsonString(this.#streams.epoch())}` +
      `,"time":${this.#now},"data":${data}}`
    )
  }
}

function digestOf({ bytes }: TableAnswer): string {
  return createHash('sha256').update(bytes).digest('base64')
}

/**
 * How much text live tables hold in all: their rows have descriptions and links that strangers wrote. A table that
 * finds no room holds none, and its frames are snapshots whenever it changes.
 */
export class TableTexts {
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes
  }

  /** As `LiveTable.advance`. */
  advance(table: LiveTable): string | null {
    this.left(table)
    try {
      return table.advance()
    } finally {
      if (this.#bytes + table.bytes > this.#bytesMax) table.forget()
      this.#bytes += table.bytes
    }
  }

  /** Nobody follows the table any more. */
  left(table: LiveTable): void {
    this.#bytes -= table.bytes
  }
}
