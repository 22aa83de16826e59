import { noTally, type Tally } from './outcome.ts'
import { Simulation } from './simulation.ts'

const DURATION_S = Number(process.env.DURATION ?? 300)

/** Characters of a violation that are printed. */
const REASON_MAX = 400

const seed = process.env.SEED
if (seed !== undefined && seed !== '') await replay(Number(seed))
else await runMany()

async function replay(only: number): Promise<void> {
  const outcome = await new Simulation(only, { tell: (line) => console.log(line) }).run()
  console.log(`seed ${only} holds, trace ${outcome.trace}`, outcome.tally)
}

async function runMany(): Promise<void> {
  const startedMs = performance.now()
  const first = Number(process.env.FIRST_SEED ?? Math.floor(Math.random() * 2 ** 31))
  const total: Tally = noTally()
  let virtualMs = 0
  let seeds = 0
  let failed = 0
  for (; performance.now() - startedMs < DURATION_S * 1000; seeds++)
    try {
      const outcome = await new Simulation(first + seeds).run()
      virtualMs += outcome.virtualMs
      for (const name of namesOf(total)) total[name] += outcome.tally[name]
    } catch (error) {
      failed += 1
      console.log(
        `make sim SEED=${first + seeds} replays it: ${String(error).slice(0, REASON_MAX)}`,
      )
    }
  const realMs = performance.now() - startedMs
  console.log(`${seeds} seeds from ${first}, ${failed} failed`, total)
  console.log(
    `${Math.round(virtualMs / 3_600_000)} h simulated in ${Math.round(realMs / 1000)} s: ` +
      `${Math.round(virtualMs / realMs)} × real time`,
  )
  if (failed > 0) process.exitCode = 1
}

function namesOf(tally: Tally): (keyof Tally)[] {
  const names: (keyof Tally)[] = []
  for (const name in tally) if (isName(name, tally)) names.push(name)
  return names
}

function isName(name: string, tally: Tally): name is keyof Tally {
  return name in tally
}
