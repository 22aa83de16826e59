import { GROUPS, type Group } from './answers.ts'

/** One row of a table answer, as the text it has there. */
export interface TableRow {
  readonly mint: string
  readonly json: string
}

/** The groups of a table answer with their rows in order. */
export type TableRows = ReadonlyMap<Group, readonly TableRow[]>

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
const END = 0x5d

/**
 * Cuts a table answer (`EngineAnswers.tables`) into its rows without parsing them: their texts are
 * sent on as they are, so that a live table has the very bytes of the POST answer.
 */
export function rowsOfTables(json: string): TableRows {
  const groups = new Map<Group, readonly TableRow[]>()
  let at = 1
  while (json.charCodeAt(at) === QUOTE || json[at] === ',') {
    if (json[at] === ',') at += 1
    const end = json.indexOf('"', at + 1)
    const name = GROUPS.find((group) => group === json.slice(at + 1, end))
    if (name === undefined) throw new Error(`a table answer has no group ${json.slice(at, end)}`)
    const rows: TableRow[] = []
    at = end + 3
    while (json.charCodeAt(at) !== END) {
      if (json[at] === ',') at += 1
      const close = endOfObject(json, at)
      const row = json.slice(at, close)
      rows.push({ mint: mintOf(row), json: row })
      at = close
    }
    groups.set(name, rows)
    at += 1
  }
  return groups
}

/** Index behind the object that opens at `at`. */
function endOfObject(json: string, at: number): number {
  let depth = 0
  for (let i = at; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) i = endOfText(json, i)
    else if (code === OPEN) depth += 1
    else if (code === CLOSE && --depth === 0) return i + 1
  }
  throw new Error('a table answer ends within a row')
}

/** Index of the quote that ends the text which opens at `at`. */
function endOfText(json: string, at: number): number {
  let end = json.indexOf('"', at + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end
}

function isEscaped(json: string, at: number): boolean {
  let slashes = 0
  while (json.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1
  return slashes % 2 === 1
}

const MINT = ',"mint":'

/** A quote inside a text is escaped, so that the key is found nowhere else. */
function mintOf(row: string): string {
  const from = row.indexOf(MINT) + MINT.length
  const mint: unknown = JSON.parse(row.slice(from, endOfText(row, from) + 1))
  return String(mint)
}
