import fs from 'node:fs'
import { join } from 'node:path'
import { StoreError } from './failure.ts'

const NAME = 'lock'

/**
 * Takes a data folder for this process; returns what gives it back. A lock whose process has ended
 * is taken over: it names the process, when it started and the boot of the machine.
 * @throws StoreError `in_use` when a running process holds it
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, NAME)
  fs.mkdirSync(folder, { recursive: true })
  const mine = JSON.stringify({ pid: process.pid, started: startedAt(process.pid), boot: bootId() })
  for (let tries = 0; tries < 3; tries++) {
    try {
      fs.writeFileSync(path, mine, { flag: 'wx' })
      return () => fs.rmSync(path, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const holder = fs.readFileSync(path, 'utf8')
    const pid = livingHolder(holder)
    if (pid !== null)
      throw new StoreError(
        'in_use',
        `${folder} is used by process ${pid}: stop it, or give this one another DATA_DIR.`,
      )
    fs.rmSync(path, { force: true })
  }
  throw new StoreError('in_use', `${path} comes back whenever it is removed: is another start on?`)
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
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * When a process started, in ticks since the boot; "" where the system does not say, null when it
 * has ended and only waits to be noticed by its parent.
 */
function startedAt(pid: number): string | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may hold spaces: fields are counted behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ENDED_STATES.includes(fields[0]) ? null : (fields[19] ?? '')
  } catch {
    return ''
  }
}

/** Zombie, dead. */
const ENDED_STATES = ['Z', 'X']

/** Uuid of the machine's boot: while it stays, what was written is in memory or on the disk. */
export function bootId(): string {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch {
    return UNKNOWN_BOOT
  }
}

/** The boot of a machine that does not tell it. */
export const UNKNOWN_BOOT = '00000000-0000-0000-0000-000000000000'
