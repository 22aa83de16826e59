import { setTimeout } from 'node:timers/promises'

/** More than a round takes, the pages of its files among it. */
const WARM_BYTES = 256 << 20
const PAGE_BYTES = 4_096
/** Until the memory is back with the system. */
const BACK_MS = 30

/**
 * Has the system own memory that it can hand out at once. A virtual machine gets a page from its host at the
 * first touch, which takes 5 µs, and gives back what is free for some seconds: what one round had to
 * fetch the other one would find.
 */
export async function warmMemory(): Promise<void> {
  touch()
  globalThis.gc?.()
  await setTimeout(BACK_MS)
}

function touch(): void {
  const bytes = Buffer.allocUnsafeSlow(WARM_BYTES)
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) bytes[at] = 1
}
