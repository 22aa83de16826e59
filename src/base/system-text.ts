import { readFileSync } from 'node:fs'

/** What a file of the system says, as those of /proc; "" where there is none. */
export function systemText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
