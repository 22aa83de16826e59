import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { processFields } from '../../base/system-text.ts'

/** Of /proc/<pid>/stat, counted from the state on: the processor that the main thread ran on last. */
const PROCESSOR_FIELD = 36
/** Where `taskset` of util-linux or busybox is; a service may have no PATH. */
const TASKSET_PLACES = ['/usr/bin/taskset', '/bin/taskset']

/**
 * Words to put before a command so that it leaves one processor alone, the one that the main thread of
 * `pid` is on; none where there is no other, no `taskset`, no Linux, or it is refused. Whatever its priority, what
 * runs on a processor is not always taken off it at once for a thread that wakes up there, but at the
 * system's next tick, some 4 ms later.
 */
export function besideProcessorOf(pid: number): readonly string[] {
  const others = otherProcessors(pid)
  const taskset = TASKSET_PLACES.find((file) => fs.existsSync(file))
  if (others.length === 0 || taskset === undefined) return []
  // Busybox knows no long options.
  const words = ['-c', others.join(',')]
  return isAllowed(taskset, words) ? [taskset, ...words] : []
}

/** A service may be kept from it, as by SystemCallFilter=~@resources: the command behind it would then never run. */
function isAllowed(taskset: string, words: readonly string[]): boolean {
  // By its place as well: the service's PATH may be without it.
  return spawnSync(taskset, [...words, '/bin/true'], { stdio: 'ignore' }).status === 0
}

function otherProcessors(pid: number): readonly number[] {
  try {
    const own = Number(processFields(pid)[PROCESSOR_FIELD])
    // Of a process that is gone, or without /proc.
    if (Number.isNaN(own)) return []
    return allowedProcessors(process.pid).filter((processor) => processor !== own)
  } catch {
    return []
  }
}

/** The processors that a process may run on; throws where /proc does not say. */
export function allowedProcessors(pid: number): readonly number[] {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1')
  return numbersOf(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '')
}

/** Numbers of a list such as `0-3,8`. */
export function numbersOf(list: string): readonly number[] {
  const ranges = list.split(',').filter((range) => range !== '')
  return ranges.flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: Math.max(0, last - first + 1) || 0 }, (_, i) => first + i)
  })
}
