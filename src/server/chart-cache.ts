import { LRUCache } from 'lru-cache'
import type { Answers, ChartQuery } from '../wire/answers.ts'
import { CHART_CACHE_MS, MAX_CHART_CHARACTERS, MAX_CHART_RESULTS } from './limits.ts'

interface ChartResult {
  readonly text: string
  readonly madeAtMs: number
}

/**
 * The chart with its results kept for 5 s per exact query (specification, Limits), by the
 * injected clock; bounded in results and in characters.
 */
export function cachedChart(answers: Answers, clock: () => number): Answers['chart'] {
  const results = new LRUCache<string, ChartResult>({
    max: MAX_CHART_RESULTS,
    maxSize: MAX_CHART_CHARACTERS,
    sizeCalculation: (result, key) => result.text.length + key.length,
  })
  return (query) => {
    const key = keyOf(query)
    const nowMs = clock()
    const kept = results.get(key)
    if (kept !== undefined && isFresh(kept, nowMs)) return kept.text
    const text = answers.chart(query)
    results.set(key, { text, madeAtMs: nowMs })
    return text
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
