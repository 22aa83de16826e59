import fs from 'node:fs'

/**
 * How long a thread of libuv's pool may run before it is another's turn, as it tells the kernel: the shortest
 * that the kernel takes. Who asks for less is sooner to run once he wakes (Linux 6.12 and newer).
 */
export const SLICE_NS = 100_000n

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
