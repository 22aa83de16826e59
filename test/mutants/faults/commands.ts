import type { Fault } from '../fault.ts'

/** Faults of the commands for data folders. */
export const COMMAND_FAULTS: readonly Fault[] = [
  {
    name: 'verify: the digest of a snapshot is not compared',
    file: 'src/commands/verify.ts',
    find: 'if (contents.version < SNAPSHOT_VERSION) {',
    replace: 'if (contents.version <= SNAPSHOT_VERSION) {',
    tests: ['test/commands/verify.test.ts'],
  },
  {
    name: 'repair: a segment of another journal is kept',
    file: 'src/commands/repair-plan.ts',
    find: '(header.firstSeq !== before.seq || header.previousCrc !== before.crc)',
    replace: 'header.firstSeq !== before.seq',
    tests: ['test/commands/repair.test.ts'],
  },
  {
    name: 'repair: goes to work in a folder of a later version',
    file: 'src/commands/repair-base.ts',
    find: "    if (report.status === 'other version') throw new StoreError('newer_version', report.damage)\n",
    replace: '',
    tests: ['test/commands/repair.test.ts'],
  },
  {
    name: 'repair: a snapshot that goes with events of its own is said to cost none',
    file: 'src/commands/repair-command.ts',
    find: 'isJournalKept && snapshots.every(({ number }) => number <= place.seq)',
    replace: 'isJournalKept',
    tests: ['test/commands/repair.test.ts'],
  },
  {
    name: 'settings: a variable goes before the flag of the same meaning',
    file: 'src/base/config.ts',
    find: 'flags[flagOf(name)] ?? environment[name]',
    replace: 'environment[name] ?? flags[flagOf(name)]',
    tests: ['test/base/config.test.ts'],
  },
  {
    name: 'settings: the memory of positions is that of the tape',
    file: 'src/base/config.ts',
    find: "sizeBytes('POSITIONS_MEMORY', settings.POSITIONS_MEMORY)",
    replace: "sizeBytes('POSITIONS_MEMORY', settings.TAPE_MEMORY)",
    tests: ['test/base/config.test.ts'],
  },
  {
    name: 'disk: a file that is there already is made anew',
    file: 'src/store/node-disk.ts',
    find: "fs.openSync(path, 'ax+', 0o644)",
    replace: "fs.openSync(path, 'a+', 0o644)",
    tests: ['test/store/node-disk.test.ts'],
  },
  {
    name: 'disk: a later sync of a folder that fails passes for one that was made',
    file: 'src/store/node-disk.ts',
    find: 'done(error ?? closeError ?? null)',
    replace: 'done(closeError ?? null)',
    tests: ['test/store/node-disk.test.ts'],
  },
  {
    name: 'upgrade: a text of the search that folds to another length moves nothing behind it',
    file: 'src/store/format-upgrades.ts',
    find: 'place += text.length',
    replace: 'place += end - from',
    tests: ['test/store/search-upgrade.test.ts'],
  },
  {
    name: 'upgrade: positions are linked to the one before the one that names them',
    file: 'src/store/format-upgrades.ts',
    find: 'links[(next - 1) * 2 + 1] = row + 1',
    replace: 'links[(next - 1) * 2 + 1] = row',
    tests: ['test/store/link-upgrade.test.ts'],
  },
]
