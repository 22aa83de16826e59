import { expect, test } from 'vitest'
import { byLength } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'
import { runAlertCrashes } from './crash-rounds.ts'

const ROUNDS_MS = 600_000

test(
  'every delivery arrives at least once and in order, whatever its receiver does and however often the service is killed',
  async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))
    console.log(`crashes of alerts: SEED=${seed}`)
    const { faults, ...counts } = await runAlertCrashes({
      ...{ rounds: byLength(4, 10), deliveries: byLength(400, 2_000), rate: 500 },
      ...{ seed, folder: newFolder(), tell: (line: string) => console.log(line) },
    })
    console.log(`crashes of alerts: ${JSON.stringify(counts)}`)
    expect(faults).toEqual([])
    expect(counts.facts).toBeGreaterThan(400)
    expect(counts.failed).toBeGreaterThan(0)
  },
  ROUNDS_MS,
)
