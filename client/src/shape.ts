/**
 * Shapes of JSON objects as tables: one table gives the type and the check of what a server sends.
 * Keys that a table does not name are allowed, so that a newer server can add some.
 */

type JsonObject = Readonly<Record<string, unknown>>

/**
 * `text` and `flag` are strings and booleans, `number` is finite; `?` behind a name also allows
 * null, `-` that the key is left out. A list of words allows one of them.
 */
type Optional = 'text-' | 'text?-' | 'number-' | 'flag-'
type Scalar = 'text' | 'text?' | 'number' | 'number?' | 'flag' | Optional
type Words = readonly string[]

export interface ShapeTable {
  readonly [key: string]: Scalar | Words | Shape<unknown>
}

/** The check of one type. */
export type Shape<T> = (value: unknown) => value is T

type ValueOf<K> = K extends 'text'
  ? string
  : K extends 'text?'
    ? string | null
    : K extends 'number'
      ? number
      : K extends 'number?'
        ? number | null
        : K extends 'flag'
          ? boolean
          : K extends readonly (infer Word)[]
            ? Word
            : K extends Shape<infer T>
              ? T
              : never

/** A key that may be left out. */
type IsOptional<K> = K extends Optional
  ? true
  : K extends Shape<infer T>
    ? undefined extends T
      ? true
      : false
    : false

type OptionalOf<K> =
  K extends Shape<infer T>
    ? T
    : K extends 'number-'
      ? number
      : K extends 'flag-'
        ? boolean
        : K extends 'text?-'
          ? string | null
          : string

/** The object type of a table. */
export type ObjectOf<T extends ShapeTable> = {
  readonly [K in keyof T as IsOptional<T[K]> extends true ? never : K]: ValueOf<T[K]>
} & { readonly [K in keyof T as IsOptional<T[K]> extends true ? K : never]?: OptionalOf<T[K]> }

/** The value of a JSON text; undefined for a text that is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Objects that have every key of the table. */
export function objectOf<const T extends ShapeTable>(table: T): Shape<ObjectOf<T>> {
  const entries = Object.entries(table)
  return (value): value is ObjectOf<T> =>
    isObject(value) && entries.every(([key, kind]) => fits(value[key], kind))
}

/** Arrays whose every item has the shape. */
export function listOf<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(item)
}

/** The shape, or null. */
export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value): value is T | null => value === null || shape(value)
}

/** The shape, or nothing at all. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value): value is T | undefined => value === undefined || shape(value)
}

export const isNumber: Shape<number> = (value): value is number => Number.isFinite(value)
export const isText: Shape<string> = (value): value is string => typeof value === 'string'
export const isFlag: Shape<boolean> = (value): value is boolean => typeof value === 'boolean'

/** A count, a seq: a whole number from 0 that a double holds exactly. */
export const isCount: Shape<number> = (value): value is number =>
  Number.isSafeInteger(value) && isNumber(value) && value >= 0

function fits(value: unknown, kind: Scalar | Words | Shape<unknown>): boolean {
  if (typeof kind === 'function') return kind(value)
  if (typeof kind !== 'string') return isText(value) && kind.includes(value)
  switch (kind) {
    case 'text':
      return isText(value)
    case 'text?':
      return value === null || isText(value)
    case 'text-':
      return value === undefined || isText(value)
    case 'text?-':
      return value === undefined || value === null || isText(value)
    case 'number':
      return isNumber(value)
    case 'number?':
      return value === null || isNumber(value)
    case 'number-':
      return value === undefined || isNumber(value)
    case 'flag':
      return isFlag(value)
    case 'flag-':
      return value === undefined || isFlag(value)
  }
}
