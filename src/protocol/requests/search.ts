import { accept, type Parsed, refuse } from './parsed.ts'
import { type QueryParameters, required } from './query-parameters.ts'

/** Code points of a search text at most (contract section 3, search). */
export const MAX_QUERY_CHARACTERS = 128

/** `query` of the search: trimmed, not blank, at most 128 code points. */
export function parseSearch(parameters: QueryParameters): Parsed<string> {
  const text = required(parameters, 'query')
  if (!text.ok) return text
  const query = text.value.trim()
  const characters = [...query].length
  if (characters <= MAX_QUERY_CHARACTERS) return accept(query)
  return refuse(
    'invalid_parameter',
    'query',
    `query came with ${characters} characters, 1 to ${MAX_QUERY_CHARACTERS} are allowed.`,
  )
}
