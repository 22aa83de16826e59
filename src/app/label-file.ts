import { unwatchFile, watchFile } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { isAddress } from '../base/base58.ts'
import { inTurns } from '../base/budget.ts'
import { messageOf } from '../base/errors.ts'
import { isRecord, jsonOf } from '../base/json-access.ts'
import type { EngineService } from '../query/engine-service.ts'
import type { Log } from '../server/http/exchange.ts'

/** The file is looked at so often; a file that was replaced is seen too. */
const LOOK_EVERY_MS = 2_000
const FILE_BYTES_MAX = 16 << 20
const LABELS_MAX = 100_000
/** Labels between two turns of the loop, some 2 ms: a file of all that may be takes half a second. */
const LABELS_A_TURN = 512
const NAME_CHARACTERS_MAX = 64
/** What a filter can name. */
const TAG = /^[\w.-]{0,32}$/
const COLUMNS = ['address', 'name', 'tag'] as const

type WalletLabels = EngineService['labels']
type Labels = Parameters<WalletLabels['replace']>[0]

/** The labels of a file, or the sentence that says what is wrong with it. */
type ReadLabels = Labels | string

/**
 * The user's labels of wallets: read at the start, and again whenever the file changes. A file with anything wrong
 * in it is one line of the log, and the labels stay what they were.
 */
export class LabelFile {
  readonly #path: string
  readonly #labels: WalletLabels
  readonly #log: Log
  readonly #onChange = () => void this.#read()
  /** Said last: a file that is not there is looked at for ever. */
  #reason = ''
  #reading: Promise<void> = Promise.resolve()

  constructor(path: string, labels: WalletLabels, log: Log) {
    this.#path = path
    this.#labels = labels
    this.#log = log
  }

  /** Resolves when it was read once. */
  async begin(): Promise<void> {
    watchFile(this.#path, { interval: LOOK_EVERY_MS, persistent: false }, this.#onChange)
    await this.#read()
  }

  stop(): void {
    unwatchFile(this.#path, this.#onChange)
  }

  /** One after the other: the last one has what the file is now. */
  #read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOnce())
    return this.#reading
  }

  async #readOnce(): Promise<void> {
    const found = await labelsOf(this.#path)
    if (typeof found === 'string') {
      if (found === this.#reason) return
      this.#reason = found
      this.#log.warn({ reason: found }, 'the labels of WALLET_LABELS stay what they were')
      return
    }
    this.#reason = ''
    this.#labels.replace(found)
    this.#log.info({ labels: found.size }, 'labels of WALLET_LABELS')
  }
}

async function labelsOf(path: string): Promise<ReadLabels> {
  try {
    const { size } = await stat(path)
    if (size > FILE_BYTES_MAX) return `It has ${size} bytes, at most ${FILE_BYTES_MAX} are read.`
    return await inTurns(parseLabels(await readFile(path, 'utf8')))
  } catch (error) {
    return `It cannot be read: ${messageOf(error)}.`
  }
}

/**
 * Labels out of a JSON array, or of lines that are each a JSON object or CSV. Keys, or columns, are address, name and
 * tag; a first line of CSV may name its columns. Of an address that comes twice the last line counts. Yields where the
 * loop may run.
 */
export function* parseLabels(text: string): Generator<undefined, ReadLabels> {
  const rows = text.trimStart().startsWith('[') ? arrayRows(text) : lineRows(text)
  if (typeof rows === 'string') return rows
  const labels = new Map<string, { readonly name: string; readonly tag: string }>()
  let count = 0
  for (const { place, row } of rows) {
    count += 1
    if (count % LABELS_A_TURN === 0) yield
    if (count > LABELS_MAX) continue
    const fault = faultOf(row)
    if (fault !== null) return `${place}: ${fault}.`
    const { address, name, tag } = row
    labels.set(address.trim(), { name: name.trim(), tag: tag.trim() })
  }
  return count > LABELS_MAX ? `It has ${count} labels, at most ${LABELS_MAX} are read.` : labels
}

interface Row {
  /** For a sentence. */
  readonly place: string
  readonly row: Readonly<Record<(typeof COLUMNS)[number], string>>
}

function arrayRows(text: string): readonly Row[] | string {
  const items = jsonOf(text)
  if (!Array.isArray(items)) return 'It begins as a JSON array and is none.'
  return items.map((item, i) => ({ place: `Item ${i + 1}`, row: fieldsOf(item) }))
}

function* lineRows(text: string): Generator<Row> {
  let columns: readonly string[] = COLUMNS
  let number = 0
  for (let at = 0, end = 0; at <= text.length; at = end + 1) {
    const found = text.indexOf('\n', at)
    end = found < 0 ? text.length : found
    const line = text.slice(at, end).trim()
    const place = `Line ${++number}`
    if (line === '') continue
    if (line.startsWith('{')) {
      yield { place, row: fieldsOf(jsonOf(line)) }
      continue
    }
    const cells = csvCells(line)
    if (cells.some((cell) => cell.toLowerCase() === 'address'))
      columns = cells.map((cell) => cell.toLowerCase())
    else
      yield { place, row: fieldsOf(Object.fromEntries(columns.map((name, i) => [name, cells[i]]))) }
  }
}

/** What is no text, or not there, is empty. */
function fieldsOf(value: unknown): Row['row'] {
  const field = (name: string): string => {
    const found = isRecord(value) && Object.hasOwn(value, name) ? value[name] : ''
    return typeof found === 'string' ? found : ''
  }
  return { address: field('address'), name: field('name'), tag: field('tag') }
}

/** Cells of a line (RFC 4180); a cell in quotes may hold commas, and quotes that are doubled. */
function csvCells(line: string): string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)
  return Array.from(cells, ([, quoted, plain]) =>
    (quoted?.replaceAll('""', '"') ?? plain ?? '').trim(),
  )
}

function faultOf({ address, name, tag }: Row['row']): string | null {
  if (!isAddress(address.trim())) return 'the address is no wallet of the chain'
  const characters = [...name.trim()].length
  if (characters < 1 || characters > NAME_CHARACTERS_MAX)
    return `the name has ${characters} characters, 1 to ${NAME_CHARACTERS_MAX} are allowed`
  if (!TAG.test(tag.trim())) return 'the tag is not up to 32 letters, digits, ".", "_" and "-"'
  return null
}
