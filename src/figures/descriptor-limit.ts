import { readFileSync } from 'node:fs'

const LINE = /^Max open files\s+(\d+|unlimited)/m

/** How many files and sockets this process may have open; where it cannot be told, no limit. */
export function descriptorLimit(): number {
  try {
    const value = LINE.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return value === undefined || value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
