import { Budget, UNFINISHED, within } from '../../../base/budget.ts'
import type { TableRequest } from '../../../protocol/live/live-messages.ts'
import { tableWords } from '../../../protocol/live-frames.ts'
import { LiveTable, TableTexts } from '../../../query/live/live-table.ts'
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

const NAME = 'meme_tables'

/** The channel `meme_tables`. */
export class FollowedTables {
  readonly channel: StateChannel<LiveTable>
  readonly #parts: StateParts
  readonly #texts = new TableTexts(MAX_TABLES_CHARACTERS)
  #computations = 0

  constructor(parts: StateParts) {
    this.#parts = parts
    this.channel = new StateChannel(parts, {
      name: NAME,
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
    return {
      live_tables: this.channel.size,
      live_tables_characters: this.#texts.bytes,
      live_lagging_tables: this.#parts.topics.heldCount,
      live_table_computations_total: this.#computations,
    }
  }

  /**
   * False: the request is to be served again in a later turn, because much lies unread, or columns of all tokens or
   * holders of those in the table are still being read.
   */
  serve(connection: LiveConnection, request: TableRequest): boolean {
    const { table: name, query } = request
    const topic = `${NAME}/${name}`
    if (request.action === 'unsubscribe' || query === null) {
      this.channel.leave(connection, topic, tableWords(name))
      return true
    }
    if (hasMuchUnread(connection)) return false
    const { answers, streams } = this.#parts
    const read = (budget: Budget) => answers.tableAnswer(query, budget)
    const isNew = !this.channel.has(topic)
    // What a new table reads in one go below is then in memory.
    if (isNew && within(Budget.ofMs(ROUTE_SLICE_MS), read) === UNFINISHED) return false
    this.channel.follow(
      connection,
      topic,
      () => new LiveTable(name, query, answers, streams),
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
