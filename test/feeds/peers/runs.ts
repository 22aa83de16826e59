import { messageOf } from '../../../src/base/errors.ts'
import { byLength } from '../../lengths.ts'

/** Seeded schedules in a test run; `make feeds-faults` asks for more (FEED_SCHEDULES). */
export const SCHEDULES = Number(process.env.FEED_SCHEDULES ?? byLength(4, 40))
/** The first seed; FEED_SEED=<n> FEED_SCHEDULES=1 runs one again. */
const FIRST_SEED = Number(process.env.FEED_SEED ?? 1)
export const SEEDS: readonly number[] = Array.from({ length: SCHEDULES }, (_, n) => FIRST_SEED + n)
/** Fewer for two feeds at once, unless a number was asked for. */
export const PAIR_SEEDS = SEEDS.slice(0, Number(process.env.FEED_SCHEDULES ?? byLength(2, 5)))
/** Schedules under way at once: most of their time is waiting. */
const AT_ONCE = 8

/** For vitest: a schedule takes a fraction of a second, three on a machine that does other things. */
export const PATIENCE = { timeout: 60_000 + SCHEDULES * 3_000 }

/** Runs every seed; what fails names its seed. */
export async function everySeed(
  run: (seed: number) => Promise<void>,
  seeds: readonly number[] = SEEDS,
): Promise<void> {
  const waiting = [...seeds]
  const failures: string[] = []
  const worker = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift())
      try {
        await run(seed)
      } catch (error) {
        failures.push(`FEED_SEED=${seed} FEED_SCHEDULES=1: ${messageOf(error)}`)
      }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (failures.length > 0) throw new Error(failures.slice(0, 5).join('\n'))
}
