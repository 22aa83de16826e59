import type { ChartBar } from '../engine/read/chart.ts'
import { type Column, u64Of } from './columns.ts'

/** A bar of a mint. */
export interface MintBar {
  readonly mint: string
  readonly bar: ChartBar
}

const MICRO = 1e6
const LAMPORTS = 1e9

/** The candles of the API's chart, in USD and in SOL, with their volumes as the integers that they are kept as. */
export const BAR_COLUMNS: readonly Column<MintBar>[] = [
  { name: 'mint', kind: 'text', read: ({ mint }) => mint },
  { name: 'time', kind: 'time', read: ({ bar }) => bar.time },
  { name: 'open', kind: 'double', read: ({ bar }) => bar.usd.open },
  { name: 'high', kind: 'double', read: ({ bar }) => bar.usd.high },
  { name: 'low', kind: 'double', read: ({ bar }) => bar.usd.low },
  { name: 'close', kind: 'double', read: ({ bar }) => bar.usd.close },
  { name: 'volume_usd', kind: 'double', read: ({ bar }) => bar.microUsd / MICRO },
  { name: 'open_sol', kind: 'double', read: ({ bar }) => bar.sol.open },
  { name: 'high_sol', kind: 'double', read: ({ bar }) => bar.sol.high },
  { name: 'low_sol', kind: 'double', read: ({ bar }) => bar.sol.low },
  { name: 'close_sol', kind: 'double', read: ({ bar }) => bar.sol.close },
  { name: 'volume_sol', kind: 'double', read: ({ bar }) => bar.lamports / LAMPORTS },
  { name: 'volume_micro_usd', kind: 'u64', read: ({ bar }) => u64Of(bar.microUsd) },
  { name: 'volume_lamports', kind: 'u64', read: ({ bar }) => u64Of(bar.lamports) },
]
