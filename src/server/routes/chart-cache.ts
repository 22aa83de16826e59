import { LRUCache } from 'lru-cache'
import { Budget } from '../../base/budget.ts'
import type { BegunChart, ChartQuery, Queries } from '../../protocol/queries.ts'
import { accept, type Parsed } from '../../protocol/requests/parsers.ts'
import { cachedBytes, jsonReply, type Reply } from '../http/reply.ts'

/** The chart's result is cached this long (specification, Limits). */
const CHART_CACHE_MS = 5000
/** Chart results that are cached at most. */
const MAX_CHART_RESULTS = 2000
/** Bytes of those results in all, with their compressed forms. */
const MAX_CHART_BYTES = 64 * 1024 * 1024
/**
 * Charts that are being written turn by turn at most, of 1.5 MB each; one more is written in one go.
 * One that no request goes on with is forgotten after CHART_CACHE_MS.
 */
const MAX_CHART_WRITINGS = 32

/** The answer to a chart's query, of `minSeq` or a later position. */
export type CachedChart = (
  query: Parsed<ChartQuery>,
  budget: Budget,
  minSeq?: number,
) => Parsed<Reply>

/** A chart whose bars were read, and whose text is written turn by turn. */
interface ChartWriting {
  readonly chart: BegunChart
  /** The position when they were read. */
  readonly seq: number
  readonly madeAtMs: number
  /** When a request last went on with it. */
  askedAtMs: number
}

/**
 * The chart with its results cached for 5 s per exact query (specification, Limits), by the
 * injected clock; bounded in results and in characters. A chart far in the past is searched in slices,
 * and one of many bars is written in slices: it shows them as they were when they were read.
 */
export function cachedChart(
  answers: Queries,
  clock: () => number,
  position = () => 0,
): CachedChart {
  const results = new LRUCache<string, Pick<ChartWriting, 'seq' | 'madeAtMs'> & { reply: Reply }>({
    max: MAX_CHART_RESULTS,
    maxSize: MAX_CHART_BYTES,
    sizeCalculation: ({ reply }, key) => cachedBytes(reply, key),
  })
  const writings = new Map<string, ChartWriting>()
  return (query, budget, minSeq = 0) => {
    if (!query.ok) return query
    const key = keyOf(query.value)
    const nowMs = clock()
    const cached = results.get(key)
    if (cached !== undefined && cached.seq >= minSeq && isFresh(cached.madeAtMs, nowMs))
      return accept(cached.reply)
    const begun = writings.get(key)
    const isBegun = begun !== undefined && begun.seq >= minSeq && isFresh(begun.askedAtMs, nowMs)
    // The slice begins here: bars that are in memory take time as well.
    budget.throwIfSpent()
    const chart = () => answers.beginChart(query.value, budget)
    const writing = isBegun
      ? begun
      : { chart: chart(), seq: position(), madeAtMs: nowMs, askedAtMs: nowMs }
    writing.askedAtMs = nowMs
    const hasRoom = isBegun || makeRoom(writings, nowMs)
    if (hasRoom) writings.set(key, writing)
    const text = writing.chart.write(hasRoom ? budget : Budget.unlimited)
    writings.delete(key)
    const reply = jsonReply(Buffer.from(text))
    results.set(key, { reply, seq: writing.seq, madeAtMs: writing.madeAtMs })
    return accept(reply)
  }
}

/** Where there are many, forgets those that no request goes on with; false: all of them are being written. */
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
