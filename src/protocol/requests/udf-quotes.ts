import { MAX_QUOTES } from '../udf-quotes.ts'
import { accept, type Parsed, refuse } from './parsed.ts'
import { type QueryParameters, single } from './query-parameters.ts'

/**
 * `symbols` of `/udf/quotes`, distinct, in the order and by the names that they were asked for. A watch list
 * none of whose symbols is in sight asks for an empty list.
 */
export function parseQuotes(parameters: QueryParameters): Parsed<readonly string[]> {
  const list = single(parameters, 'symbols')
  if (!list.ok) return list
  if (list.value === null)
    return refuse('missing_parameter', 'symbols', 'symbols is missing, a list is required.')
  const symbols = new Set(list.value.split(',').map((symbol) => symbol.trim()))
  symbols.delete('')
  if (symbols.size <= MAX_QUOTES) return accept([...symbols])
  const message = `symbols came with ${symbols.size} distinct ones, at most ${MAX_QUOTES} are allowed.`
  return refuse('invalid_parameter', 'symbols', message)
}
