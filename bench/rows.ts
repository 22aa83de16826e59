import type { Line } from './line.ts'

type Row = () => Promise<{ run: () => Promise<readonly Line[]> }>

/** The rows of the goals, in their order; each runs in a process of its own. */
export const ROWS: Readonly<Record<string, Row>> = {
  S1: () => import('./rows/s01-popular-table.ts'),
  S2: () => import('./rows/s02-new-filters.ts'),
  S3: () => import('./rows/s03-encoding.ts'),
  S4: () => import('./rows/s04-reads.ts'),
  S5: () => import('./rows/s05-fan-out.ts'),
  S6: () => import('./rows/s06-trade-latency.ts'),
  S7: () => import('./rows/s07-fold.ts'),
  S8: () => import('./rows/s08-intake.ts'),
  S9: () => import('./rows/s09-journal.ts'),
  S10: () => import('./rows/s10-memory.ts'),
  S11: () => import('./rows/s11-collection.ts'),
  S12: () => import('./rows/s12-restart.ts'),
  S13: () => import('./rows/s13-growth.ts'),
}

/** Not part of a full run: reading the chain, costs of single steps, and where the fold's time goes. */
export const EXTRAS: Readonly<Record<string, Row>> = {
  decoder: () => import('./decoder.ts'),
  'live-tables': () => import('./live-tables.ts'),
  parts: () => import('./parts.ts'),
  profile: () => import('./profile.ts'),
}

/** What each is about, as docs/benchmark.md heads it. */
export const TITLES: Readonly<Record<keyof typeof ROWS, string>> = {
  S1: 'tables, a filter asked before',
  S2: 'tables, filters never asked before',
  S3: 'encoding the rows of a table',
  S4: 'reads of one hot token, and search',
  S5: 'a trade to many readers',
  S6: 'latency of a trade',
  S7: 'the fold',
  S8: 'events coming in',
  S9: 'the journal',
  S10: 'memory',
  S11: 'garbage collection',
  S12: 'restarts and snapshots',
  S13: 'growth with the number of tokens',
}
