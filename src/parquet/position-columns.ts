import type { PositionReader } from '../engine/read/position-reader.ts'
import { PositionLane } from '../engine/state/layout.ts'
import { TRADER_FIELDS } from '../query/traders/trader-pages.ts'
import type { Column } from './columns.ts'

/** The positions, as of the end of the export: the trader record of the API, then its amounts to their last digit. */
export const POSITION_COLUMNS: readonly Column<PositionReader>[] = [
  ...TRADER_FIELDS.map(({ name, ...field }): Column<PositionReader> => ({ name, ...field })),
  raw('holding_raw', PositionLane.balanceLo),
  raw('bought_raw', PositionLane.boughtLo),
  raw('sold_raw', PositionLane.soldLo),
  raw('untracked_raw', PositionLane.untrackedLo),
]

function raw(name: string, lane: number): Column<PositionReader> {
  return { name, kind: 'u64', read: (position) => position.raw(lane) }
}
