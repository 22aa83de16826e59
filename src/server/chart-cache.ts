import { LRUCache } from 'lru-cache'
import type { Answers, ChartQuery } from '../wire/answers.ts'
import { accept, type Parsed } from '../wire/requests/parsed.ts'
import { CHART_CACHE_MS, MAX_CHART_CHARACTERS, MAX_CHART_RESULTS } from './limits.ts'
import { jsonReply } from './reply.ts'
import { type Answered, slice, UNFINISHED } from './route.ts'

/** The answer to a chart's query. */
export type CachedChart = (query: Parsed<ChartQuery>) => Answered

interface ChartResult {
  readonly text: string
  readonly madeAtMs: number
}

/**
 * The chart with its results kept for 5 s per exact query (specification, Limits), by the
 * injected clock; bounded in results and in characters. One far in the past is looked for in pieces.
 */
export function cachedChart(answers: Answers, clock: () => number): CachedChart {
  const results = new LRUCache<string, ChartResult>({
    max: MAX_CHART_RESULTS,
    maxSize: MAX_CHART_CHARACTERS,
    sizeCalculation: (result, key) => result.text.length + key.length,
  })
  return (query) => {
    if (!query.ok) return query
    const key = keyOf(query.value)
    const nowMs = clock()
    const kept = results.get(key)
    if (kept !== undefined && isFresh(kept, nowMs)) return accept(jsonReply(kept.text))
    if (!answers.hasFoundBars(query.value, slice())) return UNFINISHED
    const text = answers.chart(query.value)
    results.set(key, { text, madeAtMs: nowMs })
    return accept(jsonReply(text))
  }
}

/** A clock that was set back makes a result stale, not eternal. */
function isFresh(result: ChartResult, nowMs: number): boolean {
  const ageMs = nowMs - result.madeAtMs
  return ageMs >= 0 && ageMs < CHART_CACHE_MS
}

/** The mint is the only free text and comes last, so no two queries share a key. */
function keyOf(query: ChartQuery): string {
  const { from, to, resolution, continuous, fill, countback, udf, mint } = query
  return `${from} ${to} ${resolution} ${continuous} ${fill} ${countback} ${udf} ${mint}`
}
