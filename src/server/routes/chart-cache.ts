import { LRUCache } from 'lru-cache'
import { Budget } from '../../base/budget.ts'
import type { BegunChart, ChartQuery, Queries } from '../../protocol/queries.ts'
import { accept, type Parsed } from '../../protocol/requests/parsers.ts'
import { KEPT_FORMS } from '../http/encoded-body.ts'
import { jsonReply, type Reply } from '../http/reply.ts'
import {
  CHART_CACHE_MS,
  MAX_CHART_BYTES,
  MAX_CHART_RESULTS,
  MAX_CHART_WRITINGS,
} from '../load/limits.ts'

/** The answer to a chart's query. */
export type CachedChart = (query: Parsed<ChartQuery>, budget: Budget) => Parsed<Reply>

interface ChartResult {
  readonly reply: Reply
  readonly madeAtMs: number
}

/** A chart whose bars were read, and whose text is written turn by turn. */
interface ChartWriting {
  readonly chart: BegunChart
  readonly madeAtMs: number
  /** When somebody went on with it. */
  askedAtMs: number
}

/**
 * The chart with its results kept for 5 s per exact query (specification, Limits), by the
 * injected clock; bounded in results and in characters. One far in the past is looked for in pieces,
 * and one of many bars is written so: it shows them as they were when they were read.
 */
export function cachedChart(answers: Queries, clock: () => number): CachedChart {
  const results = new LRUCache<string, ChartResult>({
    max: MAX_CHART_RESULTS,
    maxSize: MAX_CHART_BYTES,
    sizeCalculation: ({ reply }, key) => key.length + reply.body.length * KEPT_FORMS,
  })
  const writings = new Map<string, ChartWriting>()
  return (query, budget) => {
    if (!query.ok) return query
    const key = keyOf(query.value)
    const nowMs = clock()
    const kept = results.get(key)
    if (kept !== undefined && isFresh(kept.madeAtMs, nowMs)) return accept(kept.reply)
    const begun = writings.get(key)
    const isBegun = begun !== undefined && isFresh(begun.askedAtMs, nowMs)
    // The slice begins here: bars that are in memory take time as well.
    budget.throwIfSpent()
    const writing = isBegun
      ? begun
      : { chart: answers.beginChart(query.value, budget), madeAtMs: nowMs, askedAtMs: nowMs }
    writing.askedAtMs = nowMs
    const hasRoom = isBegun || makeRoom(writings, nowMs)
    if (hasRoom) writings.set(key, writing)
    const text = writing.chart.write(hasRoom ? budget : Budget.unlimited)
    writings.delete(key)
    const reply = jsonReply(Buffer.from(text))
    results.set(key, { reply, madeAtMs: writing.madeAtMs })
    return accept(reply)
  }
}

/** Forgets what nobody went on with, where there are many; false: all of them are being written. */
function makeRoom(writings: Map<string, ChartWriting>, nowMs: number): boolean {
  if (writings.size < MAX_CHART_WRITINGS) return true
  for (const [key, { askedAtMs }] of writings) if (!isFresh(askedAtMs, nowMs)) writings.delete(key)
  return writings.size < MAX_CHART_WRITINGS
}

/** A clock that was set back makes a result stale, not eternal. */
function isFresh(sinceMs: number, nowMs: number): boolean {
  const ageMs = nowMs - sinceMs
  return ageMs >= 0 && ageMs < CHART_CACHE_MS
}

/** The mint is the only free text and comes last, so no two queries share a key. */
function keyOf(query: ChartQuery): string {
  const { from, to, resolution, continuous, fill, countback, udf, mint } = query
  return `${from} ${to} ${resolution} ${continuous} ${fill} ${countback} ${udf} ${mint}`
}
