/** Seeded schedules in a test run; `make feeds-faults` asks for more (FEED_SCHEDULES). */
export const SCHEDULES = Number(process.env.FEED_SCHEDULES ?? 40)
/** The first seed; FEED_SEED=<n> FEED_SCHEDULES=1 runs one again. */
export const FIRST_SEED = Number(process.env.FEED_SEED ?? 1)
/** Schedules under way at once: most of their time is waiting. */
const AT_ONCE = 8

/** For vitest: a schedule takes a fraction of a second, three on a machine that does other things. */
export const PATIENCE = { timeout: 60_000 + SCHEDULES * 3_000 }

/** Runs every seed; what fails names its seed. */
export async function everySeed(run: (seed: number) => Promise<void>): Promise<void> {
  const seeds = Array.from({ length: SCHEDULES }, (_, n) => FIRST_SEED + n)
  const failures: string[] = []
  const worker = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift())
      try {
        await run(seed)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        failures.push(`FEED_SEED=${seed} FEED_SCHEDULES=1: ${reason}`)
      }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (failures.length > 0) throw new Error(failures.slice(0, 5).join('\n'))
}
