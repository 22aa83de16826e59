/** More runs find no less: the first ones are slower, and one in between may be held up. */
const RUNS = 5

/** The least time of several runs, in ms: what else a machine does only adds to it. Good to compare with another, on the same machine. */
export function leastMs(run: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const beganMs = performance.now()
    run()
    return performance.now() - beganMs
  })
  return Math.min(...times)
}
