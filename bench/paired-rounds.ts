import type { Line } from './line.ts'
import { median, spreadPercent } from './medians.ts'

/** What rounds of ours gave beside those of the peer of the same number, both in the unit of the line. */
export function pairedRounds(
  own: readonly number[],
  peers: readonly number[],
  name: string,
): Required<Pick<Line, 'ours' | 'peer' | 'ratio' | 'spreadPercent'>> {
  const ratios = own.map((value, i) => value / peers[i])
  return {
    ours: median(own),
    peer: { name, value: median(peers) },
    ratio: median(ratios),
    spreadPercent: spreadPercent(ratios),
  }
}
