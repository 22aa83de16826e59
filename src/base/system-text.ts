import { readFileSync } from 'node:fs'

/** What a file of the system says, as those of /proc; "" where there is none. */
export function systemText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Fields of /proc/<pid>/stat from the state on; a process that is gone has one, which is empty. */
export function processFields(pid: number): readonly string[] {
  const stat = systemText(`/proc/${pid}/stat`)
  // The name in parentheses may hold spaces: fields are counted behind it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
