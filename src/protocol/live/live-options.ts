import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { isRecord, type JsonRecord } from '../../base/json-access.ts'
import type { FrameError, MessageForm } from '../live-frames.ts'
import { quoted, shown } from '../requests/parsed.ts'

/** Words that make a subscription one of numbered messages (docs/live.md). */
export const OPTION_KEYS = ['seq', 'from_seq', 'epoch', 'snapshot'] as const

/** The same of channels of trades, which may have additive keys. */
export const TRADE_OPTION_KEYS = [...OPTION_KEYS, 'extra'] as const

export const EPOCH_CHARACTERS_MAX = 128

const SeqSchema = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const FromSeqSchema = Type.Union([SeqSchema, Type.Record(Type.String(), SeqSchema)])
export const OptionsSchema = Type.Object({
  seq: Type.Optional(Type.Boolean()),
  from_seq: Type.Optional(FromSeqSchema),
  epoch: Type.Optional(Type.String({ minLength: 1, maxLength: EPOCH_CHARACTERS_MAX })),
  snapshot: Type.Optional(Type.Boolean()),
  extra: Type.Optional(Type.Boolean()),
})

const checkers = {
  seq: Compile(Type.Boolean()),
  epoch: Compile(OptionsSchema.properties.epoch),
  snapshot: Compile(Type.Boolean()),
  extra: Compile(Type.Boolean()),
}
const seqChecker = Compile(SeqSchema)

const ALLOWED = {
  seq: 'true or false is',
  epoch: `a text of 1 to ${EPOCH_CHARACTERS_MAX} characters is`,
  snapshot: 'true or false is',
  extra: 'true or false is',
} as const

/** The options of one subscription. */
export interface LiveOptions {
  /** The last seq the client has, by key; keys that are not there start live. */
  readonly from: ReadonlyMap<string, number>
  /** Null: the client claims the present one. */
  readonly epoch: string | null
  readonly wantsSnapshot: boolean
  /** `extra`: records of a snapshot have additive keys too. */
  readonly form: MessageForm
}

/** Options that ask for nothing where they are false. */
const SWITCHES: ReadonlySet<string> = new Set(['seq', 'snapshot', 'extra'])

/** Does the message use any of these options? One that is false is as if it were not there. */
export function hasOptions(data: JsonRecord, keys: readonly string[]): boolean {
  return keys.some((key) => {
    const isUnasked = SWITCHES.has(key) && data[key] === false
    return data[key] !== undefined && !isUnasked
  })
}

/**
 * Reads the options of a message that names `keys` (one "" for a channel without); `many`: it named
 * them in a list, so that `from_seq` is an object.
 */
export function parseOptions(
  data: JsonRecord,
  keys: readonly string[],
  many: boolean,
): LiveOptions | FrameError {
  for (const key of ['seq', 'epoch', 'snapshot', 'extra'] as const) {
    const value = data[key]
    if (value !== undefined && !checkers[key].Check(value))
      return wrong(key, value, `${ALLOWED[key]} allowed`)
  }
  const from = parseFrom(data.from_seq, keys, many)
  if ('code' in from) return from
  const epoch = data.epoch
  return {
    from,
    epoch: typeof epoch === 'string' ? epoch : null,
    wantsSnapshot: data.snapshot === true,
    form: data.extra === true ? 'extra' : 'numbered',
  }
}

function parseFrom(
  value: unknown,
  keys: readonly string[],
  many: boolean,
): ReadonlyMap<string, number> | FrameError {
  if (value === undefined) return new Map()
  if (!many)
    return seqChecker.Check(value)
      ? new Map(keys.map((key) => [key, value]))
      : wrong('from_seq', value, 'an integer from 0 is allowed')
  if (!areSeqs(value))
    return wrong('from_seq', value, 'an object of integers from 0 is allowed beside a list')
  const known = new Set(keys)
  const from = new Map(Object.entries(value))
  for (const key of from.keys())
    if (!known.has(key)) return wrong('from_seq', value, 'only keys of the list are allowed in it')
  return from
}

/** By hand: the check of a `Type.Record` passes over what stands under a key with a line break. */
function areSeqs(value: unknown): value is Readonly<Record<string, number>> {
  return isRecord(value) && Object.values(value).every((seq) => seqChecker.Check(seq))
}

/** Options that a channel of states takes; they ask for what it does anyhow. */
export const STATE_OPTION_KEYS = ['seq', 'snapshot'] as const

/** The refusal of an option that a channel of states cannot do, or null. */
export function stateOptionError(data: JsonRecord): FrameError | null {
  for (const key of OPTION_KEYS) {
    const value = data[key]
    const isTaken = value === true && STATE_OPTION_KEYS.some((taken) => taken === key)
    if (value !== undefined && !isTaken)
      return wrong(key, value, 'the channel always has seq and a snapshot, and is never resumed')
  }
  return null
}

/** The refusal of a key of `data` that is not known, or null. */
export function unknownKey(data: JsonRecord, known: readonly string[]): FrameError | null {
  const key = Object.keys(data).find((one) => !known.includes(one))
  if (key === undefined) return null
  const message = `data.${shownKey(key)} is not known, allowed are ${known.join(', ')}.`
  return { code: 'unknown_option', message }
}

function shownKey(key: string): string {
  return /^[A-Za-z0-9_]{1,40}$/.test(key) ? key : quoted(key)
}

function wrong(key: string, value: unknown, rest: string): FrameError {
  return { code: 'invalid_option', message: `data.${key} came as ${shown(value)}, ${rest}.` }
}
