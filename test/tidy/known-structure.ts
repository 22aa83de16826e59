/** What does not keep to rooms.ts yet. Nothing is added here, and an entry goes once its imports have ended. */

/** Imports that no arrow allows, with how many there are. */
export const KNOWN_FORBIDDEN: Readonly<Record<string, number>> = {}

/** Folders that import themselves by way of others. */
export const KNOWN_FOLDER_CYCLES: readonly string[] = []

/** What one process may have, as the house was laid out for it. */
const ONE_PROCESS = { files: 320, lines: 60_000, exportedNames: 1_300, types: 680 }
/** What replicas may add: the stream, who writes it, who follows it. */
const REPLICAS = { files: 20, lines: 3_600, exportedNames: 60, types: 40 }
/** What a desk asks for: windows, trending, alerts, wallets, exports, tools for agents. */
const DESK = { files: 60, lines: 9_640, exportedNames: 220, types: 140 }
/** What narrower records may add: packed forms of what is kept, pages, and the formats before. */
const RECORDS = { files: 4, lines: 1_200, exportedNames: 20, types: 10 }
/** What failures in the middle may add: orders that a disk refuses, runs that a stream cuts, pages that are too long. */
const FAILURES = { files: 0, lines: 1_000, exportedNames: 0, types: 0 }
/** What faster intake and starts may add: swaps of lines read from their bytes. */
const INTAKE = { files: 1, lines: 220, exportedNames: 10, types: 0 }
/** What bars that leave memory may add: rows of their own for minutes and hours, the fold of what is gone, the form before. */
const BARS = { files: 3, lines: 600, exportedNames: 0, types: 5 }
/** What texts in codes may add: the codes, what they stand for, and the form before. */
const TEXTS = { files: 4, lines: 540, exportedNames: 10, types: 0 }
/** What rows of few tokens may add: sparse rows, shared profiles, sums of holders, and tokens of snapshots before. */
const TOKEN_ROWS = { files: 2, lines: 790, exportedNames: 24, types: 8 }

/** What positions of few lanes may add: their rows, what is read and written of them, the form before. */
const POSITIONS = { files: 0, lines: 340, exportedNames: 10, types: 1 }

/** What filters that few tokens pass may add: candidates as bits, their WebAssembly, narrow columns. */
const CANDIDATES = { files: 2, lines: 640, exportedNames: 4, types: 6 }

const PARTS = [
  ...[ONE_PROCESS, REPLICAS, DESK, RECORDS, FAILURES, INTAKE, BARS],
  ...[TEXTS, TOKEN_ROWS, POSITIONS, CANDIDATES],
]
const mostOf = (count: keyof typeof ONE_PROCESS) =>
  PARTS.reduce((sum, part) => sum + part[count], 0)

/** How much there may be of the source. Lines grow with features: past these a part is to be merged or to go. */
export const MOST: Readonly<Record<string, number>> = {
  files: mostOf('files'),
  lines: mostOf('lines'),
  exportedNames: mostOf('exportedNames'),
  types: mostOf('types'),
}
