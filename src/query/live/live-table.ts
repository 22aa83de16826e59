import { createHash } from 'node:crypto'
import { jsonString } from '../../protocol/json-text.ts'
import { type FollowedWords, tableWords } from '../../protocol/live-frames.ts'
import type { Queries, TablesQuery } from '../../protocol/queries.ts'
import type { LiveStreams } from '../../protocol/streams.ts'
import { rowsOfTables, type TableRows, tableDelta } from '../../protocol/table-rows.ts'

/** One table that somebody follows: its last answer, and how it becomes the next one. */
export class LiveTable {
  readonly name: string
  /** Frames so far. */
  step = 0
  /** Of what was told last; -1 before. */
  position = -1
  readonly #query: TablesQuery
  readonly #answers: Queries
  readonly #streams: LiveStreams
  /** The last answer, which is never empty; empty: there is none yet, or it was forgotten. */
  #json = ''
  /** Tells an answer that was forgotten from another one; null: none was. */
  #digest: string | null = null
  /** Of the last answer; null: nothing was compared with it yet. */
  #rows: TableRows | null = null
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

  /** Length of the answer that is kept. */
  get characters(): number {
    return this.#json.length
  }

  /** Keeps the last answer no longer: the next one that differs is told whole. */
  forget(): void {
    if (this.#json === '') return
    this.#digest = digestOf(this.#json)
    this.#json = ''
    this.#rows = null
  }

  /** Has anything happened, or the clock moved, since it was computed? */
  get isStale(): boolean {
    return this.position !== this.#streams.position() || this.#now !== this.#streams.now()
  }

  /**
   * Computes the answer anew; the delta frame, or null when it is the same. So it is at first: who follows it
   * then begins with its snapshot, and one who leaves again at once does not have its rows told apart. A snapshot
   * frame where the last answer was forgotten.
   */
  advance(): string | null {
    const json = this.#answers.tables(this.#query)
    this.position = this.#streams.position()
    this.#now = this.#streams.now()
    const before = this.#json
    if (json === before) return null
    if (this.#digest !== null) return this.#anew(json, this.#digest)
    this.#json = json
    if (before === '') {
      this.step = 1
      return null
    }
    const rows = rowsOfTables(json)
    const delta = tableDelta(this.#rows ?? rowsOfTables(before), rows)
    this.#rows = rows
    if (delta === null) return null
    this.step += 1
    return this.#frame('delta', delta)
  }

  /** The whole table as it was computed last; as it is now where that was forgotten. */
  snapshot(): string {
    if (this.#digest === null) return this.#frame('snapshot', this.#json)
    const json = this.#answers.tables(this.#query)
    this.position = this.#streams.position()
    this.#now = this.#streams.now()
    const frame = this.#frame('snapshot', json)
    if (digestOf(json) === this.#digest) return frame
    // The clock went on within the turn, and who followed it before has the former one: all are told the next.
    this.#digest = ''
    this.position = -1
    return frame
  }

  /** @param digest of the answer that was told last */
  #anew(json: string, digest: string): string | null {
    if (digestOf(json) === digest) return null
    this.#json = json
    this.#digest = null
    this.step += 1
    return this.#frame('snapshot', json)
  }

  #frame(type: string, data: string): string {
    return (
      `{"channel":"meme_tables","type":"${type}","table":"${this.name}","step":${this.step}` +
      `,"seq":${this.position},"epoch":${jsonString(this.#streams.epoch())}` +
      `,"time":${this.#now},"data":${data}}`
    )
  }
}

function digestOf(json: string): string {
  return createHash('sha256').update(json).digest('base64')
}

/**
 * How much text live tables keep in all: their rows have descriptions and links that strangers wrote. A table that
 * finds no room keeps none, and tells the whole of it whenever it changes.
 */
export class TableTexts {
  readonly #charactersMax: number
  #characters = 0

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax
  }

  /** Characters that are kept. */
  get characters(): number {
    return this.#characters
  }

  /** As `LiveTable.advance`. */
  advance(table: LiveTable): string | null {
    this.left(table)
    try {
      return table.advance()
    } finally {
      if (this.#characters + table.characters > this.#charactersMax) table.forget()
      this.#characters += table.characters
    }
  }

  /** Nobody follows the table any more. */
  left(table: LiveTable): void {
    this.#characters -= table.characters
  }
}
