import { systemText } from '../base/system-text.ts'

const LINE = /^Max open files\s+(\d+|unlimited)/m

/** How many files and sockets this process may have open; where it cannot be told, no limit. */
export function descriptorLimit(): number {
  const value = LINE.exec(systemText('/proc/self/limits'))?.[1]
  return value === undefined || value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value)
}
