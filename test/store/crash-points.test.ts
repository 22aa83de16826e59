import { testCrashPoints } from './disks/crash-points.ts'

testCrashPoints([
  { fsync: 'group', clock: 'event' },
  { fsync: 'group', clock: 'wall' },
  { fsync: 'always', clock: 'event' },
  { fsync: 'always', clock: 'wall' },
  { fsync: 'off', clock: 'event' },
])
