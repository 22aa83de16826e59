import { onTestFinished, vi } from 'vitest'

/**
 * Has a millisecond pass in each turn of the loop, also for `performance.now`, until the test is over; how many
 * have. A machine that stands still, or does much else, holds up what is tested and the test alike.
 */
export function turnsClock(): () => number {
  let nowMs = 0
  const turns = setInterval(() => nowMs++, 1)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => {
    clearInterval(turns)
    clock.mockRestore()
  })
  return () => nowMs
}
