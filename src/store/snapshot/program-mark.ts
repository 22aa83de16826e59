import { PROGRAM_VERSION } from '../../base/program-version.ts'
import { JOURNAL_VERSION } from '../format/journal-format.ts'
import { SNAPSHOT_VERSION } from '../format/snapshot-format.ts'
import { CHUNK_VERSION } from './tape-chunk.ts'

/**
 * What this process folds and writes: with another version, or between two of them with other formats
 * (a fold that comes to other bytes is one), a snapshot may be none that this program reads.
 */
export const PROGRAM =
  `${PROGRAM_VERSION}, journal ${JOURNAL_VERSION}, snapshots ${SNAPSHOT_VERSION}, ` +
  `chunks ${CHUNK_VERSION}`
