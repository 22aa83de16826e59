import { addressRefusal, type IsTold } from './address.ts'
import { pathParameter } from './decoding.ts'
import { accept, type Parsed, refuse } from './parsed.ts'
import { type QueryParameters, single } from './query-parameters.ts'

/** Distinct mints one request may name (contract section 3). */
export const MAX_MINTS = 100

/**
 * The mints of a market-data request in the order asked, distinct: those of `mints`, or the path
 * word when `mints` is absent or all blank.
 */
export function parseMarketData(
  pathWord: string,
  parameters: QueryParameters,
  isTold: IsTold,
): Parsed<readonly string[]> {
  const list = single(parameters, 'mints')
  if (!list.ok) return list
  const mints = distinctMints(list.value ?? '')
  if (mints.length > MAX_MINTS) {
    return refuse(
      'invalid_parameter',
      'mints',
      `mints came with ${mints.length} distinct addresses, at most ${MAX_MINTS} are allowed.`,
    )
  }
  for (const mint of mints) {
    const refused = addressRefusal('mints', mint, isTold)
    if (refused !== null) return refused
  }
  if (mints.length > 0) return accept(mints)
  const mint = pathParameter(pathWord, 'mint')
  if (!mint.ok) return mint
  return addressRefusal('mint', mint.value, isTold) ?? accept([mint.value])
}

function distinctMints(list: string): readonly string[] {
  const mints = new Set<string>()
  for (const piece of list.split(',')) {
    const mint = piece.trim()
    if (mint !== '') mints.add(mint)
  }
  return [...mints]
}
