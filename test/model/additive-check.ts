import { isRecord } from '../../src/base/json-access.ts'
import { CREATOR_TOKENS_MAX, EngineQueries } from '../../src/query/engine-queries.ts'
import type { Oracle } from '../oracle/oracle.ts'
import { type Check, firstDifference } from './difference.ts'
import type { Pair } from './pair.ts'

/** What a token's detail shows beside the fields of the specification, as far as the oracle knows it. */
const DETAIL_FIELDS = [
  ...(['swaps', 'traders', 'quote_mint', 'quote_symbol', 'priced'] as const),
  ...(['history_complete', 'history_from', 'windows'] as const),
]

const PAGE = { page: 1, limit: 200, extra: true } as const
const BY_PNL = { ...PAGE, orderBy: 'pnl', direction: 'desc' } as const

/** The first difference in the additive answers of a mint; null when there is none. */
export function checkAdditive(pair: Pair, mint: string): string | null {
  return (
    firstDifference(detailChecks(pair, new EngineQueries(pair.engine, () => {}), mint)) ??
    firstDifference(extraChecks(pair, mint)) ??
    firstDifference(priceChecks(pair, mint))
  )
}

/** At, before and behind the second of each trade, in no order of time. */
function* priceChecks({ oracle, answers }: Pair, mint: string): Generator<Check> {
  yield {
    name: `price of ${mint}`,
    actual: answers.prices([mint, 'unknown']),
    expected: oracle.prices([mint, 'unknown']),
  }
  const seconds = oracle.tradeSeconds(mint)
  for (const at of [0, ...seconds, ...seconds.map((second) => second - 1), 2 ** 33])
    yield {
      name: `price of ${mint} at ${at}`,
      actual: answers.priceAt(mint, at) ?? 'null',
      expected: oracle.priceAt(mint, at),
    }
}

function* detailChecks({ oracle }: Pair, reads: EngineQueries, mint: string): Generator<Check> {
  const detail: unknown = JSON.parse(reads.detail(mint) ?? 'null')
  const shown = isRecord(detail)
    ? Object.fromEntries(DETAIL_FIELDS.map((field) => [field, detail[field]]))
    : null
  const expected = oracle.mints().includes(mint)
    ? {
        swaps: oracle.swapCount(mint),
        traders: oracle.traders(mint),
        ...oracle.quote(mint),
        ...oracle.history(mint),
        ...oracle.windows(mint),
      }
    : null
  yield { name: `additive fields of ${mint}`, actual: JSON.stringify(shown), expected }
}

/** Answers with `extra` of one mint. */
function* extraChecks({ oracle, answers }: Pair, mint: string): Generator<Check> {
  yield {
    name: `market data with extra of ${mint}`,
    actual: answers.marketData([mint], true),
    expected: oracle.marketData([mint]).map((row) => withTokenKeys(oracle, row)),
  }
  yield {
    name: `swaps with extra of ${mint}`,
    actual: answers.swaps(mint, null, PAGE),
    expected: oracle.swapsWithExtras(mint, PAGE.page, PAGE.limit),
  }
  yield {
    name: `first buyers of ${mint}`,
    actual: JSON.stringify(wordsOf(answers.firstBuyers(mint, PAGE), 'items', 'wallet')),
    expected: oracle.firstBuyers(mint).slice(0, PAGE.limit),
  }
  yield {
    name: `tokens of the creator of ${mint}`,
    actual: JSON.stringify(wordsOf(answers.detail(mint) ?? '{}', 'tokens', 'mint')),
    expected: ofCreator(oracle.creatorMints(mint), mint),
  }
  const traders: unknown = oracle.tokenTraders(mint, BY_PNL)
  yield {
    name: `traders with extra of ${mint}`,
    actual: answers.tokenTraders(mint, BY_PNL),
    expected: withEach(traders, 'items', (row) => withQuote(oracle, row)),
  }
}

/** Tables whose rows name their quotes. */
export function* extraTableChecks({ oracle, answers }: Pair): Generator<Check> {
  const all = { type: 'all', filters: {}, limit: 50 } as const
  let expected: unknown = oracle.tables(all)
  for (const group of ['new', 'completing', 'graduated'])
    expected = withEach(expected, group, (row) => withTokenKeys(oracle, row))
  yield { name: 'tables with extra', actual: answers.tables({ ...all, extra: true }), expected }
}

/** An answer whose objects under a key have additive keys. */
function withEach(answer: unknown, key: string, withKeys: (row: unknown) => unknown): unknown {
  if (!isRecord(answer) || !Array.isArray(answer[key])) return answer
  return { ...answer, [key]: answer[key].map(withKeys) }
}

/** As many as are shown; the mint is the last one where so many others are newer. */
function ofCreator(mints: readonly string[], mint: string): readonly string[] {
  const shown = mints.slice(0, CREATOR_TOKENS_MAX)
  const isLeftOut = mints.length > shown.length && !shown.includes(mint)
  return isLeftOut ? [...shown.slice(0, -1), mint] : shown
}

/** A text of each item of a list, which an answer or its `creator_history` has under a key. */
function wordsOf(answer: string, list: string, key: string): unknown[] {
  const body: unknown = JSON.parse(answer)
  if (!isRecord(body)) return []
  const within = isRecord(body.creator_history) ? body.creator_history : body
  const items: unknown = within[list]
  return Array.isArray(items) ? items.map((item: unknown) => isRecord(item) && item[key]) : []
}

function withQuote(oracle: Oracle, row: unknown): unknown {
  if (!isRecord(row)) return row
  return { ...row, ...oracle.quote(String(row.mint)) }
}

function withTokenKeys(oracle: Oracle, row: unknown): unknown {
  if (!isRecord(row)) return row
  const mint = String(row.mint)
  return { ...row, ...oracle.quote(mint), ...oracle.history(mint), ...oracle.windows(mint) }
}
