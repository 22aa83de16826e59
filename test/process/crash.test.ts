import { expect, test } from 'vitest'
import { runCrashRounds } from '../crash/rounds.ts'
import { byLength } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'

const ROUNDS = byLength(4, 20)
/** The rounds take about a minute; a machine that is busy gets far more. */
const ROUNDS_MS = 600_000

test(
  'nothing that a client saw is lost, changed or moved by kill -9 at random moments',
  async () => {
    const folder = newFolder()
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))
    console.log(`crash rounds: SEED=${seed}`)
    const tell = (line: string) => console.log(line)
    const { faults, ...counts } = await runCrashRounds({ rounds: ROUNDS, seed, folder, tell })
    console.log(`crash rounds: ${JSON.stringify(counts)}`)
    expect(faults).toEqual([])
    expect(counts.lost).toBe(0)
    expect(counts.trades).toBeGreaterThan(ROUNDS * 50)
    expect(counts.answersCompared).toBeGreaterThan(ROUNDS * 5)
    expect(counts.chunks).toBeGreaterThan(0)
  },
  ROUNDS_MS,
)
