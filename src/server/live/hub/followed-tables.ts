import { createHash } from 'node:crypto'
import { Budget, UNFINISHED, within } from '../../../base/budget.ts'
import type { TableRequest } from '../../../protocol/live/live-messages.ts'
import type { LiveStreams, TableAnswer, TableRows } from '../../../protocol/queries.ts'
import { type FollowedWords, jsonString } from '../../../protocol/wire.ts'
import { ROUTE_SLICE_MS } from '../../load/loop-scheduler.ts'
import { hasMuchUnread, type LiveConnection } from '../connection/connection.ts'
import { StateChannel, type StateParts } from './state-channel.ts'

/** Live tables of one connection at most. */
const MAX_CONNECTION_TABLES = 10

/** Distinct live tables at most: each is computed whenever anything changed. */
const MAX_TABLES = 500

/**
 * Characters of all live tables that are kept to tell what changes, of up to two bytes each: as many as the longest
 * tables of usual rows have. Rows with the longest texts have ten times as many; past it tables are told whole.
 */
const MAX_TABLES_CHARACTERS = 256 * 1024 * 1024

/** Of one client address, loopback not counted: those that it is the first to follow. */
const MAX_TABLES_PER_ADDRESS = 100

/** Changes of tables are gathered for this long. */
const TABLES_EVERY_MS = 250

/** The channel `meme_tables`, or `trending`, whose one list is `items`. */
export class FollowedTables {
  readonly channel: StateChannel<LiveTable>
  readonly #name: TableRequest['channel']
  readonly #parts: StateParts
  readonly #texts = new TableTexts(MAX_TABLES_CHARACTERS)
  #computations = 0

  constructor(parts: StateParts, name: TableRequest['channel']) {
    this.#parts = parts
    this.#name = name
    this.channel = new StateChannel(parts, {
      name,
      refusal: { code: 'too_many_tables', what: 'tables' },
      maxOfConnection: MAX_CONNECTION_TABLES,
      maxOfAddress: MAX_TABLES_PER_ADDRESS,
      max: MAX_TABLES,
      everyMs: TABLES_EVERY_MS,
      due: (tables) => tables.keys(),
      advance: (table) => this.#advance(table),
      whole: (table) => table.snapshot(),
      dropped: (table) => this.#texts.left(table),
    })
  }

  /** Figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    if (this.#name === 'trending') return { live_trending: this.channel.size }
    return {
      live_tables: this.channel.size,
      live_tables_characters: this.#texts.bytes,
      live_lagging_tables: this.#parts.topics.heldCount,
      live_table_computations_total: this.#computations,
    }
  }

  /**
   * False: the request has to be served again in a later turn, because the client has much unread, or columns of all
   * tokens or holders of the table's tokens are still being read.
   */
  serve(connection: LiveConnection, request: TableRequest): boolean {
    const { table, query } = request
    const words = { event: this.#name, table }
    const topic = `${this.#name}/${table}`
    if (request.action === 'unsubscribe' || query === null) {
      this.channel.leave(connection, topic, words)
      return true
    }
    if (hasMuchUnread(connection)) return false
    const { answers, streams } = this.#parts
    const read = (budget: Budget) =>
      'by' in query ? answers.trending(query, budget) : answers.tableAnswer(query, budget)
    const isNew = !this.channel.has(topic)
    // A new table reads all of it in one go below: by then it is in memory.
    if (isNew && within(Budget.ofMs(ROUTE_SLICE_MS), read) === UNFINISHED) return false
    this.channel.follow(
      connection,
      topic,
      () => new LiveTable(words, () => read(Budget.unlimited), streams),
      (table) => table.snapshot(),
    )
    return true
  }

  #advance(table: LiveTable): string | null {
    if (!table.isStale) return null
    this.#computations += 1
    return this.#texts.advance(table)
  }
}

/** One table with followers: its last answer, and the delta to the next one. */
export class LiveTable {
  readonly words: FollowedWords & { readonly event: string; readonly table: string }
  /** Frames so far. */
  step = 0
  /** Of the last frame; -1 before. */
  position = -1
  readonly #answerNow: () => TableAnswer
  readonly #streams: LiveStreams
  /** The last answer; null: there is none yet, or it was forgotten. */
  #answer: TableAnswer | null = null
  /** Digest of an answer that was forgotten; null: none was. */
  #digest: string | null = null
  #now = -1

  constructor(words: LiveTable['words'], answerNow: () => TableAnswer, streams: LiveStreams) {
    this.words = words
    this.#answerNow = answerNow
    this.#streams = streams
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

  /** Has the state or the clock's second changed since it was computed? */
  get isStale(): boolean {
    return this.position !== this.#streams.position() || this.#now !== this.#streams.now()
  }

  /**
   * Computes the answer anew; the delta frame, or null when it is the same. The first answer gives null too: its
   * followers begin with the snapshot. Where the last answer was forgotten the frame is a snapshot.
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

  /** The whole table as it was computed last; computed anew where that answer was forgotten. */
  snapshot(): string {
    const answer = this.#answer ?? this.#read()
    const frame = this.#frame('snapshot', answer.bytes.toString())
    if (this.#digest === null || digestOf(answer) === this.#digest) return frame
    // The clock's second changed within the turn, and earlier followers have the former answer: all get the next one.
    this.#digest = ''
    this.position = -1
    return frame
  }

  /** The answer of now. */
  #read(): TableAnswer {
    const answer = this.#answerNow()
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
      `{"channel":"${this.words.event}","type":"${type}","table":"${this.words.table}","step":${this.step}` +
      `,"seq":${this.position},"epoch":${jsonString(this.#streams.epoch())}` +
      `,"time":${this.#now},"data":${data}}`
    )
  }
}

function digestOf({ bytes }: TableAnswer): string {
  return createHash('sha256').update(bytes).digest('base64')
}

/**
 * Bounds the text that live tables hold in all: their rows have descriptions and links that strangers wrote. A table
 * that finds no room holds none, and each change of it is sent as a snapshot.
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

  /** The table has no followers any more. */
  left(table: LiveTable): void {
    this.#bytes -= table.bytes
  }
}

/**
 * The delta from one table answer to another (docs/live.md): `leave`, `put`, `change` of each group that changed;
 * null: none did.
 */
export function tableDelta(before: TableRows, after: TableRows): string | null {
  const parts: string[] = []
  for (const [group, rows] of after) {
    const delta = groupDelta(before.get(group) ?? [], rows)
    if (delta !== null) parts.push(`"${group}":${delta}`)
  }
  return parts.length === 0 ? null : `{${parts.join(',')}}`
}

function groupDelta(
  before: readonly { readonly mint: string; readonly json: string }[],
  after: readonly { readonly mint: string; readonly json: string }[],
): string | null {
  const former = new Map(before.map(({ mint, json }, place) => [mint, { place, json }]))
  const mints = new Set(after.map(({ mint }) => mint))
  const leave = before.filter(({ mint }) => !mints.has(mint)).map(({ mint }) => jsonString(mint))
  const stays = stayingMints(after, former)
  const put: string[] = []
  const change: string[] = []
  for (const [at, { mint, json }] of after.entries()) {
    if (!stays.has(mint)) put.push(`{"at":${at},"row":${json}}`)
    else if (former.get(mint)?.json !== json) change.push(json)
  }
  if (leave.length + put.length + change.length === 0) return null
  return `{"leave":[${leave.join(',')}],"put":[${put.join(',')}],"change":[${change.join(',')}]}`
}

/** A longest increasing run of former places: its rows stay, all others are put anew. */
function stayingMints(
  after: readonly { readonly mint: string }[],
  former: ReadonlyMap<string, { readonly place: number }>,
): ReadonlySet<string> {
  const before = after.flatMap(({ mint }) => {
    const row = former.get(mint)
    return row === undefined ? [] : [{ mint, place: row.place }]
  })
  /** By length - 1: the last index of the run of that length that ends lowest. */
  const ends: number[] = []
  const previous: (number | undefined)[] = []
  for (const [i, { place }] of before.entries()) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const end = before[ends[middle] ?? 0]
      if (end !== undefined && end.place < place) low = middle + 1
      else high = middle
    }
    previous.push(ends[low - 1])
    ends[low] = i
  }
  const stays = new Set<string>()
  for (let i = ends.at(-1); i !== undefined; i = previous[i]) {
    const row = before[i]
    if (row !== undefined) stays.add(row.mint)
  }
  return stays
}
