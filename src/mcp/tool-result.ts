import { isRecord, jsonOf } from '../base/json-access.ts'
import { cleanText, textForm } from './text-form.ts'
import { SHOWN, type ToolForm } from './tool-forms.ts'
import { type Arguments, resourceUri } from './tools.ts'

/** Bytes of the typed result at most, and of the text beside it; far above the default rows of every tool. */
export const ANSWER_BYTES_MAX = 48 * 1024
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
}

/** The kind of all texts for models. */
export const TEXT_TYPE = 'text/plain'

/** The answer of the API as the answer of a tool: at most as many rows as were asked for, and as bytes allow. */
export function toolAnswer(form: ToolForm, given: Arguments, json: string): ToolAnswer {
  const answer = jsonOf(json)
  const whole = isRecord(answer) ? answer : { items: answer }
  const rows = Number(given.limit ?? given.countback ?? SHOWN.countback.maximum)
  const { typed, text } = fitted(form, whole, rows)
  return { text, typed, links: linksOf(given, typed) }
}

type JsonObject = Readonly<Record<string, unknown>>

/** Halves the rows until typed result and text fit. */
function fitted(form: ToolForm, whole: JsonObject, rows: number) {
  const most = longestList(whole)
  for (let shown = Math.min(rows, most); ; shown = Math.floor(shown / 2)) {
    const cut = withRows(whole, shown, form.tool.keepsLast === true)
    const note = shown < most ? noteOf(form, shown, most, rows) : null
    const typed = note === null ? cut : { ...cut, note }
    const body = textForm(cut, form.output, form.isColumns)
    const text = note === null ? body : `${note}\n\n${body}`
    const bytes = Math.max(Buffer.byteLength(JSON.stringify(typed)), Buffer.byteLength(text))
    if (bytes <= ANSWER_BYTES_MAX || shown === 0) return { typed, text }
  }
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

/** What was left out, and how to ask for it: rows past those that were asked for, or past what bytes allow. */
function noteOf({ input, isColumns }: ToolForm, shown: number, most: number, rows: number): string {
  const what = `${shown} of the ${most} ${isColumns ? 'bars' : 'rows'} that were found`
  if (shown === rows) return `Shown are ${what}; \`limit\` asks for more.`
  const name = Object.keys(SHOWN).find((one) => one in input.properties)
  const fewer = name === undefined ? '' : ` Ask with \`${name}\` ${shown} for all of them in parts.`
  return `Shown are ${what}: an answer has at most ${ANSWER_BYTES_MAX / 1024} KiB.${fewer}`
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
