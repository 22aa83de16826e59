import { isRecord, jsonOf } from '../base/json-access.ts'
import { cleanText, textForm } from './text-form.ts'
import type { ToolForm } from './tool-forms.ts'
import { type Arguments, resourceUri } from './tools.ts'

/** Bytes of the typed result at most, and of the text beside it; far above the default rows of every tool. */
export const ANSWER_BYTES_MAX = 48 * 1024
/** Bytes of them that are kept for the note. */
const NOTE_BYTES_MAX = 512
/** Links to tokens in one answer. */
export const LINKS_MAX = 10

/** A link to a thing that can be read by its address. */
interface Link {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly mimeType: string
}

/** What a call of a tool answers. */
interface ToolAnswer {
  readonly text: string
  readonly links: readonly Link[]
  /** Fits the tool's output schema. */
  readonly typed: JsonObject
  /** Rows that the API gave, in this answer or one before. */
  readonly found: number
  /** As many rows must be asked for in place of these, so that the answer says where the next ones are. */
  readonly fewer: number | null
}

/** The kind of all texts for models. */
export const TEXT_TYPE = 'text/plain'

/**
 * The answer of the API as the answer of a tool: at most as many rows as were asked for, and as bytes allow. `found`: rows
 * of an answer before, which did not fit.
 */
export function toolAnswer(form: ToolForm, given: Arguments, json: string, found = 0): ToolAnswer {
  const answer = jsonOf(json)
  const whole = isRecord(answer) ? answer : { items: answer }
  const count = longestList(whole)
  const most = Math.max(found, count)
  const last = form.tool.keepsLast?.(given) === true
  const fitting = rowsThatFit(form, whole, count, last)
  const shown = Math.min(fitting, Number(given.limit ?? given.countback ?? count))
  const cut = withRows(whole, shown, last)
  const note = shown < most && noteOf(form, given, { shown, most, fitting, last })
  const typed = note === false ? cut : { ...cut, note }
  const body = textForm(cut, form.output, form.isColumns)
  const goesOn = !last && ('next_after' in whole || 'next_cursor' in whole)
  return {
    text: note === false ? body : `${note}\n\n${body}`,
    ...{ typed, links: linksOf(given, typed), found: most },
    fewer: goesOn && shown < count && count > 1 ? Math.max(1, shown) : null,
  }
}

type JsonObject = Readonly<Record<string, unknown>>

/** The most rows with which typed result and text fit: another row is always more bytes, so halves are looked at. */
function rowsThatFit(form: ToolForm, whole: JsonObject, count: number, last: boolean): number {
  let fits = 0
  let over = count + 1
  for (let rows = count; over - fits > 1; rows = Math.floor((fits + over) / 2)) {
    const cut = withRows(whole, rows, last)
    // The text takes longer to make.
    const isFit =
      hasRoom(JSON.stringify(cut)) && hasRoom(textForm(cut, form.output, form.isColumns))
    if (isFit) fits = rows
    else over = rows
  }
  return fits
}

function hasRoom(text: string): boolean {
  return Buffer.byteLength(text) <= ANSWER_BYTES_MAX - NOTE_BYTES_MAX
}

/** Rows of the longest list in an object and in the objects in it. */
function longestList(value: JsonObject): number {
  const lengths = Object.values(value).map((part) => {
    if (Array.isArray(part)) return part.length
    return isRecord(part) ? longestList(part) : 0
  })
  return Math.max(0, ...lengths)
}

function withRows(value: JsonObject, rows: number, keepsLast: boolean): JsonObject {
  const parts = Object.entries(value).map(([key, part]) => {
    if (isRecord(part)) return [key, withRows(part, rows, keepsLast)]
    if (!Array.isArray(part) || part.length <= rows) return [key, part]
    return [key, keepsLast ? part.slice(part.length - rows) : part.slice(0, rows)]
  })
  return Object.fromEntries(parts)
}

type Counts = Readonly<Record<'shown' | 'most' | 'fitting', number>> & { readonly last: boolean }

/** What was left out, and what can be done: rows past those that were asked for, or past what bytes allow. */
function noteOf({ tool, isColumns }: ToolForm, given: Arguments, rows: Counts): string {
  const { shown, most, fitting, last } = rows
  const what = `${shown} of the ${most} ${isColumns ? 'bars' : 'rows'} that the service gave`
  const begins = `Shown are the ${last ? 'last' : 'first'} ${what}`
  if (shown < fitting) return `${begins}; \`limit\` up to ${fitting} asks for more.`
  const rest = tool.rest === undefined ? '' : ` ${tool.rest(given, shown)}`
  return `${begins}: an answer has at most ${ANSWER_BYTES_MAX / 1024} KiB.${rest}`
}

/** Links to the tokens that are named, each once. */
function linksOf(given: Arguments, typed: JsonObject): readonly Link[] {
  const rows = [given, typed, ...Object.values(typed).filter(Array.isArray).flat()]
  const mints = new Set<string>()
  for (const row of rows)
    if (isRecord(row) && typeof row.mint === 'string' && row.mint !== '') mints.add(row.mint)
  return [...mints].slice(0, LINKS_MAX).map((mint) => ({
    type: 'resource_link',
    uri: resourceUri('token', mint),
    // The mint, for a name is a stranger's.
    name: cleanText(mint),
    mimeType: TEXT_TYPE,
  }))
}
