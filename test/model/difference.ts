/** One read of the engine, and what the oracle says. */
export interface Check {
  readonly name: string
  readonly actual: string
  readonly expected: unknown
}

/** The first difference between engine text and oracle values, as a sentence; null when equal. */
export function firstDifference(checks: Iterable<Check>): string | null {
  for (const { name, actual, expected } of checks) {
    const found = difference(JSON.parse(actual), expected)
    if (found !== null) return `${name} at ${found}`
  }
  return null
}

/** The first difference between two JSON values, as a path and both sides; null when equal. */
export function difference(actual: unknown, expected: unknown, path = ''): string | null {
  if (Object.is(actual, expected)) return null
  if (!isContainer(actual) || !isContainer(expected)) return told(actual, expected, path)
  if (Array.isArray(actual) !== Array.isArray(expected)) return told(actual, expected, path)
  const keys = Object.keys(actual)
  for (const key of keys) {
    const [value, other] = [actual[key], expected[key]]
    if (Object.is(value, other) && (other !== undefined || key in expected)) continue
    const found = difference(value, other, `${path}.${key}`)
    if (found !== null) return found
  }
  const expectedKeys = Object.keys(expected)
  if (expectedKeys.length === keys.length) return null
  const missing = expectedKeys.find((key) => !Object.hasOwn(actual, key)) ?? ''
  return told(undefined, expected[missing], `${path}.${missing}`)
}

function told(actual: unknown, expected: unknown, path: string): string {
  return `${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
