import { expect, test } from 'vitest'
import { runClusterCrashRounds } from '../cluster-crash/rounds.ts'
import { natsServer } from '../nats/nats-binary.ts'
import { newFolder } from '../new-folder.ts'

const ROUNDS = 20
/** A lease of two seconds runs out within it, and an election does in some. */
const AWAY_MS_MAX = 2_500
/** They take two minutes; a machine that is busy gets far more. */
const ROUNDS_MS = 900_000

test.skipIf(natsServer('cluster') === null)(
  'no client of a cluster loses or repeats a trade, whatever is killed',
  async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))
    console.log(`cluster crash rounds: SEED=${seed}`)
    const options = { rounds: ROUNDS, seed, awayMsMax: AWAY_MS_MAX, folder: newFolder() }
    const report = await runClusterCrashRounds({ ...options, tell: (line) => console.log(line) })
    console.log(`cluster crash rounds: ${JSON.stringify(report)}`)
    expect(report.faults).toEqual([])
    expect(report.trades).toBeGreaterThan(ROUNDS * 100)
    expect(report.answersCompared).toBeGreaterThan(ROUNDS * 5)
  },
  ROUNDS_MS,
)
