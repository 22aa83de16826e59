/** Reading JSON of unknown shape; every answer is checked, a wrong shape is null. */

export type JsonRecord = Readonly<Record<string, unknown>>

/** The value of a text; undefined for a text that is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A plain JSON object, not an array and not null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function recordAt(value: unknown, key: string): JsonRecord | null {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return null
  const found = value[key]
  return isRecord(found) ? found : null
}

export function listAt(value: unknown, key: string): readonly unknown[] | null {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return null
  const found = value[key]
  return Array.isArray(found) ? found : null
}

export function textAt(value: unknown, key: string): string | null {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return null
  const found = value[key]
  return typeof found === 'string' ? found : null
}

/** A non-negative integer up to `max`. */
export function integerAt(
  value: unknown,
  key: string,
  max = Number.MAX_SAFE_INTEGER,
): number | null {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return null
  const found = value[key]
  if (typeof found !== 'number' || !Number.isSafeInteger(found)) return null
  return found >= 0 && found <= max ? found : null
}
