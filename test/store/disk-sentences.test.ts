import fs from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CompactorLauncher } from '../../src/store/compaction/compactor-launcher.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import { PROGRAM } from '../../src/store/snapshot/snapshot-file.ts'
import { newFolder } from '../new-folder.ts'
import { BOOT, EPOCH } from './damage/folder.ts'

/** As Node tells that a quota is used up: libuv has no name for it. */
function usedUp(): Error {
  const errno = -os.constants.errno.EDQUOT
  return Object.assign(new Error('UNKNOWN: unknown error, write'), { errno, code: 'UNKNOWN' })
}

function begun(folder: string, failures: string[] = []): Journal {
  const onFailure = ({ message }: Error) => failures.push(message)
  const options = { disk: new NodeDisk(), folder, epoch: EPOCH, boot: BOOT, onFailure }
  return new Journal({ ...options, fsync: 'off' }, { seq: 0, crc: 0, segment: 0 })
}

/** What `call` does while every write meets a quota that is used up. */
function withoutQuota(call: () => unknown): void {
  const writing = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw usedUp()
  })
  try {
    call()
  } finally {
    writing.mockRestore()
  }
}

test('a disk that refuses is told with the reason and the folder, also for a quota', () => {
  const folder = newFolder()
  const failures: string[] = []
  const journal = begun(folder, failures)
  withoutQuota(() => journal.close())
  expect(failures).toEqual([
    `The disk refused the journal (EDQUOT, write, in ${folder}): no events are taken until the program ` +
      'is started anew with a disk that works; reads go on.',
  ])
})

test('a start that cannot begin its journal promises no reads', () => {
  const folder = newFolder()
  withoutQuota(() =>
    expect(() => begun(folder)).toThrow(
      `The disk refused to begin the journal (EDQUOT, write, in ${folder}): mend that, or give another ` +
        'DATA_DIR.',
    ),
  )
})

test('a snapshot that was not made says so once', async () => {
  const folder = join(newFolder(), 'gone')
  const launcher = new CompactorLauncher()
  onTestFinished(() => launcher.stop())
  const run = {
    program: PROGRAM,
    folder,
    untilSegment: 1,
    keepsJournal: false,
    memoryBytesMax: 2 ** 30,
  }
  const reason: unknown = await launcher
    .run(run, () => {})
    .then(
      () => null,
      (error: unknown) => error,
    )
  expect(String(reason).split('The snapshot was not made').length).toBe(2)
  expect(String(reason)).toContain(folder)
})
