import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Between two looks, in ms. */
const LOOK_EVERY_MS = 5

/** Pids of the compactors that a program's launcher runs; empty where the system does not say. */
function compactorsOf(pid: number): number[] {
  return childrenOf(pid)
    .flatMap(childrenOf)
    .filter((child) => runs(child, '/compact.'))
}

/** Pid of a program's launcher; null where the system does not say. */
export function launcherOf(pid: number): number | null {
  return childrenOf(pid).find((child) => runs(child, '/launch.')) ?? null
}

/** Pids of a process's children. */
function childrenOf(pid: number): number[] {
  try {
    const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    return children.trim().split(/\s+/).filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function runs(pid: number, file: string): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(file)
  } catch {
    return false
  }
}

/** Pid of a compactor of this program, as soon as there is one; null when none comes in time. */
export async function nextCompactor(pid: number, withinMs: number): Promise<number | null> {
  for (const endMs = Date.now() + withinMs; Date.now() < endMs; await pause(LOOK_EVERY_MS)) {
    const [found] = compactorsOf(pid)
    if (found !== undefined) return found
  }
  return null
}

export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It had ended by itself.
  }
}
