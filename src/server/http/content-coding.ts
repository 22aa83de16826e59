/** The codings this server writes, in the order it prefers them. */
export const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/**
 * The coding to answer in, null for none: the client's highest q-value wins, `br` wins a tie, q=0
 * refuses (RFC 9110 section 12.5.3). Coding "identity" is always available.
 */
export function negotiateCoding(acceptEncoding: string): Coding | null {
  if (acceptEncoding === '') return null
  const weights = parseWeights(acceptEncoding)
  const identity = weights.get('identity') ?? 0
  let best: Coding | null = null
  let bestWeight = 0
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0
    if (weight > bestWeight && weight >= identity) {
      best = coding
      bestWeight = weight
    }
  }
  return best
}

function parseWeights(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim())
    // x-gzip is gzip's old name (RFC 9110 section 8.4.1.3).
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  return weights
}

const Q_VALUE = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** A q that cannot be read refuses the coding: the plain body is never wrong. */
function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q'))
  if (q === undefined) return 1
  const match = Q_VALUE.exec(q)
  return match === null ? 0 : Number(match[1])
}
