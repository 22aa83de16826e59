import fs from 'node:fs'

/** Where memory runs out a process with this score goes before any with a lower one. */
const HIGHEST_SCORE = '1000'

/**
 * Has the kernel end this process first when memory runs out: one that holds the state a second time
 * beside the service. Else the larger of both went, which is the service.
 */
export function preferOomKill(): void {
  try {
    fs.writeFileSync('/proc/self/oom_score_adj', HIGHEST_SCORE)
  } catch {
    // No Linux, or no /proc: the kernel chooses by itself.
  }
}
