import type { EngineService } from '../../src/query/engine-service.ts'
import { type LiveCandles, newestBars } from '../../src/server/live/hub/followed-candles.ts'

/** The snapshot with which a newcomer begins to follow candles. */
export function candleSnapshot(
  candles: LiveCandles,
  countback: number,
  { answers, streams }: Pick<EngineService, 'answers' | 'streams'>,
): string {
  const query = newestBars(candles.mint, candles.resolution, countback, streams)
  return candles.snapshot(answers.chart(query), answers.beginChart(query).column('t'))
}
