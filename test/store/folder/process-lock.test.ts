import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  endOrphan,
  lockFolder,
  lockOpenFile,
  noteCompactor,
} from '../../../src/store/folder/process-lock.ts'
import { hasFlock } from '../../has-flock.ts'
import { newFolder } from '../../new-folder.ts'
import { systemError } from '../disks/crash-disk.ts'

/** Nobody has this pid. */
const ENDED = '{"pid":4000000,"started":"1","boot":"x"}'

/** Another open file, as another program has it. */
function openElsewhere(path: string): number {
  const fd = fs.openSync(path, 'a')
  onTestFinished(() => fs.closeSync(fd))
  return fd
}

test.skipIf(!hasFlock)(
  'a folder that the kernel says is taken is refused, whoever is named',
  () => {
    for (const name of [ENDED, '', '{"pid"']) {
      const folder = newFolder()
      const path = join(folder, 'lock')
      fs.writeFileSync(path, name)
      expect(lockOpenFile(openElsewhere(path))).toBe('ours')
      expect(() => lockFolder(folder)).toThrow('is used by another program')
      expect(fs.readFileSync(path, 'utf8')).toBe(name)
    }
  },
)

test.skipIf(!hasFlock)('who has a folder is seen by the kernel until it is given back', () => {
  const folder = newFolder()
  const path = join(folder, 'lock')
  const giveBack = lockFolder(folder)
  expect(lockOpenFile(openElsewhere(path))).toBe('held')
  giveBack()
  expect(fs.existsSync(path)).toBe(false)
  lockFolder(folder)()
})

test.skipIf(!hasFlock)('a lock is held whatever the system says to every program it starts', () => {
  const path = join(newFolder(), 'lock')
  expect(lockOpenFile(openElsewhere(path))).toBe('ours')
  vi.stubEnv('LD_PRELOAD', '/nowhere/libjemalloc.so')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(lockOpenFile(openElsewhere(path))).toBe('held')
})

test.skipIf(!hasFlock)('a folder whose lock was removed by hand is still in use', () => {
  const folder = newFolder()
  const giveBack = lockFolder(folder)
  fs.rmSync(join(folder, 'lock'))
  expect(() => lockFolder(folder)).toThrow('is used by another program')
  giveBack()
  lockFolder(folder)()
})

test('a lock that was left behind is taken over, and names this process then', () => {
  const folder = newFolder()
  const path = join(folder, 'lock')
  fs.writeFileSync(path, `${ENDED}${' '.repeat(200)}`)
  const giveBack = lockFolder(folder)
  expect(JSON.parse(fs.readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid })
  giveBack()
})

/** How this system names a process that runs. */
function nameOf(pid: number): string {
  const folder = newFolder()
  noteCompactor(folder, pid)
  return fs.readFileSync(join(folder, 'compactor'), 'utf8')
}

test('a lock names its process by start and boot: its pid may be of another one by now', () => {
  const name = nameOf(process.ppid)
  const folder = newFolder()
  const path = join(folder, 'lock')
  fs.writeFileSync(path, name)
  expect(() => lockFolder(folder)).toThrow(`is used by process ${process.ppid}`)
  for (const other of [/"started":"\d+"/, /"boot":"[^"]+"/]) {
    fs.writeFileSync(
      path,
      name.replace(other, (part) => part.replace(/[\da-f]"$/, flippedDigit)),
    )
    lockFolder(folder)()
  }
})

/** Another digit before the quote. */
function flippedDigit(end: string): string {
  return `${end.startsWith('1') ? '2' : '1'}"`
}

test('the compactor that a killed program has left is ended, and its name goes', async () => {
  const folder = newFolder()
  const orphan = spawn('sleep', ['600'])
  onTestFinished(() => void orphan.kill('SIGKILL'))
  const ended = once(orphan, 'exit')
  noteCompactor(folder, orphan.pid ?? 0)
  endOrphan(folder)
  expect(fs.readdirSync(folder)).toEqual([])
  expect(await ended).toEqual([null, 'SIGKILL'])
})

test('the name of a compactor comes in one step, and only who wrote it takes it away', () => {
  const folder = newFolder()
  const path = join(folder, 'compactor')
  const forgetFirst = noteCompactor(folder, process.pid)
  const { ino } = fs.statSync(path)
  const forget = noteCompactor(folder, process.ppid)
  expect(fs.statSync(path).ino).not.toBe(ino)
  forgetFirst()
  expect(fs.readdirSync(folder)).toEqual(['compactor'])
  forget()
  expect(fs.readdirSync(folder)).toEqual([])
})

test('a folder is given back also where a disk that is read-only by now keeps the name', () => {
  const folder = newFolder()
  const unlock = lockFolder(folder)
  const removing = vi.spyOn(fs, 'rmSync').mockImplementation(() => {
    throw systemError('EROFS', 'rm')
  })
  try {
    expect(unlock).not.toThrow()
  } finally {
    removing.mockRestore()
  }
  expect(fs.existsSync(join(folder, 'lock'))).toBe(true)
  lockFolder(folder)()
})

test('a file system that has no such locks holds nobody up, whatever flock ends with', () => {
  const programs = newFolder()
  const flock = '#!/bin/sh\necho "flock: Bad file descriptor" >&2\nexit 1\n'
  fs.writeFileSync(join(programs, 'flock'), flock, { mode: 0o755 })
  vi.stubEnv('PATH', programs)
  onTestFinished(() => void vi.unstubAllEnvs())
  const folder = newFolder()
  const giveBack = lockFolder(folder)
  expect(fs.readFileSync(join(folder, 'lock'), 'utf8')).toContain(`"pid":${process.pid}`)
  giveBack()
})
