import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { BASE, Bar, TokenLane, WideBar } from '../state/layout.ts'
import type { State } from '../state/state.ts'

const WIDE = [BASE.minute, BASE.hour] as const
const SERIES = [
  { open: Bar.openUsdF, openTime: WideBar.openUsdTime, closeTime: WideBar.closeUsdTime },
  { open: Bar.openSolF, openTime: WideBar.openSolTime, closeTime: WideBar.closeSolTime },
] as const

/**
 * Gives the bars of minutes and hours of a snapshot before version 13, which lie among those of seconds, rows of their
 * own. Their former rows leave with the seconds around them. No image in the undo log may name one. Of where their swaps are nothing was
 * known: a fold of them looks at all of the mint.
 */
export function partWideBars(state: State): void {
  const { tokens, barHeads, bars, barWidths } = state
  /** By former row: the base width of a wide bar, then its new row + 1. */
  const moved = new Uint32Array(bars.count)
  for (let token = 0; token < tokens.count; token++)
    for (const base of WIDE) {
      let next = barHeads.get(token, base)
      for (; next !== 0; next = bars.get(next - 1, Bar.previousPlus1)) moved[next - 1] = base
    }
  for (let former = 0; former < moved.length; former++) {
    const base = moved[former]
    if (base === 0) continue
    const rows = barWidths[base]
    const row = rows.add()
    for (let lane = 0; lane < Bar.lanes; lane++) rows.set(row, lane, bars.get(former, lane))
    // The first trade of a minute or an hour made its narrower bars right before it.
    const firstNarrow = base === BASE.minute ? former - 1 : barWidths[BASE.minute].count - 1
    rows.set(row, WideBar.firstNarrow, firstNarrow)
    moved[former] = row + 1
  }
  for (let token = 0; token < tokens.count; token++)
    for (const base of WIDE) {
      const rows = barWidths[base]
      let next = barHeads.get(token, base)
      if (next !== 0) barHeads.rows.set(barHeads.rowOf(token), base, moved[next - 1])
      for (let first = bars.count; next !== 0; ) {
        const row = moved[next - 1] - 1
        next = rows.get(row, Bar.previousPlus1)
        if (next !== 0) rows.set(row, Bar.previousPlus1, moved[next - 1])
        first = Math.min(first, rows.get(row, WideBar.firstNarrow))
        rows.set(row, WideBar.firstNarrow, first)
        rows.set(row, WideBar.lastSwapPlus1, tokens.get(token, TokenLane.lastSwapPlus1))
      }
    }
  for (let token = 0; token < tokens.count; token++) tellTimes(state, token)
}

/** Reads the times of opens and closes of the wide bars of a token off its seconds. */
function tellTimes({ barHeads, bars, barWidths }: State, token: number): void {
  const head = (base: number) => barHeads.get(token, base)
  const wide = WIDE.map((base) => ({ rows: barWidths[base], next: head(base) }))
  for (let next = head(BASE.second); next !== 0; next = bars.get(next - 1, Bar.previousPlus1)) {
    const time = bars.get(next - 1, Bar.time)
    const f64 = bars.f64[(next - 1) >>> ROW_SHIFT]
    const at = (((next - 1) & ROW_MASK) * Bar.lanes) >>> 1
    for (const one of wide) {
      while (one.rows.get(one.next - 1, Bar.time) > time)
        one.next = one.rows.get(one.next - 1, Bar.previousPlus1)
      for (const { open, openTime, closeTime } of SERIES) {
        if (f64[at + open] === 0) continue
        one.rows.set(one.next - 1, openTime, time)
        const isNewest = one.rows.get(one.next - 1, closeTime) === 0
        if (isNewest) one.rows.set(one.next - 1, closeTime, time)
      }
    }
  }
}
