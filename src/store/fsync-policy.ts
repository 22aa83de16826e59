/** When what was written is made to last (contract section 6). */
export type FsyncPolicy =
  /** `fdatasync` back to back in the background. */
  | 'group'
  /** Before anything of a batch is published. */
  | 'always'
  /** When the system likes; only the ends of segments are synced. */
  | 'off'
