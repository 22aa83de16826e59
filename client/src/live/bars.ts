import { isOhlcv } from '../resources/series.ts'
import { isFlag, listOf } from '../shape.ts'
import type { Bar } from './updates.ts'

const isFlags = listOf(isFlag)

/** Bars of a frame's series; null when they are not what the protocol says. */
export function barsOf(data: unknown, final: unknown): readonly Bar[] | null {
  if (!isOhlcv(data) || !isFlags(final) || final.length !== data.t.length) return null
  return data.t.map((time, i) => ({
    time,
    open: data.o[i],
    high: data.h[i],
    low: data.l[i],
    close: data.c[i],
    volume: data.v[i],
    openSol: data.o_sol[i],
    highSol: data.h_sol[i],
    lowSol: data.l_sol[i],
    closeSol: data.c_sol[i],
    volumeSol: data.v_sol[i],
    isFinal: final[i],
  }))
}

/** Later bars in place of those of the same time, in order of time. */
export function mergedBars(bars: readonly Bar[], later: readonly Bar[]): readonly Bar[] {
  const byTime = new Map([...bars, ...later].map((bar) => [bar.time, bar]))
  return [...byTime.values()].sort((a, b) => a.time - b.time)
}
