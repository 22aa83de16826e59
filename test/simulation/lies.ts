import type { Config } from '../../src/config/config.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { EventSink } from '../../src/events/event-sink.ts'
import type { Disk, DiskFile } from '../../src/store/disk/disk.ts'
import { boundFile } from '../store/disks/bound-file.ts'
import type { Chances, Plan } from './plan.ts'

/** A fault that is planted on purpose: the simulation has to find it. */
export interface Lie {
  readonly name: string
  /** Settings under which it shows at all, or soon. */
  readonly plan?: Partial<Plan>
  readonly disk?: (disk: Disk) => Disk
  /** What a recovery reads from. */
  readonly recoveryDisk?: (disk: Disk) => Disk
  /** A start does not look what a ring has alone. */
  readonly forgetsRing?: boolean
  readonly sink?: (engine: Engine, journaled: EventSink) => EventSink
  readonly epoch?: (epoch: string, former: string | null) => string
  /** How the compactor's engine takes the settings that journal and snapshots say. */
  readonly compactorSettings?: (engine: Engine) => Engine['settle']
  readonly fsync?: (policy: Config['fsync']) => Config['fsync']
}

/** The disk and the power fail often. */
const HARSH: Chances = {
  compaction: 0.03,
  fault: 0.08,
  compactorKill: 0,
  stop: 0.04,
  clockStep: 0,
  read: 0.1,
}

export const NO_LIE: Lie = { name: 'none' }

/** Bytes that go missing at the end of a journal that is read: less than a frame. */
const BYTES_LOST = 8

export const LIES: readonly Lie[] = [
  {
    name: 'a start does not look what the ring of a killed process has alone',
    plan: { fsync: 'group', ringBytes: 8_000, syncMsMax: 100_000_000, chances: HARSH },
    forgetsRing: true,
  },
  {
    name: 'a batch is published before it is written',
    sink: (engine, journaled) => ({
      events(batch) {
        engine.events(batch)
        journaled.events(batch)
      },
      records: (batch) => journaled.records(batch),
    }),
  },
  {
    name: 'a sync does nothing and says it did',
    disk: (disk) => wrapDisk(disk, { file: (file) => ({ ...boundFile(file), ...lazySyncs() }) }),
  },
  {
    name: 'the folder is never synced',
    disk: (disk) =>
      wrapDisk(disk, { disk: { syncFolder: () => {}, syncFolderLater: (_, done) => done(null) } }),
  },
  {
    name: 'a rename is a copy that is not synced',
    disk: (disk) => wrapDisk(disk, { disk: { rename: (from, to) => copyOver(disk, from, to) } }),
  },
  {
    name: 'a sync that failed is taken for done',
    plan: { fsync: 'group', syncMsMax: 20, segmentBytes: 64 << 20, chances: HARSH },
    disk: (disk) =>
      wrapDisk(disk, { file: (file) => ({ ...boundFile(file), ...deafSyncs(file) }) }),
  },
  {
    name: 'the recovery leaves the last frame out',
    recoveryDisk: (disk) =>
      wrapDisk(disk, { file: (file, path) => (path.endsWith('.mfj') ? shorter(file) : file) }),
  },
  {
    name: 'the epoch stays after a loss',
    epoch: (epoch, former) => former ?? epoch,
  },
  {
    name: 'the compactor folds by other rules',
    compactorSettings: (engine) => {
      const settle = engine.settle.bind(engine)
      return (settings) => settle({ ...settings, rules: { ...settings.rules, proTrades: 1 } })
    },
  },
  {
    name: '"always" does not wait for its sync',
    plan: { fsync: 'always', chances: HARSH },
    fsync: (policy) => (policy === 'always' ? 'group' : policy),
  },
]

interface Wrapping {
  readonly disk?: Partial<Disk>
  readonly file?: (file: DiskFile, path: string) => DiskFile
}

function wrapDisk(disk: Disk, wrapping: Wrapping): Disk {
  const wrapped = (file: DiskFile, path: string) => wrapping.file?.(file, path) ?? file
  return {
    list: (folder) => disk.list(folder),
    makeFolder: (folder) => disk.makeFolder(folder),
    create: (path) => wrapped(disk.create(path), path),
    open: (path) => wrapped(disk.open(path), path),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    syncFolder: (folder) => disk.syncFolder(folder),
    syncFolderLater: (folder, done) => disk.syncFolderLater(folder, done),
    ...wrapping.disk,
  }
}

function lazySyncs(): Pick<DiskFile, 'sync' | 'syncLater'> {
  return { sync: () => {}, syncLater: (done) => done(null) }
}

function deafSyncs(file: DiskFile): Pick<DiskFile, 'sync' | 'syncLater'> {
  return {
    sync() {
      try {
        file.sync()
      } catch {
        // The fault that is planted.
      }
    },
    syncLater: (done) => file.syncLater(() => done(null)),
  }
}

function shorter(file: DiskFile): DiskFile {
  const size = () => Math.max(0, file.size() - BYTES_LOST)
  return {
    ...boundFile(file),
    size,
    read: (into, position) => file.read(into.subarray(0, Math.max(0, size() - position)), position),
  }
}

function copyOver(disk: Disk, from: string, to: string): void {
  const source = disk.open(from)
  const bytes = new Uint8Array(source.size())
  source.read(bytes, 0)
  source.close()
  const target = disk.create(to)
  target.append(bytes)
  target.close()
  disk.remove(from)
}
