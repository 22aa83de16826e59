/** More runs find no less: the first ones are slower. */
const RUNS = 7
const US_PER_MS = 1_000

/**
 * The least time of several runs, in ms of the processor: a machine that has other work would make a run as long as it
 * likes. Good to compare with another, on the same machine.
 */
export function leastMs(run: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / US_PER_MS
  })
  return Math.min(...times)
}
