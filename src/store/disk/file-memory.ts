import fs from 'node:fs'

/** PROT_READ | PROT_WRITE and MAP_SHARED, as every Linux has them. */
const READ_AND_WRITE = 3
const SHARED = 1
/** What mmap answers when it refuses: (void *) -1. */
const REFUSED = 0xffff_ffff_ffff_ffffn

/**
 * File systems on which a store to a mapped page, all of whose bytes were written before, asks for nothing:
 * ext2 to ext4 and tmpfs. Elsewhere it may need room (btrfs, ZFS, a file that shares its blocks on XFS) or a
 * file system that still works (XFS after an I/O error, the network), and what it is refused ends the process
 * by a signal, where a call of the kernel only fails.
 */
const STORES_NEVER_FAIL: ReadonlySet<number> = new Set([0xef53, 0x01021994])

/** The first bytes of a file as memory of this process: a kill leaves in the file what was stored last. */
export interface FileMemory {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Gives the memory back; `bytes` must not be touched from then on. */
  close(): void
}

/** Makes memory of an open file whose bytes are all there; null where that cannot be, or is not safe. */
export type MapFile = (fd: number, path: string, bytes: number) => FileMemory | null

/** The kernel's mmap, which Node has no call for; null on a machine without it. */
export async function loadMapFile(): Promise<MapFile | null> {
  if (process.platform !== 'linux') return null
  try {
    const { default: koffi } = await import('koffi')
    const kernel = koffi.load(null)
    const mmap = kernel.func(
      'void *mmap(void *at, size_t bytes, int may, int how, int fd, int64 from)',
    )
    const munmap = kernel.func('int munmap(void *at, size_t bytes)')
    const mlock = kernel.func('int mlock(void *at, size_t bytes)')
    return (fd, path, bytes) => {
      if (!STORES_NEVER_FAIL.has(fs.statfsSync(path).type)) return null
      const at: unknown = mmap(null, bytes, READ_AND_WRITE, SHARED, fd, 0)
      if (at === REFUSED || at === null) return null
      // Where it may: a machine short of memory would else have the next store wait for its disk.
      mlock(at, bytes)
      const memory = new Uint8Array(koffi.view(at, bytes))
      return { bytes: memory, close: () => void munmap(at, bytes) }
    }
  } catch {
    // A machine that the package has no build for, or an installation without it.
    return null
  }
}
