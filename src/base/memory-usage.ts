import v8 from 'node:v8'

/** What Node says of this process's memory, in bytes. */
type MemoryUsage = Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed' | 'heapTotal' | 'arrayBuffers'>

/** Where no /proc is mounted, as in a bare chroot, `rss` is the most there ever was. */
export function memoryUsage(): MemoryUsage {
  try {
    return process.memoryUsage()
  } catch {
    const { used_heap_size, total_heap_size, external_memory } = v8.getHeapStatistics()
    return {
      rss: mostResidentBytes(),
      heapUsed: used_heap_size,
      heapTotal: total_heap_size,
      arrayBuffers: external_memory,
    }
  }
}

/** Resident bytes of this process; without /proc the most it ever had. */
export function residentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return mostResidentBytes()
  }
}

function mostResidentBytes(): number {
  return process.resourceUsage().maxRSS * 1024
}
