/** Calls of the kernel that Node has none for, through koffi: memory of a file, and the slices of the pool's threads. */
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

/**
 * Makes memory of this process out of the first bytes of an open file, all of which were written before: a kill leaves
 * in the file what was stored last. Null where that cannot be, or is not safe.
 */
export type MapFile = (
  fd: number,
  path: string,
  bytes: number,
) => {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Gives the memory back; `bytes` must not be touched from then on. */
  close(): void
} | null

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

/**
 * How long a thread of libuv's pool asks to run before another one may: the shortest time that the kernel takes. A
 * thread that asks for less runs sooner after it wakes (Linux 6.12 and newer).
 */
const SLICE_NS = 100_000n

const TASKS = '/proc/self/task'
/** What libuv calls the threads of its pool, from 1.50 on: that of Node 22.15. */
const POOL_THREAD = 'libuv-worker'

/** Numbers of the kernel's calls, for which its C libraries have no names; by processor. */
const CALLS: Readonly<Record<string, { get: number; set: number } | undefined>> = {
  x64: { get: 315, set: 314 },
  arm64: { get: 275, set: 274 },
}

/** `struct sched_attr` in its first version, little-endian; its times are nanoseconds. */
const ATTRIBUTES = { bytes: 48, policy: 4, slice: 24 } as const
/** SCHED_OTHER; who gave a thread another one meant something by it. */
const USUAL_POLICY = 0

/**
 * Has the threads of libuv's pool run soon after they wake: they take the journal to the disk, and each of them
 * works for a fraction of a millisecond only (docs/decisions/0021-slices-of-the-pool.md). Their priority
 * stays. Returns how many of them have the slice now: none on a kernel that knows of no such wish, off Linux, or
 * where it is refused.
 */
export async function shortenPoolSlices(): Promise<number> {
  const calls = process.platform === 'linux' ? CALLS[process.arch] : undefined
  if (calls === undefined) return 0
  try {
    // The pool begins with the first call that needs it.
    await fs.promises.stat(TASKS)
    const { default: koffi } = await import('koffi')
    // The last two are those of one call and left unread by the other.
    const call = koffi
      .load(null)
      .func('long syscall(long call, long thread, void *attributes, long bytesOrFlags, long flags)')
    return poolThreads().filter((thread) => {
      const attributes = new DataView(new ArrayBuffer(ATTRIBUTES.bytes))
      const isRead = () => call(calls.get, thread, attributes, ATTRIBUTES.bytes, 0) === 0
      if (!isRead() || attributes.getUint32(ATTRIBUTES.policy, true) !== USUAL_POLICY) return false
      attributes.setBigUint64(ATTRIBUTES.slice, SLICE_NS, true)
      call(calls.set, thread, attributes, 0, 0)
      // An older kernel takes the wish and forgets it.
      return isRead() && attributes.getBigUint64(ATTRIBUTES.slice, true) === SLICE_NS
    }).length
  } catch {
    // No /proc, or a machine that the package has no build for.
    return 0
  }
}

function poolThreads(): readonly number[] {
  return fs
    .readdirSync(TASKS)
    .filter((task) => fs.readFileSync(`${TASKS}/${task}/comm`, 'latin1').trim() === POOL_THREAD)
    .map(Number)
}
