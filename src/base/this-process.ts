/** Figures of this process from the system, and requests to it. */

import fs from 'node:fs'
import v8 from 'node:v8'

/** Memory of this process in bytes. Where no /proc is mounted, as in a bare chroot, `rss` is the highest so far. */
export function memoryUsage(): Pick<
  NodeJS.MemoryUsage,
  'rss' | 'heapUsed' | 'heapTotal' | 'arrayBuffers'
> {
  try {
    return process.memoryUsage()
  } catch {
    const { used_heap_size, total_heap_size, external_memory } = v8.getHeapStatistics()
    return {
      rss: peakResidentBytes(),
      heapUsed: used_heap_size,
      heapTotal: total_heap_size,
      arrayBuffers: external_memory,
    }
  }
}

/** Resident bytes of this process; without /proc the highest so far. */
export function residentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return peakResidentBytes()
  }
}

function peakResidentBytes(): number {
  return process.resourceUsage().maxRSS * 1024
}

/** The text of a system file, as of /proc; "" where there is none. */
export function systemText(path: string): string {
  try {
    return fs.readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Fields of /proc/<pid>/stat from the state on; one empty field for a process that is gone. */
export function processFields(pid: number): readonly string[] {
  const stat = systemText(`/proc/${pid}/stat`)
  // The name in parentheses may hold spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** When memory runs out the kernel kills the process with the highest score first. */
const HIGHEST_SCORE = '1000'

/**
 * Has the kernel kill this process first when memory runs out: it holds the state a second time beside the
 * service. By default the kernel kills the larger of the two, which is the service.
 */
export function preferOomKill(): void {
  try {
    fs.writeFileSync('/proc/self/oom_score_adj', HIGHEST_SCORE)
  } catch {
    // No Linux, or no /proc: the kernel chooses by itself.
  }
}
