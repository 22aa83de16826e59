import type { TokenReader } from '../../engine/read/token-reader.ts'
import type { State } from '../../engine/state/state.ts'
import { Quote } from '../../events/platform.ts'
import type { TableAnswer } from '../../protocol/queries.ts'
import { tokenExtras, tokenJson } from './token-json.ts'
import type { WindowJson } from './window-json.ts'

/** Rows at most. A token has two places; a row goes to the one that was used longer ago. */
const KEPT_BITS = 14
const KEPT_ROWS = 1 << KEPT_BITS
const KEPT_MASK = KEPT_ROWS - 1
/** Odd, so that tokens with one place in common have two others. */
const PLACES_APART = 0x1357
/** Changes since the answer before; past it each row is compared with its token. */
const CHANGES_MAX = 4_096
/** Places that get their memory together, when the first of them gets a row. */
const PAGE_SHIFT = 8
const PAGE_ROWS = 1 << PAGE_SHIFT
const PAGE_MASK = PAGE_ROWS - 1
const FIRST_BYTES = 1 << 16
const COMMA = 0x2c
const CLOSE = 0x7d
/** Bytes of a UTF-16 unit in UTF-8 at most. */
const UTF8_BYTES_MAX = 3
/** Bytes of a row's place; most rows take some 900. A longer one has a buffer of its own. */
const PLACE_BYTES = 1_536
/** More tokens than one wallet migrates. */
const COUNTS_APART = 2 ** 26

/** Numbers of a row's span in an answer. */
const SPAN = 3

/**
 * Lanes of what is kept of each row beside the others: its token; its bytes, from the beginning of its place on, 0 where
 * there is none; the look (`RowCache.#look`) at which it was last found current, 0 where a change since is known or the
 * price of its quote hangs on another token; the answer that had it last.
 */
const Head = { token: 0, length: 1, look: 2, answer: 3, lanes: 4 } as const

/** Rows in places of one buffer: a buffer for each would give every garbage collection as many objects to walk. */
class RowPage {
  readonly bytes = Buffer.allocUnsafeSlow(PAGE_ROWS * PLACE_BYTES)
  readonly heads = new Uint32Array(PAGE_ROWS * Head.lanes)
  readonly changes = new Uint32Array(PAGE_ROWS)
  /** Creations and migrations of the creator in one number. */
  readonly creators = new Float64Array(PAGE_ROWS)
  readonly prices = new Float64Array(PAGE_ROWS)
}
/** Bytes of a page: its places and their columns. */
const PAGE_BYTES = PAGE_ROWS * (PLACE_BYTES + 5 * 4 + 2 * 8)

/**
 * Rows of the token tables as bytes, copied into answers. A row is written again after a change of the token itself
 * (`TokenChanges`), of its creator's counts, or of the price of its quote. A row that was compared with these is not
 * compared again until one of its token, any creator or the price of SOL changes.
 */
export class RowCache {
  readonly #state: State
  readonly #windows: WindowJson
  /** None where no row is. */
  readonly #pages: (RowPage | undefined)[] = []
  #pageCount = 0
  #usedPlaces = 0
  /** Rows that are too long, by place. */
  readonly #long = new Map<number, Buffer>()
  #longBytes = 0
  /** Token, beginning and end of each row since `begin`. */
  #spans: number[] = []
  /** Answers begun, and times that all rows had to be compared anew. */
  #answer = 0
  #look = 1
  /** Ends of the logs of changes, and the price of SOL, up to which rows that are not current have no look. */
  #changesTo = 0
  #creatorsTo = 0
  #solPriceUsd = 0
  #scratch = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  constructor(state: State, windows: WindowJson) {
    this.#state = state
    this.#windows = windows
  }

  get bytes(): number {
    return this.#pageCount * PAGE_BYTES + this.#longBytes + this.#scratch.length
  }

  /** Bytes of the places in which no row was yet. */
  get untouchedBytes(): number {
    return (this.#pageCount * PAGE_ROWS - this.#usedPlaces) * PLACE_BYTES
  }

  /** Begins an answer. */
  begin(): void {
    this.#length = 0
    this.#spans = []
    this.#answer += 1
    this.#catchUp()
  }

  /** Takes the look from rows that may have changed since the answer before. */
  #catchUp(): void {
    const { changes, creatorChanges, solPriceUsd } = this.#state
    const { log } = changes
    const isNear = log.reaches(this.#changesTo) && log.end - this.#changesTo <= CHANGES_MAX
    if (!isNear || creatorChanges.end !== this.#creatorsTo || solPriceUsd !== this.#solPriceUsd)
      this.#look += 1
    else
      for (let at = this.#changesTo; at < log.end; at++) {
        const token = log.at(at)
        this.#forget(firstPlace(token))
        this.#forget(secondPlace(token))
      }
    this.#changesTo = log.end
    this.#creatorsTo = creatorChanges.end
    this.#solPriceUsd = solPriceUsd
  }

  #forget(place: number): void {
    const page = this.#pages[place >>> PAGE_SHIFT]
    if (page !== undefined) page.heads[(place & PAGE_MASK) * Head.lanes + Head.look] = 0
  }

  /** The answer since `begin`, as bytes of its own; `counts` are the rows of each list. */
  end(counts: ReadonlyMap<string, number>): TableAnswer {
    const bytes = Buffer.from(this.#scratch.subarray(0, this.#length))
    const spans = this.#spans
    const mintAt = (at: number) => this.#state.book.mintOf(spans[at])
    return {
      bytes,
      mints: () => {
        const mints = new Set<string>()
        for (let at = 0; at < spans.length; at += SPAN) mints.add(mintAt(at))
        return mints
      },
      rows: () => {
        let at = -SPAN
        const groups = [...counts].map(([group, count]) => {
          const rows = Array.from({ length: count }, () => {
            at += SPAN
            return { mint: mintAt(at), json: bytes.toString('utf8', spans[at + 1], spans[at + 2]) }
          })
          return [group, rows] as const
        })
        return new Map(groups)
      },
    }
  }

  /** Adds ASCII text. */
  text(ascii: string): void {
    this.#makeRoom(ascii.length)
    this.#length += this.#scratch.write(ascii, this.#length, 'latin1')
  }

  /**
   * Adds the row of the token that the reader stands on, behind a comma unless it is the first. With `extra` the
   * additive keys are appended: they depend on another token too, and are short.
   */
  row(token: TokenReader, isFirst: boolean, extra = false): void {
    const place = this.#current(token)
    this.#makeRoom(1)
    if (!isFirst) this.#scratch[this.#length++] = COMMA
    const begin = this.#length
    this.#copy(place, 0)
    if (extra) this.#addKeys(`${tokenExtras(token)},"windows":${this.#windows.of(token.token)}`)
    this.#spans.push(token.token, begin, this.#length)
  }

  /** Adds the row of the token that the reader stands on, with its rank before and its windows behind its own keys. */
  ranked(token: TokenReader, rank: number, value: string): void {
    if (rank > 1) this.text(',')
    const begin = this.#length
    const place = this.#current(token)
    this.text(`{"rank":${rank},"value":${value},`)
    this.#copy(place, 1)
    this.#addKeys(`,"windows":${this.#windows.of(token.token)}`)
    this.#spans.push(token.token, begin, this.#length)
  }

  /** Adds the bytes of a row, from one of them on. */
  #copy(place: number, begin: number): void {
    const page = this.#pageOf(place)
    const length = page.heads[(place & PAGE_MASK) * Head.lanes + Head.length]
    const from = (place & PAGE_MASK) * PLACE_BYTES
    this.#makeRoom(length)
    if (length > PLACE_BYTES) this.#long.get(place)?.copy(this.#scratch, this.#length, begin)
    else page.bytes.copy(this.#scratch, this.#length, from + begin, from + length)
    this.#length += length - begin
  }

  /** Adds keys to the object that was added last. */
  #addKeys(json: string): void {
    this.#makeRoom(json.length * UTF8_BYTES_MAX)
    // Over its bracket, which then comes behind them.
    this.#length += this.#scratch.write(json, this.#length - 1)
    this.#scratch[this.#length - 1] = CLOSE
  }

  /** The place of the token's row, which is there as it has to be now. */
  #current(token: TokenReader): number {
    const place = this.#placeOf(token.token)
    const page = this.#pageOf(place)
    const at = place & PAGE_MASK
    const { heads } = page
    const head = at * Head.lanes
    heads[head + Head.answer] = this.#answer
    const isThere = heads[head + Head.length] !== 0 && heads[head + Head.token] === token.token
    if (isThere && heads[head + Head.look] === this.#look) return place
    const { unitUsd } = token
    const changed = this.#state.changes.of(token.token)
    const creator = token.creatorCreations * COUNTS_APART + token.creatorMigrations
    const isCurrent =
      isThere &&
      page.changes[at] === changed &&
      page.creators[at] === creator &&
      page.prices[at] === unitUsd
    if (!isCurrent) {
      this.#keep(page, place, tokenJson(token, 'table'))
      heads[head + Head.token] = token.token
      page.changes[at] = changed
      page.creators[at] = creator
      page.prices[at] = unitUsd
    }
    heads[head + Head.look] = token.quote < Quote.other ? this.#look : 0
    return place
  }

  /** The one of a token's places that has its row, else the one that it goes to. */
  #placeOf(token: number): number {
    const [first, second] = [firstPlace(token), secondPlace(token)]
    const answer = this.#answerAt(first, token)
    if (answer < 0) return first
    const other = this.#answerAt(second, token)
    return other < answer ? second : first
  }

  /** The answer that had the row of a place last; 0 without a row, -1 where it is the token's. */
  #answerAt(place: number, token: number): number {
    const page = this.#pages[place >>> PAGE_SHIFT]
    if (page === undefined) return 0
    const head = (place & PAGE_MASK) * Head.lanes
    if (page.heads[head + Head.length] === 0) return 0
    return page.heads[head + Head.token] === token ? -1 : page.heads[head + Head.answer]
  }

  #pageOf(place: number): RowPage {
    return this.#pages[place >>> PAGE_SHIFT] ?? this.#newPage(place >>> PAGE_SHIFT)
  }

  #newPage(index: number): RowPage {
    const page = new RowPage()
    this.#pages[index] = page
    this.#pageCount += 1
    return page
  }

  /** Writes a row over the one before it. */
  #keep(page: RowPage, place: number, text: string): void {
    const at = place & PAGE_MASK
    const length = Buffer.byteLength(text)
    const head = at * Head.lanes
    if (page.heads[head + Head.length] === 0) this.#usedPlaces += 1
    this.#longBytes -= this.#long.get(place)?.length ?? 0
    this.#long.delete(place)
    if (length > PLACE_BYTES) this.#keepLong(place, text, length)
    else page.bytes.write(text, at * PLACE_BYTES)
    page.heads[head + Head.length] = length
  }

  #keepLong(place: number, text: string, length: number): void {
    // Not from a buffer that Node shares: the row would hold all of it in memory.
    const row = Buffer.allocUnsafeSlow(length)
    row.write(text)
    this.#long.set(place, row)
    this.#longBytes += length
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#scratch.length) return
    const wider = Buffer.allocUnsafeSlow((this.#length + bytes) * 2)
    wider.set(this.#scratch.subarray(0, this.#length))
    this.#scratch = wider
  }
}

function firstPlace(token: number): number {
  return token & KEPT_MASK
}

function secondPlace(token: number): number {
  return (token ^ (((token >>> KEPT_BITS) + 1) * PLACES_APART)) & KEPT_MASK
}
