import { spawnSync } from 'node:child_process'

/**
 * `ours`: until the file is closed, which the end of the process does too, however it ends.
 * `unknown`: there is no `flock` here, or the file system has no such locks.
 */
export type KernelLock = 'ours' | 'held' | 'unknown'

/** What util-linux and busybox end with when another one holds the lock. */
const HELD_STATUS = 1
const OWN_WORDS = /^flock: /m

/**
 * Takes the kernel's lock of an open file or folder, of which there is one whoever asks: processes in
 * other containers have other pids, or the same one. Node has no such call; the program `flock` takes
 * it for the open file that it is handed, and so for whoever opened it.
 */
export function lockOpenFile(fd: number): KernelLock {
  const stdio: ['ignore', 'ignore', 'pipe', number] = ['ignore', 'ignore', 'pipe', fd]
  const { status, stderr } = spawnSync('flock', ['-n', '3'], { stdio, encoding: 'utf8' })
  if (status === 0) return 'ours'
  // Busybox ends alike over a lock that cannot be, as of a folder on NFS, but says why. The loader may say
  // something too, as of a library in LD_PRELOAD that is not there.
  return status === HELD_STATUS && !OWN_WORDS.test(stderr) ? 'held' : 'unknown'
}
