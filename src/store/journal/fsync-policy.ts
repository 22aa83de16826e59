/** When what was written is made to last (contract section 6). */
export type FsyncPolicy =
  /** In the background, one sync after the other; with a ring some time apart (journal-ring.ts). */
  | 'group'
  /** Before anything of a batch is published. */
  | 'always'
  /** When the system likes; only the ends of segments are synced. */
  | 'off'
