import { accept, type Parsed } from './parsed.ts'
import { choice, type QueryParameters } from './query-parameters.ts'

/** Are additive fields asked for? `extra=1` or `extra=0`; absent is no. */
export function parseExtra(parameters: QueryParameters): Parsed<boolean> {
  const word = choice(parameters, 'extra', ['0', '1'], '0')
  return word.ok ? accept(word.value === '1') : word
}
