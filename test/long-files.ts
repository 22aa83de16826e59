/**
 * Test files that run in the long form alone. Each takes the processor for several seconds; of what it holds
 * the short form has smaller tests, or it changes seldom.
 */
const OF_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  attacks: ['attacks'],
  /** A real browser each. */
  browser: [
    'chart-hour',
    'coming-back',
    'engine',
    'flat-chart',
    'hanging-service',
    'held-tables',
    'held-up',
    'images',
    'late-line',
    'lost-order',
    'market',
    'narrow',
    'other-stream',
    'refused-chart',
    'refused-trades',
    'resting-figures',
    'row-facts',
    'simulated',
    'stages',
    'touch',
    'unknown-mint',
    'wallet-gaps',
    'wallet-order',
    'wallet-totals',
  ],
  client: ['package'],
  commands: ['one-state', 'process', 'repair'],
  /** Real programs, started and killed again and again. */
  process: [
    'admin-orders',
    'conformance',
    'continuity',
    'damage',
    'deep-pages',
    'dormant',
    'early-signals',
    'epoch',
    'fault',
    'full-disk',
    'half-a-write',
    'market',
    'moved-folder',
    'out-of-memory',
    'pumpportal',
    'replaced-files',
    'replay-readiness',
    'set-clock',
    'skipped-lines',
    'thresholds',
    'yellowstone',
  ],
  /** States of tens of thousands of tokens, wallets or trades. */
  properties: [
    'busy-market',
    'equal-searches',
    'growing-bytes',
    'long-chains',
    'memory-parts',
    'table-columns',
    'trader-columns',
    'waiting-metadata',
  ],
  store: ['damaged-folders', 'every-part', 'old-parts', 'weeks'],
}

export const LONG_FILES: readonly string[] = Object.entries(OF_FOLDERS).flatMap(([folder, names]) =>
  names.map((name) => `test/${folder}/${name}.test.ts`),
)
