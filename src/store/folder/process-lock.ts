import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../base/errors.ts'
import { processFields, systemText } from '../../base/this-process.ts'
import { StoreError } from '../disk/failure.ts'
import { NodeDisk } from '../disk/node-disk.ts'
import { UNKNOWN_BOOT } from './commit-marker.ts'

const NAME = 'lock'
/** Times that a lock is taken which is given back at that moment. */
const TRIES = 3
/** Names the compactor that works on the folder, so that the next start can end it. */
const COMPACTOR_NAME = 'compactor'
/** How long a process that was killed may take to be gone, and between two looks, in ms. */
const GONE_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 5
/** Zombie, dead. */
const ENDED_STATES = ['Z', 'X']
/** What util-linux and busybox end with when another one holds the lock. */
const HELD_STATUS = 1
const OWN_WORDS = /^flock: /m

/**
 * Takes a data folder for this process; returns what gives it back. The kernel's lock of the file
 * decides; the name in it says who that is, and decides where there are no such locks. One whose
 * process has ended is taken over: it names the process, when it started and the boot of the machine.
 * @throws StoreError `in_use` when another program holds it
 */
export function lockFolder(folder: string): () => void {
  new NodeDisk().makeFolder(folder)
  // The folder's own lock too: a lock file that somebody removes takes the file's with it.
  const folderFd = fs.openSync(folder, 'r')
  try {
    if (lockOpenFile(folderFd) === 'held') throw inUse(folder, holderOf(folder))
    const unlock = lockFile(folder)
    return () => {
      unlock()
      fs.closeSync(folderFd)
    }
  } catch (error) {
    fs.closeSync(folderFd)
    throw error
  }
}

function lockFile(folder: string): () => void {
  const path = join(folder, NAME)
  for (let tries = 0; tries < TRIES; tries++) {
    const fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644)
    const lock = lockOpenFile(fd)
    const pid = livingHolder(fs.readFileSync(fd, 'utf8'))
    if (lock === 'held' || pid !== null) {
      fs.closeSync(fd)
      throw inUse(folder, pid)
    }
    // Who gives it back removes it: another start may have opened it before.
    if (fs.statSync(path, { throwIfNoEntry: false })?.ino === fs.fstatSync(fd).ino) {
      fs.ftruncateSync(fd)
      fs.writeSync(fd, nameOf(process.pid), 0)
      return () => {
        removeOwn(path, nameOf(process.pid))
        fs.closeSync(fd)
      }
    }
    fs.closeSync(fd)
  }
  throw new StoreError('in_use', `${path} goes whenever it is taken: is another start on?`)
}

function inUse(folder: string, pid: number | null): StoreError {
  const who = pid === null ? 'another program, perhaps in another container' : `process ${pid}`
  return new StoreError(
    'in_use',
    `${folder} is used by ${who}: stop it, or give this one another DATA_DIR.`,
  )
}

/** Writes down which compactor works on a folder; returns what takes that back. */
export function noteCompactor(folder: string, pid: number): () => void {
  const path = join(folder, COMPACTOR_NAME)
  // In one step: who is killed amid it leaves no half a name, by which nobody could be ended.
  const unnamed = `${path}.new`
  const name = nameOf(pid)
  fs.writeFileSync(unnamed, name)
  fs.renameSync(unnamed, path)
  return () => removeOwn(path, name)
}

/** Removes a file that holds this name still: another folder may stand there by now, with another's. */
function removeOwn(path: string, name: string): void {
  try {
    if (fs.readFileSync(path, 'utf8') === name) fs.rmSync(path)
  } catch {
    // Gone, or the disk refuses it: the name of a process that has ended holds nobody up.
  }
}

/**
 * Ends the compactor that outlived a killed process: it would remove files under the next one.
 * Only for who has the folder's lock.
 * @throws StoreError `in_use` when it cannot be ended
 */
export function endOrphan(folder: string): void {
  const path = join(folder, COMPACTOR_NAME)
  if (!fs.existsSync(path)) return
  const pid = livingHolder(fs.readFileSync(path, 'utf8'))
  // Where the system does not say when a process started, the pid may be another one's by now.
  if (pid !== null && startedAt(pid) !== '') killAndWait(pid)
  if (pid !== null && isRunning(pid))
    throw new StoreError(
      'in_use',
      `${folder} is used by process ${pid}, the compactor of a program that was killed: wait for ` +
        'its end or end it.',
    )
  fs.rmSync(path, { force: true })
}

function killAndWait(pid: number): void {
  const clock = new Int32Array(new SharedArrayBuffer(4))
  try {
    process.kill(pid, 'SIGKILL')
    for (let waitedMs = 0; waitedMs < GONE_WITHIN_MS && isRunning(pid); waitedMs += LOOK_EVERY_MS)
      Atomics.wait(clock, 0, 0, LOOK_EVERY_MS)
  } catch {
    // It has ended by itself, or is not ours to end: the caller looks.
  }
}

function isRunning(pid: number): boolean {
  return startedAt(pid) !== null && isAlive(pid)
}

function nameOf(pid: number): string {
  return JSON.stringify({ pid, started: startedAt(pid), boot: bootId() })
}

/** Does another program hold the kernel's lock of a folder, wherever it runs? */
export function isLocked(folder: string): boolean {
  const fd = fs.openSync(folder, 'r')
  try {
    return lockOpenFile(fd) === 'held'
  } finally {
    fs.closeSync(fd)
  }
}

/** Pid of the running process, not this one, that holds a data folder; null for none. */
export function holderOf(folder: string): number | null {
  try {
    return livingHolder(fs.readFileSync(join(folder, NAME), 'utf8'))
  } catch {
    return null
  }
}

/** Pid of the process that holds the lock, or null when it has ended. */
function livingHolder(text: string): number | null {
  const parts = /^\{"pid":(\d+),"started":"(\d*)","boot":"([^"]*)"\}$/.exec(text)
  if (parts === null) return null
  const pid = Number(parts[1])
  if (pid === process.pid || parts[3] !== bootId()) return null
  if (parts[2] !== startedAt(pid)) return null
  return isAlive(pid) ? pid : null
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/**
 * When a process started, in ticks since the boot; "" where the system does not say, null when it
 * has ended and only waits to be noticed by its parent.
 */
function startedAt(pid: number): string | null {
  const fields = processFields(pid)
  return ENDED_STATES.includes(fields[0] ?? '') ? null : (fields[19] ?? '')
}

/** Uuid of the machine's boot: while it stays, what was written is in memory or on the disk. */
export function bootId(): string {
  return systemText('/proc/sys/kernel/random/boot_id').trim() || UNKNOWN_BOOT
}

/**
 * Takes the kernel's lock of an open file or folder, which is one for all processes: those in other containers have
 * other pids, or the same one. Node has no such call; the program `flock` takes it for the open file that it is
 * handed, and so for the process that opened it.
 * @returns `ours`: until the file is closed, which the end of the process does too, however it ends; `unknown`: there is
 *   no `flock` here, or the file system has no such locks
 */
export function lockOpenFile(fd: number): 'ours' | 'held' | 'unknown' {
  const stdio: ['ignore', 'ignore', 'pipe', number] = ['ignore', 'ignore', 'pipe', fd]
  const { status, stderr } = spawnSync('flock', ['-n', '3'], { stdio, encoding: 'utf8' })
  if (status === 0) return 'ours'
  // Busybox ends alike over a lock that cannot be, as of a folder on NFS, but says why. The loader may say
  // something too, as of a library in LD_PRELOAD that is not there.
  return status === HELD_STATUS && !OWN_WORDS.test(stderr) ? 'held' : 'unknown'
}
