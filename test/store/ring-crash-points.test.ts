import { testCrashPoints } from './disks/crash-points.ts'

/** Shorter than many a batch; longer than some batches, and shorter than a segment. */
testCrashPoints([
  { fsync: 'group', clock: 'event', ringBytes: 1_024, share: 0.3 },
  { fsync: 'group', clock: 'wall', ringBytes: 5_000, share: 0.3 },
])
