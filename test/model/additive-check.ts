import { isRecord } from '../../src/base/json-access.ts'
import { EngineTokenReads } from '../../src/wire/engine-token-reads.ts'
import { type Check, firstDifference } from './difference.ts'
import type { Pair } from './pair.ts'

/**
 * What a token's detail shows beside the fields of the specification, as far as the oracle knows it.
 * `quote_mint`, `quote_symbol` and `priced` (`Oracle.quote`) and, of a swap, `lp_fee` and `cashback`
 * (`Oracle.fees`) belong here as soon as the engine's reads show them.
 */
const DETAIL_FIELDS = ['swaps', 'traders'] as const

/** The first difference in the additive answers of a mint; null when there is none. */
export function checkAdditive(pair: Pair, mint: string): string | null {
  return firstDifference(detailChecks(pair, new EngineTokenReads(pair.engine, () => {}), mint))
}

function* detailChecks({ oracle }: Pair, reads: EngineTokenReads, mint: string): Generator<Check> {
  while (!reads.hasFoundDetail(mint, () => true));
  const detail: unknown = JSON.parse(reads.detail(mint) ?? 'null')
  const shown = isRecord(detail) ? DETAIL_FIELDS.map((field) => detail[field]) : null
  const expected = oracle.mints().includes(mint)
    ? [oracle.swapCount(mint), oracle.traders(mint)]
    : null
  yield { name: `additive fields of ${mint}`, actual: JSON.stringify(shown), expected }
}
