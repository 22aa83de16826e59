import { ownText } from '../../base/own-text.ts'
import { accept, type Parsed, refuse } from '../requests/parsed.ts'
import { parseQueryString, single } from '../requests/query-parameters.ts'

/** Code points of a connection's id at most (contract section 4). */
const MAX_ID_CHARACTERS = 128

/**
 * `id` of a live connection from the raw query string of the upgrade: 1 to 128 code points. It is kept for
 * as long as the connection is open.
 */
export function parseLiveId(rawQuery: string): Parsed<string> {
  const parameters = parseQueryString(rawQuery)
  if (!parameters.ok) return parameters
  const id = single(parameters.value, 'id')
  if (!id.ok) return id
  if (id.value === null) {
    return refuse('missing_parameter', 'id', 'id is missing, an identifier is required.')
  }
  const characters = [...id.value].length
  if (characters >= 1 && characters <= MAX_ID_CHARACTERS) return accept(ownText(id.value))
  return refuse(
    'invalid_parameter',
    'id',
    `id came with ${characters} characters, 1 to ${MAX_ID_CHARACTERS} are allowed.`,
  )
}
