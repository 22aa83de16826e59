import { LRUCache } from 'lru-cache'
import type { Answers, ChartQuery } from '../wire/answers.ts'
import { accept, type Parsed } from '../wire/requests/parsed.ts'
import { KEPT_FORMS } from './encoded-body.ts'
import { CHART_CACHE_MS, MAX_CHART_BYTES, MAX_CHART_RESULTS } from './limits.ts'
import { jsonReply, type Reply } from './reply.ts'
import { type Answered, slice, UNFINISHED } from './route.ts'

/** The answer to a chart's query. */
export type CachedChart = (query: Parsed<ChartQuery>) => Answered

interface ChartResult {
  readonly reply: Reply
  readonly madeAtMs: number
}

/**
 * The chart with its results kept for 5 s per exact query (specification, Limits), by the
 * injected clock; bounded in results and in characters. One far in the past is looked for in pieces.
 */
export function cachedChart(answers: Answers, clock: () => number): CachedChart {
  const results = new LRUCache<string, ChartResult>({
    max: MAX_CHART_RESULTS,
    maxSize: MAX_CHART_BYTES,
    sizeCalculation: ({ reply }, key) => key.length + reply.body.length * KEPT_FORMS,
  })
  return (query) => {
    if (!query.ok) return query
    const key = keyOf(query.value)
    const nowMs = clock()
    const kept = results.get(key)
    if (kept !== undefined && isFresh(kept, nowMs)) return accept(kept.reply)
    if (!answers.hasFoundBars(query.value, slice())) return UNFINISHED
    const reply = jsonReply(Buffer.from(answers.chart(query.value)))
    results.set(key, { reply, madeAtMs: nowMs })
    return accept(reply)
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
